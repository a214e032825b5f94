package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/stat"
	"cookoff/trial"
)

// Schema names the version of the JSON report. Keys are only ever added to it.
const Schema = "cookoff.report/1"

// JSON writes the report as one JSON document, indented, keys in the order of
// the schema. What is unknown or undefined is null. Characters that a terminal
// must not see stand as \u escapes.
func JSON(w io.Writer, r *report.Report) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(newJSON(r)); err != nil {
		return fmt.Errorf("writing the JSON report: %w", err)
	}
	_, err := w.Write(text.JSON(b.Bytes()))
	return err
}

type jsonReport struct {
	Schema     string         `json:"schema"`
	Run        string         `json:"run"`
	Recipe     jsonRecipe     `json:"recipe"`
	Seed       int64          `json:"seed"`
	State      report.State   `json:"state"`
	Answer     string         `json:"answer"`
	Seconds    *float64       `json:"seconds"`
	Baseline   string         `json:"baseline"`
	Confidence float64        `json:"confidence"`
	Parallel   int            `json:"parallel"`
	Prices     string         `json:"prices,omitempty"`
	CostUSD    *float64       `json:"cost_usd"`
	SpentUSD   *float64       `json:"spent_usd"`
	SpentNote  string         `json:"spent_note,omitempty"`
	Unsettled  *jsonUnsettled `json:"unsettled,omitempty"`
	Smallest   jsonSmallest   `json:"smallest_difference"`
	Models     []jsonModel    `json:"models"`
	// Contestants are those of the models that are no more than names.
	Contestants []trial.Contestant `json:"contestants,omitempty"`
	Tasks       []string           `json:"tasks"`
	Trials      []jsonTrial        `json:"trials"`
	Pending     []jsonPending      `json:"pending"`
	Excluded    []trial.Exclude    `json:"excluded"`
	Gates       []jsonGate         `json:"gates"`
	Warnings    []string           `json:"warnings"`
	// Flakes says how often trials of one contestant at a task ended differently.
	Flakes []jsonFlake `json:"flakes,omitempty"`
	// Spread is how far trials of one contestant at a task reach.
	Spread []jsonSpread `json:"spread,omitempty"`
	// Split is what was fixed of tasks from before a day and since, where a day was
	// asked for.
	Split *jsonSplit `json:"split,omitempty"`
	// Question is what the run was to decide before all its trials were tried, and
	// Decision how that ended.
	Question *trial.Question `json:"question,omitempty"`
	Decision *trial.Decision `json:"decision,omitempty"`
	// Cheats is what baseline/cheater came to, where it took part.
	Cheats *trial.Cheats `json:"cheats,omitempty"`
}

type jsonRecipe struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Source string `json:"source"`
	// Metadata are the labels that the recipe has of itself.
	Metadata *trial.Metadata `json:"metadata,omitempty"`
}

// jsonSplit is what contestants fixed of old tasks and of young ones.
type jsonSplit struct {
	At     string           `json:"at,omitempty"` // the first day of the young; "": contestants have their own alone
	Models []jsonSplitModel `json:"models"`
}

type jsonSplitModel struct {
	Model       string   `json:"model"`
	At          string   `json:"at,omitempty"` // where it is another day
	Before      *float64 `json:"before"`       // rates
	Since       *float64 `json:"since"`
	TasksBefore int      `json:"tasks_before"`
	TasksSince  int      `json:"tasks_since"`
	Undated     int      `json:"undated"`
	P           *float64 `json:"p"`
	Others      *float64 `json:"others"` // what others fixed since less what they fixed before
}

func newJSONSplit(r *report.Report) *jsonSplit {
	if r.Split.IsZero() && len(r.Cutoffs) == 0 {
		return nil
	}
	out := &jsonSplit{Models: []jsonSplitModel{}}
	if !r.Split.IsZero() {
		out.At = r.Split.Format(time.DateOnly)
	}
	for _, s := range r.SplitAt(r.Split) {
		own := ""
		if !s.At.Equal(r.Split) {
			own = s.At.Format(time.DateOnly)
		}
		out.Models = append(out.Models, jsonSplitModel{s.Model, own, finite(s.Before), finite(s.Since), s.TasksBefore,
			s.Tasks, s.Undated, finite(s.P), finite(s.Others)})
	}
	return out
}

// jsonFlake is the steadiness of a task.
type jsonFlake struct {
	Task  string  `json:"task"`
	Score float64 `json:"score"`
	Pairs int     `json:"pairs"`
}

type jsonSmallest struct {
	Diff   *float64 `json:"diff"`
	Needed int      `json:"tasks_needed"`
}

// jsonUnsettled is what requests may have cost whose end nobody heard of.
type jsonUnsettled struct {
	Requests int     `json:"requests"`
	USD      float64 `json:"usd"`     // at most, of those of which that is known
	Unknown  int     `json:"unknown"` // of the requests
}

func newJSONUnsettled(b trial.Bound) *jsonUnsettled {
	if b.Requests == 0 {
		return nil
	}
	return &jsonUnsettled{b.Requests, b.USD, b.Unknown}
}

