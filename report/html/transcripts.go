package html

import (
	"cmp"
	"cookoff/report/number"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/trial"
)

// keepText bounds a text of one line, in bytes.
const keepText = 32 << 10

// Transcripts folds events into what was said and done in every attempt. It is
// a sink, safe for concurrent use. Feed it from the journal and from nowhere
// else: secrets are taken out there.
type Transcripts struct {
	mu     sync.Mutex
	trials map[string]map[int]*attempt
	beside beside
	most   int // bytes of text that are kept at most, about
	weight int // of what is kept
	level  int // of limits: what more is not kept
}

// NewTranscripts returns Transcripts without any.
func NewTranscripts() *Transcripts {
	return &Transcripts{trials: map[string]map[int]*attempt{}, beside: beside{room: keptRoom()}, most: keepAll}
}

// attempt is one go at a trial.
type attempt struct {
	entries  []entry
	dropped  int // entries left out, from the limit's middle on
	raw      map[string]string
	open     map[string]int // entry number of a call that has not returned
	verdicts []trial.Verdict
	outcome  *trial.Outcome
	changes  *changes    // nil: not known
	loss     [][2]string // how it lost, as facts; nil: nobody has looked
	limit    limit       // of what is kept
	left     bool        // something was left out, of whatever kind
	grown    int         // bytes that were kept of it, ever
}

// entry is one thing that was said or done.
type entry struct {
	n      int // from 0, counting those left out
	Kind   entryKind
	Step   int
	Who    string // who spoke, the tool, the hook, the kind of note
	Text   string // said; arguments of a call; a reason
	Out    string // what a call gave back
	Facts  string // time, tokens, cost
	Bad    bool   // failed, denied, halted
	Waits  bool   // a call that has not returned
	Folded bool   // long and the same for every trial: shown on request
}

type entryKind string

const (
	replyEntry entryKind = "said"
	reply      entryKind = "reply"
	call       entryKind = "call"
	hooked     entryKind = "hook"
	noted      entryKind = "note"
)

// Emit takes one event; kinds that it doesn't know, and events of no trial,
// are skipped. The error is always nil.
func (t *Transcripts) Emit(e trial.Event) error {
	if e.Trial == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.attempt(e.Trial, max(e.Attempt, 1))
	was := a.grown
	a.take(e, &t.beside)
	if e.Kind == trial.TrialFinished && e.Outcome != nil {
		if a.limit != limits()[0] {
			a.shrink(a.limit)
		}
		a.grown += a.weight() - a.entriesWeight()
	}
	t.weighed(a.grown - was)
	return nil
}

// take takes an event of the attempt; b is what lies beside its journal.
func (a *attempt) take(e trial.Event, b *beside) {
	switch {
	case e.Kind == trial.ModelCalled && e.Called != nil:
		a.called(e.Step, e.Called)
	case e.Kind == trial.ModelReplied && e.Replied != nil:
		a.replied(e.Step, e.Replied)
	case e.Kind == trial.ToolCalled && e.Tool != nil:
		a.toolCalled(e.Step, e.Tool)
	case e.Kind == trial.ToolReturned && e.Returned != nil:
		a.toolReturned(e.Step, e.Returned)
	case e.Kind == trial.HookDecided && e.Hook != nil:
		h := e.Hook
		a.add(entry{Kind: hooked, Step: e.Step, Who: h.Name, Text: h.Reason, Facts: h.Point + ": " + h.Decision,
			Bad: h.Decision == "deny" || h.Decision == "halt"})
	case e.Kind == trial.TrialResumed && e.Resumed != nil:
		a.outcome = nil
		a.add(entry{Kind: noted, Step: e.Step, Who: "resumed",
			Text: fmt.Sprintf("it goes on in another process: %d calls are made again, with %d recorded replies",
				e.Resumed.Calls, e.Resumed.Replies)})
	case e.Kind == trial.Note && e.Note != nil:
		n := entry{Kind: noted, Step: e.Step, Who: e.Note.Kind, Text: e.Note.Text}
		if e.Note.Wait > 0 {
			n.Facts = "waited " + number.Seconds(e.Note.Wait)
		}
		a.add(n)
	case e.Kind == trial.Judged:
		a.verdicts = e.Verdicts
	case e.Kind == trial.TrialFinished && e.Outcome != nil:
		a.outcome = new(*e.Outcome)
		a.outcome.Answer = ""    // it is the last reply
		a.outcome.Verdicts = nil // they are the attempt's
		a.changes = b.left(e.Outcome.State)
		if l, looked := b.losses.Trials[e.Trial]; looked && l.Unknown == "" && e.Outcome.Status == trial.Fail {
			a.lost(l)
		}
		if len(e.Outcome.Verdicts) > 0 {
			a.verdicts = e.Outcome.Verdicts
		}
	}
}

