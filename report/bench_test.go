package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/trial"
)

// longJournal is a reader of a journal with any number of events: a plan, then
// the same trial again and again under other names. It holds one trial.
type longJournal struct {
	left    int // trials
	n       int
	trial   []byte
	pending []byte
}

const placeholder = "t00000000"

// newLongJournal gives a journal of trials with so many steps, its bytes and its
// events.
func newLongJournal(tb testing.TB, trials, steps int) (j *longJournal, size int64, events int) {
	tb.Helper()
	j = &longJournal{left: trials, pending: lines(tb, trial.Event{Seq: 1, Kind: trial.RunStarted, Run: &trial.Run{
		Schema: trial.Schema, ID: "r1", Models: []string{"a/b"}, Tasks: []string{"one"}, Confidence: 0.95}})}
	es := oneTrial(steps)
	j.trial = lines(tb, es...)
	return j, int64(len(j.pending) + trials*len(j.trial)), 1 + trials*len(es)
}

func lines(tb testing.TB, es ...trial.Event) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range es {
		if err := enc.Encode(e); err != nil {
			tb.Fatal(err)
		}
	}
	return b.Bytes()
}

// oneTrial is what a trial of that many steps leaves in a journal; its texts are
// about as long and as full of quotes as those of real ones.
func oneTrial(steps int) []trial.Event {
	es := []trial.Event{{Kind: trial.TrialStarted, Start: &trial.Trial{ID: placeholder, Model: "a/b", Task: "one", N: 1}}}
	out := strings.Repeat("-rw-r--r-- 1 dev dev  4096 \"app.conf\"\n", 12)
	for i := 1; i <= steps; i++ {
		id, args := fmt.Sprintf("call_%d", i), `{"command":"ls -la /home/dev && cat \"app.conf\""}`
		es = append(es,
			trial.Event{Kind: trial.ModelCalled, Step: i, Called: &trial.Called{New: []model.Message{{Role: model.ToolRole, CallID: id, Content: out}}}},
			trial.Event{Kind: trial.ModelReplied, Step: i, Replied: &trial.Replied{CostUSD: new(0.001), Seconds: 1.5, Reply: model.Reply{
				Message: model.Message{Role: model.Assistant, Content: "I look at what lies in the directory, then at the configuration.", Calls: []model.Call{{ID: id, Name: "shell", Arguments: args}}},
				Usage:   model.Usage{Input: 2000, Output: 50, Known: true}, Served: "b-2026"}}},
			trial.Event{Kind: trial.ToolCalled, Step: i, Tool: &trial.Tool{CallID: id, Name: "shell", Args: json.RawMessage(args)}},
			trial.Event{Kind: trial.ToolReturned, Step: i, Returned: &trial.Returned{CallID: id, Name: "shell", Text: out, Seconds: 0.1}})
	}
	es = append(es, trial.Event{Kind: trial.Judged, Verdicts: []trial.Verdict{{Check: "after", Status: trial.Held}}},
		trial.Event{Kind: trial.TrialFinished, Outcome: &trial.Outcome{Status: trial.Pass, Stop: trial.StopDone, Steps: steps, CostUSD: new(0.001 * float64(steps)),
			Usage: model.Usage{Input: 2000 * steps, Output: 50 * steps, Known: true}, Verdicts: []trial.Verdict{{Check: "after", Status: trial.Held}}}})
	for i := range es {
		es[i].Seq, es[i].At, es[i].Trial, es[i].Attempt = i+1, time.Unix(int64(i), 0).UTC(), placeholder, 1
	}
	return es
}

func (j *longJournal) Read(p []byte) (int, error) {
	if len(j.pending) == 0 {
		if j.left == 0 {
			return 0, io.EOF
		}
		j.left, j.n = j.left-1, j.n+1
		j.pending = bytes.ReplaceAll(j.trial, []byte(placeholder), fmt.Appendf(nil, "t%08d", j.n))
	}
	n := copy(p, j.pending)
	j.pending = j.pending[n:]
	return n, nil
}

// folded folds a journal without its transcripts, as every format but the page
// does.
func folded(tb testing.TB, r io.Reader) *Builder {
	tb.Helper()
	b := New()
	if _, err := trial.Outline(r, b.Emit); err != nil {
		tb.Fatal(err)
	}
	return b
}

// scanned is the least that reading JSON could cost: encoding/json looking at
// the same bytes, line by line.
func scanned(tb testing.TB, r io.Reader) {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<20), 1<<20)
	for s.Scan() {
		if !json.Valid(s.Bytes()) {
			tb.Fatal("no JSON")
		}
	}
}

// BenchmarkFoldAMillion folds a journal of 1,000,000 events, in turn with
// encoding/json scanning the same bytes: promised are 200 MB/s, or three times
// the scanner's time at most.
func BenchmarkFoldAMillion(b *testing.B) {
	var fold, scan time.Duration
	var size int64
	var events int
	const trials, steps = 4149, 60 // of 241 events each, 3 more a trial
	for b.Loop() {
		j, _, _ := newLongJournal(b, trials, steps)
		start := time.Now()
		r := folded(b, j)
		fold += time.Since(start)
		if got := len(r.Report().Trials); got != trials {
			b.Fatalf("%d trials", got)
		}
		j, size, events = newLongJournal(b, trials, steps)
		start = time.Now()
		scanned(b, j)
		scan += time.Since(start)
	}
	if events < 1_000_000 {
		b.Fatalf("only %d events", events)
	}
	all := float64(size) * float64(b.N) / 1e6
	b.ReportMetric(all/fold.Seconds(), "fold-MB/s")
	b.ReportMetric(all/scan.Seconds(), "scan-MB/s")
	b.ReportMetric(fold.Seconds()/scan.Seconds(), "fold/scan")
	b.ReportMetric(0, "ns/op")
}

// held is how much memory a fold holds when it is done.
func held(tb testing.TB, trials, steps int) int64 {
	var before, after runtime.MemStats
	j, _, _ := newLongJournal(tb, trials, steps)
	runtime.GC()
	runtime.ReadMemStats(&before)
	b := folded(tb, j)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(b)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

func TestMemoryIsBoundedByTrialsNotByEvents(t *testing.T) {
	few, many := held(t, 200, 2), held(t, 200, 200)
	if many > 2*few+64<<10 {
		t.Errorf("200 trials hold %d bytes with 2 steps each, %d with 200", few, many)
	}
}

// BenchmarkReport makes the numbers and prints the table: what a terminal that
// shows a run live pays each time.
func BenchmarkReport(b *testing.B) {
	f := New()
	if _, err := trial.ReadFile(journal("repeats"), f.Emit); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var out bytes.Buffer
		if err := Table(&out, f.Report(), Options{Width: 80}); err != nil {
			b.Fatal(err)
		}
	}
}