type jsonModel struct {
	Model         string              `json:"model"`
	Pass          int                 `json:"pass"`
	Fail          int                 `json:"fail"`
	Void          int                 `json:"void"`
	Pending       int                 `json:"pending"`
	Rate          *float64            `json:"rate"`
	Interval      *[2]float64         `json:"interval"`
	VoidRates     *[2]float64         `json:"rate_if_void"`
	Delta         *jsonDelta          `json:"delta"`
	PassAtK       map[string]*float64 `json:"pass_at_k"`
	PassHatK      map[string]*float64 `json:"pass_hat_k"`
	Seconds       jsonSeconds         `json:"seconds"`
	Steps         int                 `json:"steps"`
	Tokens        *jsonTokens         `json:"tokens"`
	CostUSD       *float64            `json:"cost_usd"`
	CostPerFixUSD *float64            `json:"cost_per_fix_usd"`
	SpentUSD      *float64            `json:"spent_usd"`
	Unsettled     *jsonUnsettled      `json:"unsettled,omitempty"`
	Pareto        *bool               `json:"pareto"`
	Counters      trial.Counters      `json:"counters"`
	Causes        map[trial.Cause]int `json:"causes"`
	Served        []string            `json:"served"`
	Helpers       []string            `json:"helpers,omitempty"`
}

type jsonDelta struct {
	Baseline    string      `json:"baseline"`
	Tasks       int         `json:"tasks"`
	Diff        *float64    `json:"diff"`
	Interval    *[2]float64 `json:"interval"`
	P           *float64    `json:"p"`
	Test        string      `json:"test"`
	Significant bool        `json:"significant"`
}

type jsonSeconds struct {
	Median   *float64 `json:"median"`
	P90      *float64 `json:"p90"`
	Agent    *float64 `json:"agent"`
	Provider *float64 `json:"provider"`
	Tools    *float64 `json:"tools"`
	Wait     *float64 `json:"wait"`
	Judge    *float64 `json:"judge"`
}

type jsonTokens struct {
	Input     int `json:"input"`
	Output    int `json:"output"`
	Cached    int `json:"cached"`
	Reasoning int `json:"reasoning"`
}

type jsonTrial struct {
	Model    string          `json:"model"`
	Task     string          `json:"task"`
	Trial    int             `json:"trial"`
	Attempt  int             `json:"attempt"`
	ID       string          `json:"id"`
	Status   trial.Status    `json:"status"`
	Cause    trial.Cause     `json:"cause"`
	Stop     trial.Stop      `json:"stop"`
	Detail   string          `json:"detail"`
	Steps    int             `json:"steps"`
	Seconds  *float64        `json:"seconds"`
	CostUSD  *float64        `json:"cost_usd"`
	SpentUSD *float64        `json:"spent_usd"`
	Started  time.Time       `json:"started,omitzero"`
	Verdicts []jsonVerdict   `json:"verdicts"`
	Strength report.Strength `json:"strength,omitempty"` // that a pass rests on
	Changes  *int            `json:"changes"`
	// SideEffects are files that are new or changed beside the repair.
	SideEffects *trial.SideEffects `json:"side_effects,omitempty"`
	Cheats      *trial.Cheats      `json:"cheats,omitempty"` // of baseline/cheater
	Earlier     []jsonAttempt      `json:"earlier,omitempty"`
}

type jsonVerdict struct {
	Check    string              `json:"check"`
	Status   trial.VerdictStatus `json:"status"`
	Strength trial.Strength      `json:"strength"`
	Detail   string              `json:"detail"`
}

type jsonAttempt struct {
	Attempt int          `json:"attempt"`
	Status  trial.Status `json:"status"`
	Cause   trial.Cause  `json:"cause"`
	Detail  string       `json:"detail"`
}

type jsonPending struct {
	Model   string `json:"model"`
	Task    string `json:"task"`
	Trial   int    `json:"trial"`
	Attempt int    `json:"attempt"`
	ID      string `json:"id"`
}

type jsonGate struct {
	Gate  string   `json:"gate"`
	Model string   `json:"model"`
	Want  float64  `json:"want"`
	Got   *float64 `json:"got"`
	Held  bool     `json:"held"`
	Why   string   `json:"why"`
}

