package html

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cookoff/report/number"
	"cookoff/trial"
)

// data is what the page's script shows of the trials. Texts that stand in it
// more than once (prompts, the output of the same command) stand in Texts and
// are meant by number.
type data struct {
	Note   string      `json:"note,omitempty"`
	Texts  []string    `json:"texts"`
	Trials []dataTrial `json:"trials"`
}

type dataTrial struct {
	ID       string        `json:"id"`
	Model    string        `json:"model"`
	Task     string        `json:"task"`
	N        int           `json:"n"`
	Run      string        `json:"run,omitempty"`
	Status   string        `json:"status"`
	Cut      bool          `json:"cut,omitempty"`   // something of it is left out here
	Whole    string        `json:"whole,omitempty"` // address of a page that has it whole
	Attempts []dataAttempt `json:"attempts"`
}

type dataAttempt struct {
	N        int           `json:"n"`
	Status   string        `json:"status"`
	Facts    [][2]string   `json:"facts,omitempty"`
	Detail   string        `json:"detail,omitempty"`
	Entries  []dataEntry   `json:"entries"`
	Gap      int           `json:"gap,omitempty"`   // number of entries that are left out
	GapAt    int           `json:"gapAt,omitempty"` // before this one
	Verdicts []dataVerdict `json:"verdicts,omitempty"`
	Changes  *dataChanges  `json:"changes,omitempty"`
}

type dataEntry struct {
	Kind   entryKind `json:"kind"`
	Step   int       `json:"step,omitempty"`
	Who    string    `json:"who,omitempty"`
	Text   any       `json:"text,omitempty"` // string, or number of one of Texts
	Out    any       `json:"out,omitempty"`
	Facts  string    `json:"facts,omitempty"`
	Bad    bool      `json:"bad,omitempty"`
	Waits  bool      `json:"waits,omitempty"`
	Folded bool      `json:"folded,omitempty"`
}

type dataVerdict struct {
	Check    string      `json:"check"`
	Status   string      `json:"status"`
	Strength string      `json:"strength,omitempty"`
	Detail   string      `json:"detail,omitempty"`
	Evidence [][2]string `json:"evidence,omitempty"` // name, text
}

func (f *fitter) trial(tr shownTrial, attempts map[int]*attempt) dataTrial {
	d := dataTrial{
		ID: visibleLine(tr.ID), Model: visibleLine(tr.Model), Task: visibleLine(tr.Task), N: tr.N,
		Run: tr.Run, Status: statusOf(tr.Trial), Attempts: []dataAttempt{},
	}
	f.did = false
	for _, n := range slices.Sorted(maps.Keys(attempts)) {
		d.Attempts = append(d.Attempts, f.attempt(n, attempts[n]))
		d.Cut = d.Cut || f.did || attempts[n].left
	}
	return d
}

// attempt gives an attempt as the page holds it; of a long one the middle is left out.
func (f *fitter) attempt(n int, a *attempt) dataAttempt {
	d := dataAttempt{N: n, Status: "open", Entries: []dataEntry{}, Gap: a.dropped}
	if d.Gap > 0 {
		d.GapAt = a.limit.entries / 2
	}
	entries := a.entries
	if over := len(entries) - f.limit.entries; over > 0 {
		at := f.limit.entries / 2
		entries = slices.Delete(slices.Clone(entries), at, at+over)
		d.Gap, d.GapAt, f.did = a.dropped+over, at, true
	}
	for _, e := range entries {
		d.Entries = append(d.Entries, dataEntry{
			Kind: e.Kind, Step: e.Step, Who: e.Who, Text: f.text(e.Text), Out: f.text(e.Out),
			Facts: e.Facts, Bad: e.Bad, Waits: e.Waits, Folded: e.Folded,
		})
	}
	if f.limit.entries > 0 {
		for _, v := range a.verdicts {
			d.Verdicts = append(d.Verdicts, f.verdict(v))
		}
	}
	f.did = f.did || len(a.verdicts) > len(d.Verdicts)
	d.Changes = f.changes(a.changes)
	if o := a.outcome; o != nil {
		d.Status, d.Detail, d.Facts = known(o.Status), visibleLine(o.Detail), outcomeFacts(o)
		d.Facts = append(d.Facts, a.loss...)
	}
	return d
}

// outcomeFacts lists how a trial ended, as pairs of a name and a value.
func outcomeFacts(o *trial.Outcome) [][2]string {
	var out [][2]string
	add := func(name, text string) { out = append(out, [2]string{name, text}) }
	if o.Cause != "" {
		add("cause", visibleLine(string(o.Cause)))
	}
	add("stop", visibleLine(string(o.Stop)))
	add("steps", strconv.Itoa(o.Steps))
	add("agent time", number.Seconds(o.Seconds.Agent))
	add("provider", number.Seconds(o.Seconds.Provider))
	add("tools", number.Seconds(o.Seconds.Tools))
	if o.Seconds.Wait > 0 {
		add("waited", number.Seconds(o.Seconds.Wait))
	}
	add("judging", number.Seconds(o.Seconds.Judge))
	tokens := "unknown"
	if o.Usage.Known {
		tokens = number.Tokens(o.Usage.Input) + " in, " + number.Tokens(o.Usage.Output) + " out"
	}
	add("tokens", tokens)
	cost := "unknown"
	if o.CostUSD != nil {
		cost = number.Money(o.CostUSD)
	}
	add("cost", cost)
	for _, c := range counters(o.Counters) {
		if c.n > 0 {
			add(c.name, strconv.FormatInt(c.n, 10))
		}
	}
	return out
}

func (f *fitter) verdict(v trial.Verdict) dataVerdict {
	d := dataVerdict{Check: visibleLine(v.Check), Status: held(v.Status), Strength: visibleLine(string(v.Strength)),
		Detail: visibleLine(v.Detail)}
	e := v.Evidence
	if e == nil {
		return d
	}
	add := func(name, text string) {
		if text != "" {
			d.Evidence = append(d.Evidence, [2]string{name, f.cut(lines(text, f.limit.text))})
		}
	}
	add("command", e.Command)
	if e.Command != "" {
		add("exit", strconv.Itoa(e.Exit))
		add("time", number.Seconds(e.Seconds))
	}
	add("signal", e.Signal)
	add("ended by", e.Reason)
	add("pattern", e.Pattern)
	add("version", e.Version)
	add("binary", e.Binary)
	add("output", e.Tail)
	add("standard error", e.Stderr)
	for _, w := range v.Witnesses {
		if w.Evidence != nil {
			add(string(w.Witness), strings.TrimRight(fmt.Sprintf("%s, exit status %d\n%s\n%s", held(w.Status),
				w.Evidence.Exit, w.Evidence.Tail, w.Evidence.Stderr), "\n"))
		}
	}
	return d
}
