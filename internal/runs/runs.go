// Package runs sums up recorded runs, each read once: the lines of "cookoff runs".
package runs

import (
	"errors"
	"fmt"
	"time"

	"cookoff/internal/faults"
	"cookoff/report"
	"cookoff/trial"
)

// Info is one line of "runs"; keys of its JSON are only added.
type Info struct {
	ID       string    `json:"id"`
	State    string    `json:"state"` // finished, interrupted, broken, unended, unreadable
	When     time.Time `json:"when,omitzero"`
	Recipe   string    `json:"recipe,omitempty"`
	Finished int       `json:"finished"` // trials
	Planned  int       `json:"planned"`
	Models   []Model   `json:"models,omitempty"`
	Error    string    `json:"error,omitempty"`
}

// Model is what came of one model in a run.
type Model struct {
	Model string `json:"model"`
	Pass  int    `json:"pass"`
	Fail  int    `json:"fail"`
	Void  int    `json:"void"`
}

// Find sums up the run of that id of the project in dir. A journal that can't be read is a line of the list,
// not the end of it.
func Find(dir, id string) Info {
	path, err := trial.FindRun(dir, id)
	if err != nil {
		return Info{ID: id, State: "unreadable", Error: err.Error()}
	}
	if info, ok := readSummary(path); ok && info.ID == id {
		return info
	}
	before, err := markOf(path)
	if err != nil {
		return Info{ID: id, State: "unreadable", Error: err.Error()}
	}
	info := readInfo(id, path)
	if keeps(info, before) {
		_ = writeSummary(path, before, info) // a directory that can't be written to only costs time
	}
	return info
}

// longJournal is from how many bytes on a journal is not read again for a run that
// may go on: what is stored of it counts for nothing once it does.
const longJournal = 4 << 20

// keeps says whether what was read of a journal is stored.
func keeps(info Info, of journalMark) bool {
	switch info.State {
	case string(report.Finished), string(report.Spent), string(report.Broken):
		return true
	case "unreadable":
		return false
	}
	return of.Size >= longJournal
}

// readInfo sums up a run by reading its journal.
func readInfo(id, path string) Info {
	b := report.New()
	if _, err := trial.OutlineFile(path, b.Emit); err != nil {
		return Info{ID: id, State: "unreadable", Error: err.Error()}
	}
	return Sum(id, b.Report())
}

// Sum sums up the run that a report is of.
func Sum(id string, r *report.Report) Info {
	info := Info{ID: id, State: string(r.State), When: r.Started, Recipe: r.Run.Recipe, Finished: len(r.Trials),
		Planned: len(r.Trials) + len(r.Pending), Error: r.Error}
	for _, m := range r.Models {
		info.Models = append(info.Models, Model{m.Name, m.Pass, m.Fail, m.Void})
	}
	return info
}

// Empty is the failure to read a journal that has no run: it was ended before its first
// trial, or emptied.
func Empty(path string) error { return faults.Machinef("reading %s: no run was recorded there", path) }

// Unreadable is the failure to read a journal: what is none was named by mistake.
func Unreadable(err error) error {
	if errors.Is(err, trial.ErrNoJournal) {
		return fmt.Errorf("%w\n  hint: cookoff runs lists the runs; a report stands for one only in JSON", err)
	}
	return faults.Of(err)
}