// newJSON gives a report in the form of its JSON schema: texts made printable, numbers
// finite, money null where it is not known.
func newJSON(r *report.Report) jsonReport {
	j := jsonReport{
		Schema: Schema, Run: r.Run.ID, Recipe: jsonRecipe{r.Run.Recipe, r.Run.Digest, r.Run.Source, r.Run.Metadata},
		Seed:  r.Run.Seed,
		State: r.State, Answer: text.Visible(r.Answer), Seconds: finite(r.Seconds), Baseline: r.Run.Baseline,
		Confidence: r.Run.Confidence,
		CostUSD:    pointed(r.CostUSD()), SpentUSD: pointed(r.SpentUSD()), SpentNote: report.SpentNote(r),
		Unsettled: newJSONUnsettled(r.Unsettled()),
		Parallel:  r.Run.Parallel, Prices: r.Run.Prices,
		Smallest: jsonSmallest{finite(r.Smallest.Diff), r.Smallest.Needed},
		Models:   []jsonModel{}, Tasks: list(r.Tasks), Trials: []jsonTrial{}, Pending: []jsonPending{},
		Excluded: list(r.Excluded), Gates: []jsonGate{}, Warnings: list(r.Warnings),
		Cheats: report.CheatTotals(r), Question: r.Run.Question, Decision: r.Decision,
	}
	j.Split, j.Contestants = newJSONSplit(r), r.Run.Contestants
	for _, f := range report.Flakes(r) {
		j.Flakes = append(j.Flakes, jsonFlake(f))
	}
	j.Spread = newJSONSpread(r)
	for _, m := range r.Models {
		j.Models = append(j.Models, newJSONModel(m))
	}
	for _, t := range r.Trials {
		j.Trials = append(j.Trials, newJSONTrial(t))
	}
	for _, t := range r.Pending {
		j.Pending = append(j.Pending, jsonPending{t.Model, t.Task, t.N, t.Attempt, t.ID})
	}
	for _, g := range r.Gates {
		j.Gates = append(j.Gates, jsonGate{g.Gate, g.Model, g.Want, finite(g.Got), g.Held, g.Why})
	}
	return j
}

func newJSONModel(m report.Model) jsonModel {
	j := jsonModel{
		Model: m.Name, Pass: m.Pass, Fail: m.Fail, Void: m.Void, Pending: m.Pending,
		Rate: finite(m.Rate), Interval: ends(m.Interval), VoidRates: ends(m.VoidRates),
		PassAtK: byK(m.PassAtK), PassHatK: byK(m.PassHatK), Steps: m.Steps,
		Seconds: jsonSeconds{
			finite(m.Seconds.Median), finite(m.Seconds.P90), finite(m.Time.Agent),
			finite(m.Time.Provider), finite(m.Time.Tools), finite(m.Time.Wait), finite(m.Time.Judge),
		},
		CostUSD: pointed(m.CostUSD), CostPerFixUSD: pointed(m.CostPerFixUSD), SpentUSD: pointed(m.SpentUSD),
		Unsettled: newJSONUnsettled(m.Unsettled), Pareto: m.Pareto,
		Counters: m.Counters, Causes: m.Causes, Served: list(m.Served), Helpers: m.Helpers,
	}
	if m.Usage.Known {
		j.Tokens = &jsonTokens{m.Usage.Input, m.Usage.Output, m.Usage.Cached, m.Usage.Reasoning}
	}
	if d := m.Delta; d != nil {
		j.Delta = newJSONDelta(d)
	}
	return j
}

func newJSONDelta(d *report.Delta) *jsonDelta {
	return &jsonDelta{d.Baseline, d.Tasks, finite(d.Diff), ends(d.Interval), finite(d.P), d.Test, d.Significant}
}

func newJSONTrial(t report.Trial) jsonTrial {
	o := t.Outcome
	j := jsonTrial{
		Model: t.Model, Task: t.Task, Trial: t.N, Attempt: t.Attempt, ID: t.ID, Status: o.Status, Cause: o.Cause,
		Stop:   o.Stop,
		Detail: o.Detail, Steps: o.Steps, Seconds: finite(o.Seconds.Agent), CostUSD: pointed(o.CostUSD),
		SpentUSD: pointed(t.SpentUSD), Started: t.Started, Verdicts: []jsonVerdict{},
		SideEffects: o.SideEffects, Strength: t.Strength(), Cheats: o.Cheats,
	}
	for _, v := range o.Verdicts {
		j.Verdicts = append(j.Verdicts, jsonVerdict{v.Check, v.Status, v.Strength, v.Detail})
	}
	if o.State != nil {
		j.Changes = new(o.State.Changes)
	}
	for _, a := range t.Earlier {
		j.Earlier = append(j.Earlier, jsonAttempt{a.N, a.Outcome.Status, a.Outcome.Cause, a.Outcome.Detail})
	}
	return j
}

// finite gives nil for what JSON has no number for, else twelve figures: the
// last bits of a float differ between machines, the report must not.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		return nil // the largest floats round to infinity
	}
	return &rounded
}

func pointed(x *float64) *float64 {
	if x == nil {
		return nil
	}
	return finite(*x)
}

func ends(i stat.Interval) *[2]float64 {
	lo, hi := finite(i.Lo), finite(i.Hi)
	if lo == nil || hi == nil {
		return nil
	}
	return &[2]float64{*lo, *hi}
}

func byK(xs []float64) map[string]*float64 {
	out := map[string]*float64{}
	for i, x := range xs {
		out[strconv.Itoa(i+1)] = finite(x)
	}
	return out
}

// list makes nothing an empty list rather than null.
func list[T any](xs []T) []T {
	if xs == nil {
		return []T{}
	}
	return xs
}
