package report_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/report/reporttest"
	"cookoff/trial"
)

// damages are ways in which a journal gets broken: by machines that lose their power,
// disks, copies and hands. Each gives lines, or nil where it changes nothing; at is
// a line, to is another, other is a journal of another run.
var damages = map[string]func(lines, other [][]byte, at, to int) [][]byte{
	"repeated": func(lines, _ [][]byte, at, _ int) [][]byte { return slices.Insert(lines, at, lines[at]) },
	"repeated elsewhere": func(lines, _ [][]byte, at, to int) [][]byte {
		return slices.Insert(lines, max(at, to)+1, lines[min(at, to)])
	},
	"swapped": func(lines, _ [][]byte, at, to int) [][]byte {
		lines[at], lines[to] = lines[to], lines[at]
		return lines
	},
	"moved down": func(lines, _ [][]byte, at, _ int) [][]byte {
		to := min(at+1, len(lines)-1)
		lines[at], lines[to] = lines[to], lines[at]
		return lines
	},
	"missing":  func(lines, _ [][]byte, at, _ int) [][]byte { return slices.Delete(lines, at, at+1) },
	"cut":      func(lines, _ [][]byte, at, _ int) [][]byte { return lines[:at+1] },
	"torn":     func(lines, _ [][]byte, at, _ int) [][]byte { return append(lines[:at], lines[at][:len(lines[at])/2]) },
	"a hole":   func(lines, _ [][]byte, at, to int) [][]byte { return slices.Delete(lines, min(at, to), max(at, to)) },
	"kindless": func(lines, _ [][]byte, at, _ int) [][]byte { return slices.Insert(lines, at, []byte("{}\n")) },
	"NULs": func(lines, _ [][]byte, at, _ int) [][]byte {
		lines[at] = append(bytes.Repeat([]byte{0}, len(lines[at])-1), '\n')
		return lines
	},
	"half NULs": func(lines, _ [][]byte, at, _ int) [][]byte {
		half := len(lines[at]) / 2
		lines[at] = slices.Concat(lines[at][:half], bytes.Repeat([]byte{0}, len(lines[at])-half-1), []byte("\n"))
		return lines
	},
	"two in one": func(lines, _ [][]byte, at, _ int) [][]byte {
		lines[at] = lines[at][:len(lines[at])/2]
		return lines
	},
	"of another run": func(lines, other [][]byte, at, to int) [][]byte {
		return slices.Insert(lines, at, other[to%len(other)])
	},
}

// reading is what a journal says, and by how it was read.
type reading struct {
	*report.Report
	torn bool
	err  error
}

func foldFile(path string, read func(string, func(trial.Event) error) (bool, error)) (f reading) {
	b := report.New()
	f.torn, f.err = read(path, b.Emit)
	f.Report = b.Report()
	return f
}

// said are the outcomes of trials, by their ids.
func (f reading) said() map[string]string {
	out := map[string]string{}
	for _, t := range f.Trials {
		out[t.ID] = fmt.Sprint(t.Model, t.Task, t.N, t.Attempt, t.Outcome.Status, t.Outcome.Cause, t.Outcome.Steps,
			t.Outcome.Seconds)
		if c := t.SpentUSD; c != nil {
			out[t.ID] += fmt.Sprint(*c)
		}
	}
	return out
}

// TestDamagedJournals: whatever befalls lines of a journal, no other table is made of
// it in silence. It is refused, or a trial is missing that the report says is not
// done; and with --ignore-corrupt each trial is what it was, void for its damage, or
// not done.
func TestDamagedJournals(t *testing.T) {
	other, err := os.ReadFile(reporttest.Journal(t, "repeats"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(reporttest.Journal(t, "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	split := func(b []byte) [][]byte { return slices.DeleteFunc(bytes.SplitAfter(b, []byte("\n")), isEmpty) }
	want := foldFile(reporttest.Journal(t, "mixed"), trial.OutlineFile)
	every := 11 // lines; 1 takes half a minute
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	for name, damage := range damages {
		chance := rand.New(rand.NewPCG(1, 2))
		for at := len(name) % every; at < len(split(text)); at += every {
			lines := split(text)
			lines = damage(lines, split(other), at, chance.IntN(len(lines)))
			if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
				t.Fatal(err)
			}
			if bad := misread(path, want); bad != "" {
				t.Errorf("%s at line %d: %s", name, at+1, bad)
			}
		}
	}
}

func isEmpty(b []byte) bool { return len(b) == 0 }

// misread says how a damaged journal is told for another one; "": it is not.
func misread(path string, want reading) string {
	out, all := foldFile(path, trial.OutlineFile), foldFile(path, trial.ReadFile)
	if (out.err == nil) != (all.err == nil) {
		return fmt.Sprintf("read whole: %v; in outline: %v", all.err, out.err)
	}
	var damage trial.Damage
	mended := foldFile(path, func(path string, each func(trial.Event) error) (_ bool, err error) {
		damage, err = trial.ReadDamaged(path, each)
		return false, err
	})
	if out.err == nil {
		if bad := differs(out, want, false); bad != "" {
			return "not refused: " + bad
		}
	}
	if len(damage.Lines)+len(damage.Repeated)+len(damage.Trials) == 0 && out.err != nil {
		return fmt.Sprintf("refused, and --ignore-corrupt finds no damage: %v", out.err)
	}
	if bad := differs(mended, want, true); bad != "" {
		return "with --ignore-corrupt: " + bad
	}
	return ""
}

// differs says how a table differs in what counts.
func differs(got, want reading, damaged bool) string {
	w, g, pending := want.said(), got.said(), len(want.Pending)
	for _, t := range got.Trials {
		told := g[t.ID]
		switch {
		case told == w[t.ID]:
		case damaged && t.SpentUSD == nil && strings.HasPrefix(w[t.ID], told): // what an earlier attempt cost is lost
		case damaged && t.Outcome.Status == trial.Void && strings.HasPrefix(t.Outcome.Detail, "its record is damaged"):
		default:
			return fmt.Sprintf("trial %s is %s, was %s", t.ID, told, w[t.ID])
		}
	}
	if got.Run.ID != "" && len(got.Trials)+len(got.Pending) != len(w)+pending {
		return fmt.Sprintf("%d trials and %d that are not done of %d", len(got.Trials), len(got.Pending),
			len(w)+pending)
	}
	return ""
}

// TestManyBadLines: a file of nothing but bad lines is refused before it fills the memory.
func TestManyBadLines(t *testing.T) {
	for name, line := range map[string]string{"no events": "{}\n", "no JSON": "x\n"} {
		path := filepath.Join(t.TempDir(), "journal.jsonl")
		if err := os.WriteFile(path, []byte(strings.Repeat(line, 200_000)), 0o600); err != nil {
			t.Fatal(err)
		}
		damage, err := trial.ReadDamaged(path, func(trial.Event) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "no journal of a run") || len(damage.Lines) > 100_001 {
			t.Errorf("%s: %d lines, %v", name, len(damage.Lines), err)
		}
	}
}
