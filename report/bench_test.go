package report_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"cookoff/report"
	"cookoff/report/formats"
	"cookoff/report/reporttest"
	"cookoff/trial"
	"cookoff/trial/trialtest"
)

// longJournal is a reader of a journal with any number of events: a plan, then
// the same trial again and again under other names. It holds one trial.
type longJournal struct {
	left    int // trials
	n       int
	trial   []byte
	pending []byte
}

// newLongJournal gives a journal of trials with so many steps, its bytes and its
// events.
func newLongJournal(tb testing.TB, trials, steps int) (j *longJournal, size int64, events int) {
	tb.Helper()
	j = &longJournal{left: trials, pending: trialtest.Lines(trial.Event{Seq: 1, Kind: trial.RunStarted, Run: &trial.Run{
		Schema: trial.Schema, ID: "r1", Models: []string{"a/b"}, Tasks: []string{"one"}, Confidence: 0.95}})}
	es := trialtest.OneTrial(steps)
	j.trial = trialtest.Lines(es...)
	return j, int64(len(j.pending) + trials*len(j.trial)), 1 + trials*len(es)
}

func (j *longJournal) Read(p []byte) (int, error) {
	if len(j.pending) == 0 {
		if j.left == 0 {
			return 0, io.EOF
		}
		j.left, j.n = j.left-1, j.n+1
		j.pending = bytes.ReplaceAll(j.trial, []byte(trialtest.Placeholder), fmt.Appendf(nil, "t%08d", j.n))
	}
	n := copy(p, j.pending)
	j.pending = j.pending[n:]
	return n, nil
}

// folded folds a journal without its transcripts, as every format but the page
// does.
func folded(tb testing.TB, r io.Reader) *report.Builder {
	tb.Helper()
	b := report.New()
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
	f := report.New()
	if _, err := trial.ReadFile(reporttest.Journal(b, "repeats"), f.Emit); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var out bytes.Buffer
		if err := formats.Table(&out, f.Report(), formats.Options{Width: 80}); err != nil {
			b.Fatal(err)
		}
	}
}
