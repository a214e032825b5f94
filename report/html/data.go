package html

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cookoff/report"
	"cookoff/trial"
)

// maxData is the most that transcripts may take of a page, in bytes of JSON.
const maxData = 8 << 20

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

// limit is how much of the transcripts a page takes.
type limit struct{ text, entries int }

func limits() []limit {
	return []limit{
		{keepText, keepEntries}, {8 << 10, keepEntries}, {4 << 10, 200}, {2 << 10, 120}, {1 << 10, 80},
		{600, 60}, {300, 40}, {200, 20}, {120, 8}, {60, 2}, {0, 0},
	}
}

// marshal gives the JSON of all transcripts, with as much of each text as has
// room. encoding/json writes <, >, & and the line separators of JavaScript as
// \u escapes, so that nothing in it can end the script element that holds it.
func (t *Transcripts) marshal(trials []shownTrial, max int) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	seen, longest := t.texts()
	for i, l := range limits() {
		last := i == len(limits())-1
		if i < t.level { // so much is not kept any more
			continue
		}
		if !last && longest <= l.entries && least(seen, l.text) > max {
			continue
		}
		f := &fitter{limit: l, seen: seen, at: map[string]int{}}
		d := data{Trials: make([]dataTrial, 0, len(trials))}
		for _, tr := range trials {
			d.Trials = append(d.Trials, f.trial(tr, t.trials[tr.ID]))
		}
		if d.Texts = f.texts; d.Texts == nil {
			d.Texts = []string{}
		}
		if i > 0 {
			d.Note = fmt.Sprintf("Long transcripts and final states are cut here to %d bytes a text and %d entries or files an attempt; the run's directory has them whole.", l.text, l.entries)
		}
		out, err := json.Marshal(d)
		if err != nil || len(out) <= max || last {
			return out, err
		}
	}
	return nil, nil // not reached: the last limit always returns
}

// texts says how often each text stands in the transcripts, and how many
// entries the longest attempt has.
func (t *Transcripts) texts() (n map[string]int, longest int) {
	n = map[string]int{}
	for _, attempts := range t.trials {
		for _, a := range attempts {
			longest = max(longest, len(a.entries))
			for _, e := range a.entries {
				n[e.Text]++
				n[e.Out]++
			}
			if a.changes != nil {
				for _, f := range a.changes.files {
					n[f.Diff]++
				}
			}
		}
	}
	return n, longest
}

// least is the least that all texts take, each cut to some bytes.
func least(texts map[string]int, cutTo int) int {
	sum := 0
	for s := range texts {
		sum += min(len(s), cutTo)
	}
	return sum
}

// fitter makes data of transcripts.
type fitter struct {
	limit limit
	seen  map[string]int
	at    map[string]int
	texts []string
}

// text cuts a text, and gives the number of one that is said again elsewhere.
func (f *fitter) text(s string) any {
	switch n, known := f.at[s]; {
	case s == "":
		return nil
	case known:
		return n
	case len(s) < 24 || f.seen[s] < 2:
		return cut(s, f.limit.text)
	}
	f.texts, f.at[s] = append(f.texts, cut(s, f.limit.text)), len(f.texts)
	return f.at[s]
}

func (f *fitter) trial(tr shownTrial, attempts map[int]*attempt) dataTrial {
	d := dataTrial{
		ID: visibleLine(tr.ID), Model: visibleLine(tr.Model), Task: visibleLine(tr.Task), N: tr.N,
		Run: tr.Run, Status: statusOf(tr.Trial), Attempts: []dataAttempt{},
	}
	for _, n := range slices.Sorted(maps.Keys(attempts)) {
		d.Attempts = append(d.Attempts, f.attempt(n, attempts[n]))
	}
	return d
}

func (f *fitter) attempt(n int, a *attempt) dataAttempt {
	d := dataAttempt{N: n, Status: "open", Entries: []dataEntry{}, Gap: a.dropped, GapAt: keepEntries / 2}
	entries := a.entries
	if over := len(entries) - f.limit.entries; over > 0 {
		at := f.limit.entries / 2
		entries = slices.Delete(slices.Clone(entries), at, at+over)
		d.Gap, d.GapAt = a.dropped+over, at
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
	d.Changes = f.changes(a.changes)
	if o := a.outcome; o != nil {
		d.Status, d.Detail, d.Facts = known(o.Status), visibleLine(o.Detail), outcomeFacts(o)
		if a.loss != "" {
			d.Facts = append(d.Facts, [2]string{"losing move", visibleLine(a.loss)})
		}
	}
	return d
}

func outcomeFacts(o *trial.Outcome) [][2]string {
	var out [][2]string
	add := func(name, text string) { out = append(out, [2]string{name, text}) }
	if o.Cause != "" {
		add("cause", visibleLine(string(o.Cause)))
	}
	add("stop", visibleLine(string(o.Stop)))
	add("steps", strconv.Itoa(o.Steps))
	add("agent time", report.Seconds(o.Seconds.Agent))
	add("provider", report.Seconds(o.Seconds.Provider))
	add("tools", report.Seconds(o.Seconds.Tools))
	if o.Seconds.Wait > 0 {
		add("waited", report.Seconds(o.Seconds.Wait))
	}
	add("judging", report.Seconds(o.Seconds.Judge))
	tokens := "unknown"
	if o.Usage.Known {
		tokens = report.Tokens(o.Usage.Input) + " in, " + report.Tokens(o.Usage.Output) + " out"
	}
	add("tokens", tokens)
	cost := "unknown"
	if o.CostUSD != nil {
		cost = report.Money(o.CostUSD)
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
			d.Evidence = append(d.Evidence, [2]string{name, cut(lines(text), f.limit.text)})
		}
	}
	add("command", e.Command)
	if e.Command != "" {
		add("exit", strconv.Itoa(e.Exit))
		add("time", report.Seconds(e.Seconds))
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
			add(string(w.Witness), strings.TrimRight(fmt.Sprintf("%s, exit status %d\n%s\n%s", held(w.Status), w.Evidence.Exit,
				w.Evidence.Tail, w.Evidence.Stderr), "\n"))
		}
	}
	return d
}
