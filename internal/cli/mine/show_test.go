package mine

import (
	"io"
	"strings"
	"testing"
	"time"

	"cookoff/internal/cli"
	"cookoff/internal/mine"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/plant"
	"cookoff/internal/ui/screen"
)

// TestNow: a line says first which tests run, and how long they take where that is long.
func TestNow(t *testing.T) {
	for want, p := range map[string]mine.Progress{
		"0123456789 Wrong sum": {Now: "0123456789 Wrong sum"},
		"tests with the fix: 0123456789 Wrong sum": {Now: "0123456789 Wrong sum",
			Step: "tests with the fix"},
		"tests with a fault in the fix, 1 of 4 (17s a run): 0123 Wrong": {Now: "0123 Wrong",
			Step: "tests with a fault in the fix, 1 of 4", Takes: 17*time.Second + 1},
		"the referee proves it: 0123 Wrong": {Now: "0123 Wrong",
			Step: "the referee proves it", Takes: time.Second},
	} {
		if got := now(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestFar: what is said each minute where no line of a terminal shows it.
func TestFar(t *testing.T) {
	s := &shown{}
	s.start(&cli.Common{Err: screen.Stream{Writer: io.Discard}, Getenv: func(string) string { return "" }},
		"reading the history")
	defer s.finish()
	if got, want := s.sayFar(time.Minute), "reading the history"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.tell(mine.Progress{Seen: 3, Of: 9, Candidates: 2, Now: "0123456789 Wrong sum", Step: "tests with the fix"})
	want := "3 of 9 commits, 2 candidates, 0 tasks; tests with the fix: 0123456789 Wrong sum"
	if got := s.sayFar(2 * time.Minute); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFarOfPlanting: what is said each minute of planting, also while a task is proved.
func TestFarOfPlanting(t *testing.T) {
	s := &shown{}
	s.start(&cli.Common{Err: screen.Stream{Writer: io.Discard}, Getenv: func(string) string { return "" }}, "")
	defer s.finish()
	s.planted("a.go:1: constant", "noticed", plant.Tried{Planted: 2, Killed: 1, Survived: 1})
	const line = "2 faults planted, 1 noticed, 1 survived"
	if got := s.sayFar(time.Minute); got != line {
		t.Errorf("%q, want %q", got, line)
	}
	for range 2 {
		s.proves()
		if got, want := s.sayFar(time.Minute), line+"; the referee proves one"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWithoutMessage: a commit without a message is named as its task is.
func TestWithoutMessage(t *testing.T) {
	var errs strings.Builder
	s := &shown{}
	s.start(&cli.Common{Err: screen.Stream{Writer: &errs}, Verbose: true, Getenv: func(string) string { return "" }}, "")
	defer s.finish()
	s.tell(mine.Progress{Found: &mine.Found{Commit: "0123456789ab", Candidate: true, Reason: refusal.Flaky}})
	if !strings.Contains(errs.String(), "not 0123456789 no message: ") {
		t.Error(errs.String())
	}
}

// TestTelling: with --verbose it is said of each commit why it is no task, but of those that change no tests, or
// nothing else.
func TestTelling(t *testing.T) {
	for reason, want := range map[refusal.Reason]bool{refusal.NotBoth: false, refusal.NoParent: false,
		refusal.TooLarge: true, refusal.Again: true, refusal.Submodule: true} {
		if got := telling(&mine.Found{Reason: reason}); got != want {
			t.Errorf("%s: %v", reason, got)
		}
	}
	if !telling(&mine.Found{Candidate: true, Reason: refusal.Flaky}) {
		t.Error("a candidate is not told of")
	}
}
