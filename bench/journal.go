package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cookoff/trial"
	"cookoff/trial/trialtest"
)

// journal measures what reads a long journal.
func journal(b *bench) error {
	mb, err := b.number(0, 1024)
	if err != nil {
		return err
	}
	if _, err := writeJournal(b.dir, "20260101-000000-aaaaaa", int64(mb)<<20); err != nil {
		return err
	}
	begun := func(args ...string) (cost, error) { return command(b.dir, b.cookoff, args...).took() }
	first, err := begun("runs")
	if err != nil {
		return err
	}
	next, err := begun("runs")
	if err != nil {
		return err
	}
	table, err := begun("report", "--quiet")
	if err != nil {
		return err
	}
	c := command(b.dir, b.cookoff, "report", "--format", "html", "-o", filepath.Join(b.dir, "page.html"))
	page, err := c.took()
	if err != nil {
		return err
	}
	fmt.Printf("%d MB\nruns, first  %v\nruns, next   %v\n"+
		"report       %v\nits page     %v: %s of report, %d MiB of memory\n",
		mb, first, next, table, page, page.over(table), peak(c.ProcessState)>>20)
	return nil
}

// writeJournal writes a finished run with trials of 60 steps until its journal has
// so many bytes.
func writeJournal(dir, id string, size int64) (path string, err error) {
	path = filepath.Join(trial.RunsDir(dir), id, trial.JournalFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	one := trialtest.OneTrial(60)
	start, rest := one[0], trialtest.Lines(one[1:]...)
	n := max(int(size/int64(len(rest))), 1)
	begun := trial.Event{Seq: 1, Kind: trial.RunStarted, At: time.Unix(0, 0).UTC(), Run: &trial.Run{
		Schema: trial.Schema, ID: id, Recipe: "bench", Models: []string{"a/b"}, Tasks: []string{"one"},
		Confidence: 0.95}}
	for i := range n {
		begun.Run.Trials = append(begun.Run.Trials, trial.Trial{ID: fmt.Sprintf("t%08d", i+1),
			Model: "a/b", Task: "one", N: i + 1})
	}
	w.Write(trialtest.Lines(begun))
	for i := range begun.Run.Trials {
		start.Start = &begun.Run.Trials[i]
		start.Trial = start.Start.ID
		w.Write(trialtest.Lines(start))
		w.Write(bytes.ReplaceAll(rest, []byte(trialtest.Placeholder), []byte(start.Trial)))
	}
	w.Write(trialtest.Lines(trial.Event{Seq: 2, Kind: trial.RunFinished, At: time.Unix(60, 0).UTC(),
		End: &trial.End{Seconds: 60}}))
	return path, w.Flush()
}
