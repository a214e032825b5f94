package progress

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/trial"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func start() time.Time { return time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC) }

// recorded is a run of four trials, two at once, as a journal would hold it:
// one void that is tried again, one model that writes to the terminal.
func recorded() []trial.Event {
	trials := []trial.Trial{
		{ID: "t001", Model: "baseline/noop", Task: "Port 8080 is taken", N: 1},
		{ID: "t002", Model: "openai/\x1b[31mred", Task: "Port 8080 is taken", N: 1},
		{ID: "t003", Model: "baseline/noop",
			Task: "日本語のタスク: the name of this task is far too long for one column of a table",
			N:    2},
		{ID: "t004", Model: "openai/\x1b[31mred", Task: "Go is on the wrong version", N: 1},
	}
	var out []trial.Event
	add := func(sec int, e trial.Event) {
		e.At = start().Add(time.Duration(sec) * time.Second)
		out = append(out, e)
	}
	begin := func(sec, i, attempt int) {
		add(sec, trial.Event{Kind: trial.TrialStarted, Trial: trials[i].ID, Attempt: attempt, Start: &trials[i]})
	}
	end := func(sec, i int, o trial.Outcome) {
		add(sec, trial.Event{Kind: trial.TrialFinished, Trial: trials[i].ID, Outcome: &o})
	}
	add(0, trial.Event{Kind: trial.RunStarted, Run: &trial.Run{ID: "20261121-080000-abc", Trials: trials, Parallel: 2}})
	begin(0, 0, 1)
	begin(0, 1, 1)
	add(1, trial.Event{Kind: trial.ModelCalled, Trial: "t001", Step: 1})
	add(1, trial.Event{Kind: trial.ModelCalled, Trial: "t002", Step: 1})
	add(2, trial.Event{Kind: trial.ToolCalled, Trial: "t002", Step: 1,
		Tool: &trial.Tool{Name: "bash", Args: json.RawMessage(`{"command":"printf '\u001b[2J'\nrm -rf build"}`)}})
	add(2, trial.Event{Kind: trial.ModelReplied, Trial: "t001", Step: 1,
		Replied: &trial.Replied{Reply: model.Reply{Message: model.Message{Content: "done"}}}})
	end(3, 0, trial.Outcome{Status: trial.Fail, Cause: trial.CauseGaveUp, Detail: "after: exit 1", Steps: 1,
		Seconds: trial.Seconds{Agent: 2}})
	begin(3, 2, 1)
	end(4, 2, trial.Outcome{Status: trial.Void, Cause: trial.CauseStaging, Detail: "setup: exit 7"})
	begin(65, 2, 2)
	add(66, trial.Event{Kind: trial.ModelCalled, Trial: "t003", Attempt: 2, Step: 1})
	add(66, trial.Event{Kind: trial.Note, Trial: "t003", Attempt: 2,
		Note: &trial.NoteText{Kind: "retried", Text: "status 429", Wait: 20}})
	end(70, 1, trial.Outcome{Status: trial.Pass, Steps: 4, Seconds: trial.Seconds{Agent: 69}})
	add(70, trial.Event{Kind: "later.kind", Trial: "t003"})
	return out
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, d)
	}
}

func TestFrames(t *testing.T) {
	var b strings.Builder
	v := NewView()
	for i, e := range recorded() {
		v.Apply(e)
		fmt.Fprintf(&b, "-- %d %s\n", i, e.Kind)
		for _, l := range v.Frame(e.At, screen.Stream{}, 100, 24) {
			fmt.Fprintln(&b, l)
		}
	}
	golden(t, "frames.txt", b.String())
}

// TestFramesFit holds every frame to the terminal's width and height, and
// keeps what models and recipes wrote from reaching it raw.
func TestFramesFit(t *testing.T) {
	v := NewView()
	for _, e := range recorded() {
		v.Apply(e)
		for columns := 1; columns < 130; columns++ {
			for rows := 2; rows < 6; rows++ {
				frame := v.Frame(e.At, screen.Stream{}, columns, rows)
				if len(frame) > rows {
					t.Fatalf("%d lines in %d rows: %q", len(frame), rows, frame)
				}
				for _, l := range frame {
					if w := text.Width(l); w > columns {
						t.Fatalf("%d columns in %d: %q", w, columns, l)
					}
					if strings.ContainsAny(l, "\x1b\n\r\t") {
						t.Fatalf("raw control character in %q", l)
					}
				}
			}
		}
	}
}

