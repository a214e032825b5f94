package board

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff/internal/ui/markdown"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// State says what a trial is at.
type State string

// What a trial is at.
const (
	Queued   State = "queued"
	Staging  State = "staging"
	Thinking State = "thinking"
	Calling  State = "calling"
	Waiting  State = "waiting"
	Judging  State = "judging"
	Done     State = "done"
	Broken   State = "interrupted" // the run ended before it
)

// Kind says what an entry of a lane is.
type Kind int

// What an entry is: what the task says, what the model said, a call, its
// result, a result that is an error, a note of the loop, a verdict.
const (
	Asked Kind = iota
	Reply
	Call
	Result
	Failed
	Note
	Verdict
)

// Entry is something that was said or done. It does not change.
type Entry struct {
	Kind Kind
	Head string // of a call: its tool; of a verdict: its check
	// Status is what a verdict says; its Lines are the reasons.
	Status trial.VerdictStatus
	Lines  []string        // harmless
	Drawn  []markdown.Line // of what the model said: its lines without the marks of Markdown
	More   int             // bytes that were left out
	Step   int
}

// Limits of what is kept, in bytes: of a line, of an entry, of a lane, of a
// reply that is arriving.
const (
	maxLine   = 4 << 10
	maxEntry  = 32 << 10
	maxLane   = 1 << 20
	maxStream = 8 << 10
)

// Lane is a trial as it stands.
type Lane struct {
	trial.Trial
	State   State
	Attempt int
	Step    int
	Since   time.Time // it began
	Ended   time.Time
	Doing   string // the call under way, or why it waits
	Input   int    // tokens
	Output  int
	Counted bool // every reply told its tokens
	CostUSD float64
	Priced  bool // every reply has a price
	Calls   int
	Entries []Entry
	Stream  []markdown.Line // of the reply that is arriving
	Outcome *trial.Outcome
	Dropped int // entries that are kept no more

	began int64 // when, to tell the latest
}

type lane struct {
	Lane
	bytes   int
	stream  []byte
	changed bool // since Stream was worked out

	arrives [2]int // step and try of the stream
}

func newLane(t trial.Trial) *lane {
	return &lane{Lane: Lane{Trial: t, State: Queued, Counted: true, Priced: true}}
}

// start begins an attempt: what an earlier one said is of no use any more.
func (l *lane) start(e trial.Event) {
	l.Lane = Lane{Trial: l.Trial, State: Staging, Attempt: max(e.Attempt, 1), Since: e.At, Counted: true, Priced: true,
		began: e.At.UnixNano()}
	l.bytes = 0
	l.hush()
	if l.Attempt > 1 {
		l.add(Note, "again", fmt.Sprintf("attempt %d", l.Attempt), 0)
	}
}

// apply takes one event of the trial that the lane shows.
func (l *lane) apply(e trial.Event) {
	if e.Agent == "" {
		l.Step = max(l.Step, e.Step)
	}
	switch {
	case e.Kind == trial.ModelCalled && e.Called != nil:
		l.called(e)
	case e.Kind == trial.ModelReplied && e.Replied != nil:
		l.replied(e)
	case e.Kind == trial.ToolCalled && e.Tool != nil:
		l.State, l.Doing = Calling, strings.TrimSpace(text.Cell(short(e.Tool.Name+" "+Gist(e.Tool.Args))))
		l.Calls++
		l.add(Call, e.Tool.Name, Gist(e.Tool.Args), e.Step)
	case e.Kind == trial.ToolReturned && e.Returned != nil:
		l.returned(e)
	case e.Kind == trial.HookDecided && e.Hook != nil && e.Hook.Decision != "allow":
		l.add(Note, "hook "+e.Hook.Name, e.Hook.Decision+" "+e.Hook.Reason, e.Step)
	case e.Kind == trial.Note && e.Note != nil && e.Note.Kind != trial.NoteProtocol:
		l.note(e)
	case e.Kind == trial.Judged:
		l.State, l.Doing = Judging, ""
	case e.Kind == trial.TrialFinished && e.Outcome != nil:
		l.finish(e)
	}
}

func (l *lane) called(e trial.Event) {
	l.State, l.Doing = Thinking, ""
	l.hush()
	for _, m := range e.Called.New {
		if m.Role == "user" {
			l.add(Asked, "", m.Content, e.Step)
		}
	}
}

func (l *lane) replied(e trial.Event) {
	l.hush()
	r := e.Replied
	if !r.Reply.Usage.Known {
		l.Counted = false
	}
	l.Input += r.Reply.Usage.Input
	l.Output += r.Reply.Usage.Output
	if r.CostUSD == nil {
		l.Priced = false
	} else {
		l.CostUSD += *r.CostUSD
	}
	l.add(Reply, e.Agent, r.Reply.Message.Content, e.Step)
	if len(r.Reply.Message.Calls) == 0 && e.Agent == "" {
		l.State, l.Doing = Judging, ""
	}
}

