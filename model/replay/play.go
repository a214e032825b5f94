package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"cookoff/internal/hint"
	"cookoff/model"
	"cookoff/model/wire"
)

// Recording is what was recorded of a run. It is safe for concurrent use.
type Recording struct {
	blobs  map[string]json.RawMessage
	trials map[trialKey][]*exchange // of the attempt that counts, in order
	models []string
	traits map[string]model.Traits
	served map[servedKey][]*served
	passed map[trialKey][]*passed // of agents
	// dialects are those that a model was asked in by agents.
	dialects map[string][]wire.Dialect
	torn     bool

	mu       sync.Mutex
	diverged []Divergence
	played   map[Asker]map[int]bool // answers of servers, by place in served
}

// Divergence is the first step at which a trial went another way than the one
// recorded.
type Divergence struct {
	Model, Task string
	N           int
	Step        int    // which request of the trial, from 1
	What        string // differs
}

func (d Divergence) String() string {
	return fmt.Sprintf("%s, %q (go %d) diverges first at request %d: %s", d.Model, d.Task, d.N, d.Step, d.What)
}

// Load reads a recording. A last line that is torn is left out; anything else
// that is broken is an error with its line.
func Load(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := load(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return r, nil
}

func load(from io.Reader) (*Recording, error) {
	r := &Recording{blobs: map[string]json.RawMessage{}, trials: map[trialKey][]*exchange{},
		traits: map[string]model.Traits{},
		served: map[servedKey][]*served{}, passed: map[trialKey][]*passed{}, dialects: map[string][]wire.Dialect{},
		played: map[Asker]map[int]bool{}}
	in := bufio.NewReader(from)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			r.torn = len(text) > 0
			if n == 1 {
				return nil, errors.New("it is no recording")
			}
			return r, nil
		}
		if err == nil {
			err = r.take(n, text)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// take reads a line.
func (r *Recording) take(n int, text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	switch {
	case n == 1 && l.Schema != schema:
		return fmt.Errorf("schema %q, want %q", l.Schema, schema)
	case l.Model != "":
		r.know(l.Model, l.Traits)
		if l.Dialects != nil {
			r.dialects[l.Model] = l.Dialects
		}
	case l.Blob != "":
		if digest(l.JSON) != l.Blob {
			return errors.New("the content does not match its digest")
		}
		r.blobs[l.Blob] = bytes.Clone(l.JSON)
	case l.Exchange != nil:
		return r.keep(l.Exchange)
	case l.Served != nil:
		return r.keepServed(l.Served)
	case l.Passed != nil:
		return r.keepPassed(l.Passed)
	}
	return nil
}

// know adds a model, or what is known of it.
func (r *Recording) know(id string, t *model.Traits) {
	if !slices.Contains(r.models, id) {
		r.models = append(r.models, id)
	}
	if t == nil {
		return
	}
	known := r.traits[id]
	known.ToolFormat = cmp.Or(t.ToolFormat, known.ToolFormat)
	known.Omit = append(known.Omit, t.Omit...)
	r.traits[id] = known
}

// keep adds an exchange. A later attempt takes the place of an earlier one.
func (r *Recording) keep(e *exchange) error {
	for _, d := range slices.Concat(e.Messages, []string{e.Params}) {
		if r.blobs[d] == nil {
			return fmt.Errorf("no content with the digest %q", d)
		}
	}
	switch {
	case e.Tools != "" && r.blobs[e.Tools] == nil, e.Reply != "" && r.blobs[e.Reply] == nil:
		return errors.New("an exchange without its content")
	case (e.Reply == "") == (e.Error == nil):
		return errors.New("an exchange has either a reply or an error")
	}
	key := trialKey{e.Model, e.Task, e.N}
	if had := r.trials[key]; len(had) > 0 && had[0].Attempt != e.Attempt {
		r.trials[key] = nil
	}
	r.trials[key] = append(r.trials[key], e)
	return nil
}

// Models gives the models that were there to be asked.
func (r *Recording) Models() []string { return slices.Clone(r.models) }

// Diverged gives, for every trial played that went another way than recorded,
// where that began.
func (r *Recording) Diverged() []Divergence {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := slices.Clone(r.diverged)
	slices.SortFunc(out, func(a, b Divergence) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// Chat gives a model that answers as the one recorded under id did. It asks no
// network. Outside of a trial it has nothing to say.
func (r *Recording) Chat(id string) (model.Chat, error) {
	if !slices.Contains(r.models, id) {
		return nil, hint.New("recorded were "+strings.Join(r.models, ", "), "model %q was not recorded", id)
	}
	return &player{r, id}, nil
}

type player struct {
	r  *Recording
	id string
}

func (p *player) Generate(context.Context, *model.Request) (*model.Reply, error) {
	return nil, errors.New("a recording answers in trials only")
}

// Traits says what the recorded run knew of the model in the end.
func (p *player) Traits() model.Traits { return p.r.traits[p.id] }

// ForTrial gives the chat of one trial: every attempt plays it from its
// beginning.
func (p *player) ForTrial(t model.TrialID) model.Chat {
	return &playing{r: p.r, key: trialKey{p.id, t.Task, t.N}, rest: p.r.trials[trialKey{p.id, t.Task, t.N}]}
}

// playing is one trial under way.
type playing struct {
	r   *Recording
	key trialKey

	mu       sync.Mutex
	step     int
	rest     []*exchange
	diverged bool
}

// Generate gives the recorded answer. Tools really run again, so what they say
// may differ: that is noted, once, and the recorded answer holds. A request
// that differs in anything else was never asked, and has no answer.
func (p *playing) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step++
	if len(p.rest) == 0 {
		return nil, fmt.Errorf("the recording of %s ends before request %d: no answer had come", p.key.model, p.step)
	}
	i, what, harmless := p.find(req)
	if what != "" && !p.diverged {
		p.diverged = true
		d := Divergence{p.key.model, p.key.task, p.key.n, p.step, what}
		p.r.mu.Lock()
		p.r.diverged = append(p.r.diverged, d)
		p.r.mu.Unlock()
	}
	if !harmless {
		return nil, fmt.Errorf("the replay diverges from the recording at request %d: %s", p.step, what)
	}
	e := p.rest[i]
	p.rest = slices.Delete(slices.Clone(p.rest), i, i+1)
	if e.Error != nil {
		return nil, e.Error.err()
	}
	var reply model.Reply
	if err := json.Unmarshal(p.r.blobs[e.Reply], &reply); err != nil {
		return nil, fmt.Errorf("the recorded reply can't be read: %w", err)
	}
	if what != "" {
		reply.Notes = append(reply.Notes, fmt.Sprintf("replayed; request %d is not as recorded: %s", p.step, what))
	}
	return &reply, nil
}

// find looks for the request among those not yet played: itself, else one in
// which only what tools said differs (harmless), else the next, with what
// differs. Sub-agents ask between the requests of their parent.
func (p *playing) find(req *model.Request) (i int, what string, harmless bool) {
	near := -1
	for i, e := range p.rest {
		what, harmless := p.compare(e, req)
		if what == "" {
			return i, "", true
		}
		if harmless && near < 0 {
			near = i
		}
	}
	near = max(near, 0)
	what, harmless = p.compare(p.rest[near], req)
	return near, what, harmless
}

// compare names the first thing in which a request differs from a recorded
// one.
func (p *playing) compare(e *exchange, req *model.Request) (what string, harmless bool) {
	var none redactor = newRedactor(nil)
	differs := func(d string, v any) bool {
		b, err := none.piece(v)
		return err != nil || digest(b) != d
	}
	harmless = true
	for i, m := range req.Messages {
		if i >= len(e.Messages) {
			return fmt.Sprintf("message %d (%s) is new", i+1, m.Role), false
		}
		if !differs(e.Messages[i], m) {
			continue
		}
		var was model.Message
		_ = json.Unmarshal(p.r.blobs[e.Messages[i]], &was)
		same := was.Role == model.ToolRole && m.Role == model.ToolRole && was.CallID == m.CallID
		if what == "" {
			what = difference(i+1, m, was)
		}
		if !same {
			return what, false
		}
	}
	switch {
	case len(e.Messages) > len(req.Messages):
		return fmt.Sprintf("message %d is missing", len(req.Messages)+1), false
	case (e.Tools == "") != (len(req.Tools) == 0), e.Tools != "" && differs(e.Tools, req.Tools):
		return "the tools differ", false
	case differs(e.Params, params{req.Params, req.Functions}):
		return "the parameters differ", false
	}
	return what, harmless
}

// difference shows where two messages begin to differ.
func difference(n int, is, was model.Message) string {
	who := string(is.Role)
	if is.Role == model.ToolRole {
		who = "the result of " + is.Name
	}
	at := 0
	for at < len(is.Content) && at < len(was.Content) && is.Content[at] == was.Content[at] {
		at++
	}
	if at == len(is.Content) && at == len(was.Content) {
		return fmt.Sprintf("message %d (%s) differs", n, who)
	}
	return fmt.Sprintf("message %d (%s) is %s, recorded was %s", n, who, excerpt(is.Content, at),
		excerpt(was.Content, at))
}

func excerpt(s string, at int) string {
	from := max(0, at-20)
	return fmt.Sprintf("%q", strings.ToValidUTF8(s[from:min(len(s), at+40)], ""))
}