func TestPlainLines(t *testing.T) {
	var b bytes.Buffer
	d := Start(screen.Stream{Writer: &b}, Plain, nil)
	for _, e := range recorded() {
		d.Emit(e)
	}
	d.Stop()
	golden(t, "plain.txt", b.String())
}

func TestQuiet(t *testing.T) {
	var b bytes.Buffer
	d := Start(screen.Stream{Writer: &b}, Quiet, nil)
	for _, e := range recorded() {
		d.Emit(e)
	}
	d.Say("stopping\a")
	d.Stop()
	if got := b.String(); got != "stopping\\a\n" {
		t.Errorf("quiet wrote %q", got)
	}
}

// stuck is a terminal that takes nothing until it is let go.
type stuck struct{ free chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.free
	return len(p), nil
}

// TestNeverBlocks emits a run at a terminal that is stopped.
func TestNeverBlocks(t *testing.T) {
	s := stuck{make(chan struct{})}
	d := Start(screen.Stream{Writer: s}, Plain, nil)
	for range 100 {
		for _, e := range recorded() {
			if err := d.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(s.free)
	d.Stop()
}

// gone is a viewer that has hung up.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestViewerGone(t *testing.T) {
	d := Start(screen.Stream{Writer: gone{}}, Live, start)
	for _, e := range recorded() {
		if err := d.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	d.Stop()
}

// tv plays back what was written to a terminal.
type tv struct {
	mu    sync.Mutex
	lines []string
	row   int
	seen  chan struct{} // one for each write
}

func (s *tv) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := string(p)
	if up, rest, ok := strings.Cut(text, "A"); ok && strings.HasPrefix(up, "\r\x1b[") { // \r: a ^C may have been echoed

		var n int
		fmt.Sscanf(up, "\r\x1b[%d", &n)
		s.row, text = s.row-n, rest
	}
	text, erase := strings.CutSuffix(text, "\x1b[J")
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\x1b[K")
		s.lines = append(s.lines[:min(s.row, len(s.lines))], append([]string{l}, s.lines[min(s.row+1, len(s.lines)):]...)...)
		s.row++
	}
	if erase {
		s.lines = s.lines[:s.row]
	}
	select {
	case s.seen <- struct{}{}:
	default:
	}
	return len(p), nil
}

// TestLive watches frames replace each other, and the last one go away.
func TestLive(t *testing.T) {
	s := &tv{seen: make(chan struct{}, 1)}
	d := Start(screen.Stream{Writer: s}, Full, func() time.Time { return start().Add(70 * time.Second) })
	for _, e := range recorded() {
		d.Emit(e)
	}
	for {
		<-s.seen
		s.mu.Lock()
		text := strings.Join(s.lines, "\n")
		s.mu.Unlock()
		if strings.Contains(text, "2/4 trials, 1 fixed, 1 not fixed") {
			break
		}
	}
	d.Stop()
	want, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	waits := regexp.MustCompile("(?m)^waiting until .*\n") // the screen shows them while they last
	if got := strings.Join(s.lines, "\n") + "\n"; got != waits.ReplaceAllString(string(want), "") {
		t.Errorf("left on the screen: %q", got)
	}
}

// TestBrief: in a pipe a line says that the run begins, one each time a tenth
// more is done or a minute has passed, what is waited for, and what a provider
// that is down is asked and when.
func TestBrief(t *testing.T) {
	var b strings.Builder
	now := start()
	d := Start(screen.Stream{Writer: &b}, Brief, func() time.Time { return now })
	d.Admitting(0, 2)
	d.Proving("mend it", "the broken state")
	d.Proving("mend it", "the solution")
	for _, at := range []time.Duration{14, 15, 29, 30, 59, 61, 119, 121} {
		now = start().Add(at * time.Second)
		d.Admitting(1, 2)
	}
	d.Proving("mend it", "")
	d.Admitting(2, 2)
	emit := func(e trial.Event) {
		t.Helper()
		e.At = now
		if err := d.Emit(e); err != nil {
			t.Error(err)
		}
	}
	trials := make([]trial.Trial, 40)
	for i := range trials {
		trials[i] = trial.Trial{ID: fmt.Sprintf("t%03d", i+1), Model: "acme/one", Task: "mend it", N: 1}
	}
	emit(trial.Event{Kind: trial.RunStarted, Run: &trial.Run{ID: "r", Trials: trials}})
	for i := range 9 {
		emit(trial.Event{Kind: trial.TrialStarted, Trial: trials[i].ID, Start: &trials[i]})
		now = now.Add(5 * time.Second)
		if i < 8 {
			emit(trial.Event{Kind: trial.TrialFinished, Trial: trials[i].ID, Outcome: &trial.Outcome{Status: trial.Pass}})
		}
	}
	now = now.Add(70 * time.Second)
	emit(trial.Event{Kind: trial.ModelCalled, Trial: "t009", Step: 3})
	emit(trial.Event{Kind: trial.Note, Trial: "t009",
		Note: &trial.NoteText{Kind: trial.ProviderDown, Text: "asking acme/one: connection\nrefused; asked again in 8s",
			Wait: 8}})
	emit(trial.Event{Kind: trial.Note, Trial: "t009",
		Note: &trial.NoteText{Kind: trial.ProviderUp, Text: "acme answers again"}})
	until := now.Add(8 * time.Second).Local().Format(time.TimeOnly)
	for range 3 { // of many that wait at once one says why; a short wait is nobody's business
		emit(trial.Event{Kind: trial.Note, Trial: "t009",
			Note: &trial.NoteText{Kind: trial.Retried, Text: "status 429", Wait: 7}})
		emit(trial.Event{Kind: trial.Note, Trial: "t009",
			Note: &trial.NoteText{Kind: trial.Retried, Text: "status 500", Wait: 1}})
	}
	retried := now.Add(7 * time.Second).Local().Format(time.TimeOnly)
	d.Stop()
	want := []string{
		"proving 2 tasks, without a model",
		"proved 1 of 2 tasks  15s; under way: mend it: the solution, 15s",
		"proved 1 of 2 tasks  30s; under way: mend it: the solution, 30s",
		"proved 1 of 2 tasks  1m01s; under way: mend it: the solution, 1m01s",
		"proved 1 of 2 tasks  2m01s; under way: mend it: the solution, 2m01s",
		"0/40 trials  0s",
		"4/40 trials, 4 fixed  20s, about 3m00s left",
		"8/40 trials, 8 fixed  40s, about 2m40s left",
		"8/40 trials, 8 fixed  1m55s, about 7m40s left; under way: t009 acme/one on mend it, step 3, 1m15s",
		"waiting until " + until + `: asking acme/one: connection refused; asked again in 8s`,
		"acme answers again",
		"waiting until " + retried + ": status 429; asked again then",
	}
	if diff := cmp.Diff(strings.Join(want, "\n")+"\n", b.String()); diff != "" {
		t.Error(diff)
	}
}

// Tasks that were proven before are not said to be proven.
func TestProvenBefore(t *testing.T) {
	var b strings.Builder
	d := Start(screen.Stream{Writer: &b}, Brief, start)
	d.Admitting(0, 3)
	d.Admitting(2, 3)
	d.Proving("mend it", "the broken state")
	d.Proving("mend it", "")
	d.Admitting(3, 3)
	d.Stop()
	if got, want := b.String(), "proving 1 task, without a model\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// TestStoppedIsNotVoid: what an interrupt ended is said to be stopped; going on, it is not
// tried again for being void.
func TestStoppedIsNotVoid(t *testing.T) {
	v := NewView()
	v.Apply(trial.Event{Kind: trial.RunStarted, At: start(), Run: &trial.Run{Trials: make([]trial.Trial, 2)}})
	one := trial.Trial{ID: "t1"}
	v.Apply(trial.Event{Kind: trial.TrialStarted, Trial: "t1", Start: &one})
	v.Apply(trial.Event{Kind: trial.TrialFinished, Trial: "t1",
		Outcome: &trial.Outcome{Status: trial.Void, Cause: trial.CauseCancelled}})
	if got, want := v.summary(start()), "1/2 trials, 1 stopped  0s"; !strings.HasPrefix(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
	v.Apply(trial.Event{Kind: trial.TrialResumed, Trial: "t1", Start: &one})
	if got, want := v.summary(start()), "0/2 trials  0s"; !strings.HasPrefix(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
}