func (l *lane) returned(e trial.Event) {
	l.State, l.Doing = Thinking, ""
	kind := Result
	if e.Returned.Failed {
		kind = Failed
	}
	l.add(kind, e.Returned.Name, e.Returned.Text, e.Step)
	if n := len(l.Entries); n > 0 && e.Returned.Cut > 0 {
		l.Entries[n-1].More += int(e.Returned.Cut)
	}
}

func (l *lane) note(e trial.Event) {
	words := e.Note.Text
	if e.Note.Wait > 0 {
		l.State, l.Doing = Waiting, fmt.Sprintf("%.0fs: %s", e.Note.Wait, text.Cell(short(words)))
		words = fmt.Sprintf("for %.0fs: %s", e.Note.Wait, words)
	}
	l.add(Note, e.Note.Kind, words, e.Step)
}

func (l *lane) finish(e trial.Event) {
	o := *e.Outcome
	l.State, l.Doing, l.Ended, l.Outcome = Done, "", e.At, &o
	l.hush()
	for _, v := range o.Verdicts {
		l.addEntry(Entry{Kind: Verdict, Head: v.Check, Status: v.Status}, v.Detail)
	}
	l.Step = max(l.Step, o.Steps)
	l.Outcome.Answer, l.Outcome.Verdicts = "", slices.Clone(o.Verdicts)
	l.Outcome.Detail = text.Cell(short(o.Detail))
	if o.CostUSD != nil {
		l.CostUSD, l.Priced = *o.CostUSD, true
	}
}

// add appends an entry, and drops the older half of a lane that has too much.
func (l *lane) add(k Kind, head, words string, step int) {
	words = strings.TrimRight(words, "\n")
	if words == "" && k != Call && k != Result && k != Failed {
		return
	}
	l.addEntry(Entry{Kind: k, Head: head, Step: step}, words)
}

// addEntry adds an entry with its words, and lets go of the oldest where a lane is full.
func (l *lane) addEntry(e Entry, words string) {
	e.Head = text.Cell(short(e.Head))
	if e.Lines, e.More = lines(strings.TrimRight(words, "\n")); e.Kind == Reply {
		e.Drawn = markdown.Parse(e.Lines)
	}
	l.Entries = append(l.Entries, e)
	if l.bytes += e.size(); l.bytes > maxLane {
		half := len(l.Entries) / 2
		l.Dropped += half
		l.Entries = slices.Clone(l.Entries[half:])
		l.bytes = 0
		for _, e := range l.Entries {
			l.bytes += e.size()
		}
	}
}

func (e Entry) size() int {
	n := len(e.Head) + 64
	for _, s := range e.Lines {
		n += len(s) + 16
	}
	for _, l := range e.Drawn {
		n += len(l.First) + len(l.Rest) + 64
		for _, s := range l.Spans {
			n += len(s.Text) + 24
		}
	}
	return n
}

// forget drops the text of a lane.
func (l *lane) forget() {
	l.Dropped += len(l.Entries)
	l.Entries, l.bytes = nil, 0
}

// append takes in a piece of the reply that is arriving. What it looks like is
// worked out when somebody looks.
func (l *lane) append(text string) {
	l.stream = append(l.stream, text[max(0, len(text)-2*maxStream):]...)
	if len(l.stream) > 2*maxStream {
		l.stream = append(l.stream[:0], l.stream[len(l.stream)-maxStream:]...)
	}
	l.changed = true
}

// arriving works out the lines of the reply that is arriving.
func (l *lane) arriving() {
	if !l.changed {
		return
	}
	l.changed = false
	tail := l.stream[max(0, len(l.stream)-maxStream):]
	said, _ := lines(strings.TrimRight(strings.ToValidUTF8(string(tail), ""), "\n"))
	l.Stream = markdown.Parse(said)
}

func (l *lane) hush() { l.stream, l.changed, l.Stream = l.stream[:0], false, nil }

// lines makes text harmless, and bounds its lines and the whole.
func lines(words string) (out []string, more int) {
	if len(words) > maxEntry {
		more = len(words) - maxEntry
		words = words[:maxEntry]
	}
	for line := range strings.SplitSeq(words, "\n") {
		if len(line) > maxLine {
			more += len(line) - maxLine
			line = strings.ToValidUTF8(line[:maxLine], "")
		}
		out = append(out, text.Cell(strings.ReplaceAll(line, "\t", "    ")))
	}
	return out, more
}

// short bounds text that stands on one line.
func short(text string) string {
	if len(text) > maxLine {
		return strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	return text
}

// Gist is the argument that says most of a call: its command, path or pattern,
// else its first string in the order of the names.
func Gist(args json.RawMessage) string {
	var m map[string]any
	if json.Unmarshal(args, &m) != nil {
		return ""
	}
	for _, k := range []string{"command", "path", "pattern"} {
		if s, ok := m[k].(string); ok {
			return s
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if s, ok := m[k].(string); ok {
			return s
		}
	}
	return ""
}
