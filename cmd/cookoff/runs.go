package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/screen"
	"cookoff/report"
	"cookoff/trial"
)

// runInfo is one line of "runs"; keys of its JSON are only added.
type runInfo struct {
	ID       string     `json:"id"`
	State    string     `json:"state"` // finished, interrupted, broken, unended, unreadable
	When     time.Time  `json:"when,omitzero"`
	Recipe   string     `json:"recipe,omitempty"`
	Finished int        `json:"finished"` // trials
	Planned  int        `json:"planned"`
	Models   []runModel `json:"models,omitempty"`
	Error    string     `json:"error,omitempty"`
}

type runModel struct {
	Model string `json:"model"`
	Pass  int    `json:"pass"`
	Fail  int    `json:"fail"`
	Void  int    `json:"void"`
}

func (a *app) runsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of this project",
		Long:  "Lists the runs whose journals lie in .cookoff/runs, the latest last: state, recipe, trials and fixes by model.",
		Example: `  cookoff runs
  cookoff runs --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if err := cli.OneOf("format", format, "table", "json"); err != nil {
				return err
			}
			ids, err := trial.Runs(a.Dir)
			if err != nil {
				return cli.Fail(cli.ExitInfra, err)
			}
			infos := make([]runInfo, len(ids))
			for i, id := range ids {
				infos[i] = a.runInfo(id)
			}
			if format == "json" {
				return a.PrintJSON(infos)
			}
			if len(infos) == 0 {
				a.Say("no runs in %s\n  hint: cookoff run makes one", trial.RunsDir(a.Dir))
				return nil
			}
			return a.printRuns(infos)
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	return cmd
}

// runInfo sums up one run. A journal that can't be read is a line of the list,
// not the end of it.
func (a *app) runInfo(id string) runInfo {
	path, err := trial.FindRun(a.Dir, id)
	if err != nil {
		return runInfo{ID: id, State: "unreadable", Error: err.Error()}
	}
	if info, ok := readSummary(path); ok && info.ID == id {
		return info
	}
	before, err := markOf(path)
	if err != nil {
		return runInfo{ID: id, State: "unreadable", Error: err.Error()}
	}
	info := readInfo(id, path)
	if info.State == string(report.Finished) || info.State == string(report.Spent) || info.State == string(report.Broken) {
		_ = writeSummary(path, before, info) // a directory that can't be written to only costs time
	}
	return info
}

// readInfo sums up a run by reading its journal.
func readInfo(id, path string) runInfo {
	b := report.New()
	if _, err := trial.OutlineFile(path, b.Emit); err != nil {
		return runInfo{ID: id, State: "unreadable", Error: err.Error()}
	}
	return infoOf(id, b.Report())
}

func infoOf(id string, r *report.Report) runInfo {
	info := runInfo{ID: id, State: string(r.State), When: r.Begun, Recipe: r.Run.Recipe, Finished: len(r.Trials), Planned: len(r.Trials) + len(r.Pending), Error: r.Error}
	for _, m := range r.Models {
		info.Models = append(info.Models, runModel{m.Name, m.Pass, m.Fail, m.Void})
	}
	return info
}

func (a *app) printRuns(infos []runInfo) error {
	w := a.newTable()
	w.keep, w.below = 4, true
	w.row("RUN", "STARTED", "STATE", "TRIALS", "RECIPE", "FIXED")
	for _, i := range infos {
		when := "-"
		if !i.When.IsZero() {
			when = i.When.Local().Format("2006-01-02 15:04")
		}
		var fixed []string
		for _, m := range i.Models {
			s := fmt.Sprintf("%s %d/%d", m.Model, m.Pass, m.Pass+m.Fail)
			if m.Void > 0 {
				s += fmt.Sprintf(" (%d void)", m.Void)
			}
			fixed = append(fixed, s)
		}
		w.row(i.ID, when, i.State, fmt.Sprintf("%d/%d", i.Finished, i.Planned), screen.Cut(screen.Clean(i.Recipe), 40), strings.Join(fixed, ", "))
	}
	return cli.Written(w.flush())
}
