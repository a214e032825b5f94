package mine

import (
	"path/filepath"
	"strings"
	"testing"

	"cookoff/internal/history/historytest"
	"cookoff/internal/mine/refusal"
)

// TestMaxLines: a fix that is longer than is wanted is no candidate, and the next search, which wants it, looks at it.
func TestMaxLines(t *testing.T) {
	dir := historytest.Made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
echo 0 | tee a.py > test_a.py; git add -A; git commit -qm root
seq 1 30 | tee a.py >> test_a.py; git commit -qam long
echo 4 | tee -a a.py >> test_a.py; git commit -qam short`)
	o := Options{Dir: dir, Test: "x", Files: filepath.Join(dir, "m.files"),
		Record: filepath.Join(t.TempDir(), "r", "found"), MaxLines: 10}
	for range 2 {
		res, err := Mine(t.Context(), o, bare{t}, nil)
		if err != nil || len(res.Found) != 3 {
			t.Fatalf("%v, %+v", err, res)
		}
		short, long := res.Found[0], res.Found[1]
		if !short.Candidate || short.Reason == refusal.TooLarge {
			t.Errorf("short: %+v", short)
		}
		if o.MaxLines > 0 && (long.Candidate || long.Detail != "its fix has 31 lines (--max-lines 10)") ||
			o.MaxLines == 0 && !long.Candidate {
			t.Errorf("at most %d: %+v", o.MaxLines, long)
		}
		o.MaxLines = 0
	}
	found := &Found{Task: &Task{Lines: 11}}
	if f := (Options{MaxLines: 10}).wanted(found); f.Task != nil || f.Reason != refusal.TooLarge || found.Task == nil {
		t.Errorf("of an earlier search: %+v", f)
	}
	if f := o.wanted(found); f != found {
		t.Errorf("any number: %+v", f)
	}
}

func TestSizeOf(t *testing.T) {
	for n, want := range map[int]string{0: "small", 10: "small", 11: "medium", 50: "medium", 200: "large", 201: "huge"} {
		if got, _ := strings.CutPrefix(sizeOf(n), "size-"); got != want {
			t.Errorf("%d lines: %s", n, got)
		}
	}
}
