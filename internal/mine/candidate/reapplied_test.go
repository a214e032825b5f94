package candidate

import (
	"testing"

	"cookoff/internal/history/historytest"
)

// TestReapplied: a revert of a revert does again what an older commit did; a revert does not.
func TestReapplied(t *testing.T) {
	dir := historytest.Made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
echo 0 > a.py; git add -A; git commit -qm root
echo 1 > a.py; git commit -qam 'Sums are "right"'
echo 0 > a.py; git commit -qam 'Revert "Sums are "right""'
echo 2 > a.py; git commit -qam 'the same file'
echo 0 > b.py; git add -A; git commit -qm 'another file'
`)
	repo, log := historytest.Read(t, dir)
	f := NewFinder(repo, log, false, "")
	older := log[3].ID
	for subject, want := range map[string]string{
		`Revert "Sums are "right""`:                            "",
		`Revert "Revert "Sums are "right"""`:                   older,
		`Revert "Revert "Revert "Sums are "right""""`:          "",
		`Revert "Revert "Revert "Revert "Sums are "right"""""`: older,
		`Reapply "Sums are "right""`:                           older,
		`Reapply "Revert "Sums are "right"""`:                  "",
		`Reapply "Reapply "Sums are "right"""`:                 older,
		`Reapply "Another"`:                                    "",
		`Sums are "right"`:                                     "",
		`Revert Sums`:                                          "",
	} {
		e := log[1]
		e.Message = subject
		if got := f.reapplied(t.Context(), e); got != want {
			t.Errorf("%s: %q, want %q", subject, got, want)
		}
	}
	e := log[0]
	e.Message = `Reapply "Sums are "right""`
	if got := f.reapplied(t.Context(), e); got != "" {
		t.Error("it was done again in another file")
	}
	f.ranged, e.ID, e.Parents = true, log[1].ID, log[1].Parents
	if got := f.reapplied(t.Context(), e); got != "" {
		t.Error("a range is asked for, whatever it does")
	}
}