func (t *Transcripts) attempt(id string, n int) *attempt {
	if t.trials[id] == nil {
		t.trials[id] = map[int]*attempt{}
	}
	a := t.trials[id][n]
	if a == nil {
		a = &attempt{limit: limits()[t.level]}
		t.trials[id][n] = a
	}
	return a
}

// add appends an entry, its texts made visible and cut. Of very many the first
// and the last are kept.
func (a *attempt) add(e entry) {
	e.n = len(a.entries) + a.dropped
	e.Who, e.Facts = visibleLine(e.Who), visibleLine(e.Facts)
	e.Text, e.Out = a.lines(e.Text), a.lines(e.Out)
	a.entries = append(a.entries, e)
	a.grown += e.weight()
	if most := max(a.limit.entries, 2); len(a.entries) > most {
		a.grown -= a.entries[most/2].weight()
		a.entries = slices.Delete(a.entries, most/2, most/2+1)
		a.dropped++
		a.left = true
	}
}

// lines makes a text visible, and cuts it to the limit.
func (a *attempt) lines(s string) string {
	c := cutter{most: max(a.limit.text, keepText)}
	s = text.Lines(c.cut(s)) // which may be longer
	c.most = a.limit.text
	s = c.cut(s)
	a.left = a.left || c.did
	return s
}

// called takes what is new in a request. Replies and answers of tools are in
// the journal as events of their own.
func (a *attempt) called(step int, c *trial.Called) {
	for _, m := range c.New {
		if m.Role != model.Assistant && m.Role != model.ToolRole {
			a.add(entry{Kind: replyEntry, Step: step, Who: string(m.Role), Text: m.Content, Folded: m.Role == model.System})
		}
	}
	if len(c.Tools) > 0 {
		var names []string
		for _, t := range c.Tools {
			names = append(names, t.Name)
		}
		a.add(entry{Kind: noted, Step: step, Who: "tools", Text: strings.Join(names, ", "), Folded: true})
	}
}

func (a *attempt) replied(step int, r *trial.Replied) {
	facts := []string{number.Seconds(r.Seconds)}
	if u := r.Reply.Usage; u.Known {
		facts = append(facts, fmt.Sprintf("%s in, %s out", number.Tokens(u.Input), number.Tokens(u.Output)))
	}
	if r.CostUSD != nil {
		facts = append(facts, number.Money(r.CostUSD))
	}
	switch f := r.Reply.Finish; f {
	case model.FinishStop, model.FinishCalls, model.FinishUnknown:
	default:
		facts = append(facts, string(f))
	}
	for _, c := range r.Reply.Message.Calls {
		if a.raw == nil {
			a.raw = map[string]string{}
		}
		a.raw[c.ID] = c.Arguments
		a.grown += len(c.Arguments)
	}
	a.add(entry{Kind: reply, Step: step, Who: "assistant", Text: r.Reply.Message.Content,
		Facts: strings.Join(facts, " · ")})
}

func (a *attempt) toolCalled(step int, t *trial.Tool) {
	e := entry{Kind: call, Step: step, Who: t.Name, Text: arguments(t.Args), Waits: true}
	if t.Args == nil { // as the model wrote them, for they are no JSON
		e.Text, e.Bad = cmp.Or(a.raw[t.CallID], "no arguments"), a.raw[t.CallID] != ""
	}
	if a.open == nil {
		a.open = map[string]int{}
	}
	a.open[t.CallID] = len(a.entries) + a.dropped
	a.add(e)
}

func (a *attempt) toolReturned(step int, r *trial.Returned) {
	facts := number.Seconds(r.Seconds)
	if r.Cut > 0 {
		facts += fmt.Sprintf(" · %d bytes were kept from the model", r.Cut)
	}
	n, known := a.open[r.CallID]
	delete(a.raw, r.CallID)
	i := slices.IndexFunc(a.entries, func(e entry) bool { return known && e.n == n })
	delete(a.open, r.CallID)
	if i < 0 {
		a.add(entry{Kind: call, Step: step, Who: r.Name, Out: r.Text, Facts: facts, Bad: r.Failed})
		return
	}
	e := &a.entries[i]
	e.Out, e.Facts, e.Bad, e.Waits = a.lines(r.Text), facts, r.Failed, false
	a.grown += len(e.Out) + len(e.Facts)
}
