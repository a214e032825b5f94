package candidate

import (
	"testing"

	"cookoff/internal/history/historytest"
	"cookoff/internal/mine/lines"
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

// TestRedone: what was taken back and is done again line by line is the same fix, whatever it is called; done
// otherwise, it is another.
func TestRedone(t *testing.T) {
	dir := historytest.Made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
T=1700000000
c() { T=$((T+60)); git add -A; GIT_COMMITTER_DATE="$T +0000" git commit -qm "$@"; }
printf '%s\n' a b c d e f > a.py; c root
sed -i s/d/D/ a.py; c 'Sums are right'
first=$(git rev-parse HEAD)
sed -i s/D/d/ a.py; c 'Back out sums' -m "This reverts commit $first."
sed -i '1i new' a.py; c 'between'
sed -i s/d/D/ a.py; c 'Sums, second try'
sed -i s/D/d/ a.py; c 'Revert "Sums, second try"'
sed -i s/d/DD/ a.py; c 'Sums, third try'
`)
	repo, log := historytest.Read(t, dir)
	f := NewFinder(repo, log, false, "")
	for _, e := range log {
		want := ""
		if lines.First(e.Message) == "Sums, second try" {
			want = log[5].ID
		}
		if got := f.reapplied(t.Context(), e); got != want {
			t.Errorf("%s: %q, want %q", e.Message, got, want)
		}
	}
}
