// Package played runs a recorded run again: its models answer from the recording.
package played

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cookoff/internal/faults"
	"cookoff/internal/hint"
	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/model/replay"
	"cookoff/runner"
	"cookoff/tools/mcp"
	"cookoff/trial"
)

// Run is a recorded run that is run again.
type Run struct {
	Name      string
	recording *replay.Recording
	Record    trial.Run
	recorded  map[goKey]trial.Outcome

	mu  sync.Mutex
	now map[goKey]trial.Outcome
	ids map[string]goKey // of the trials of this run
}

// latest means the last run of the project that was recorded.
const latest = "latest"

// goKey names a trial across runs.
type goKey struct {
	model, task string
	n           int
}

func (k goKey) String() string { return fmt.Sprintf("%s, %q (go %d)", k.model, k.task, k.n) }

func keyOf(t trial.Trial) goKey { return goKey{t.Model, t.Task, t.N} }

// Load reads the run that name means, and its recording.
func Load(dir, name string) (*Run, error) {
	path, err := findRecorded(dir, name)
	if err != nil {
		return nil, err
	}
	p := &Run{Name: filepath.Base(filepath.Dir(path)), recorded: map[goKey]trial.Outcome{},
		now: map[goKey]trial.Outcome{}, ids: map[string]goKey{}}
	if p.recording, err = loadRecording(path); err != nil {
		return nil, err
	}
	ids := map[string]goKey{}
	_, err = trial.ReadFile(path, func(e trial.Event) error {
		switch {
		case e.Run != nil:
			p.Record = *e.Run
			for _, t := range e.Run.Trials {
				ids[t.ID] = keyOf(t)
			}
		case e.Outcome != nil:
			p.recorded[ids[e.Trial]] = *e.Outcome // the last attempt counts
		}
		return nil
	})
	if err != nil {
		return nil, faults.Of(err)
	}
	return p, nil
}

// findRecorded gives the journal of the run that name means. The latest is the
// last that was recorded: a replay is a run as well, and not recorded itself.
func findRecorded(dir, name string) (string, error) {
	last, err := trial.FindRun(dir, name)
	if err != nil || name != latest {
		return last, err
	}
	ids, err := trial.Runs(dir)
	for _, id := range slices.Backward(ids) {
		path := filepath.Join(trial.RunsDir(dir), id, trial.JournalFile)
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), replay.File)); err == nil {
			return path, nil
		}
	}
	return last, err
}

// loadRecording reads what lies beside a journal.
func loadRecording(journal string) (*replay.Recording, error) {
	if filepath.Base(journal) != trial.JournalFile {
		return nil, hint.New("what can be played again is a run of this machine that was made with --record",
			"%s holds no recording", text.Line(journal))
	}
	r, err := replay.Load(filepath.Join(filepath.Dir(journal), replay.File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.New("cookoff run --record makes a recording", "the run %s was not recorded",
			filepath.Base(filepath.Dir(journal)))
	}
	if err != nil {
		return nil, faults.Of(err)
	}
	return r, nil
}

// Env makes a run ask the recording: no provider, and no wait for one.
func (p *Run) Env(env runner.Env) runner.Env {
	if p != nil {
		env.Slots, env.Clock = nil, noDelay{}
	}
	return env
}

// noDelay is a clock that does not wait.
type noDelay struct{}

func (noDelay) Now() time.Time { return time.Now() }

func (noDelay) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// Emit keeps how the trials of this run end.
func (p *Run) Emit(e trial.Event) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Run != nil:
		for _, t := range e.Run.Trials {
			p.ids[t.ID] = keyOf(t)
		}
	case e.Outcome != nil:
		p.now[p.ids[e.Trial]] = *e.Outcome
	}
	return nil
}

// Comparison is how a replay and what was recorded differ.
type Comparison struct {
	Of       string   // the run that was recorded
	Diverged []string // where models were asked something else than was recorded
	Same     int      // outcomes
	Other    []string // outcomes that came out differently, a line each
}

// Compare says where the replay went another way.
func (p *Run) Compare() Comparison {
	c := Comparison{Of: p.Name}
	for _, d := range p.recording.Diverged() {
		c.Diverged = append(c.Diverged, d.String())
	}
	for _, key := range p.keys() {
		was, ok := p.recorded[key]
		if !ok {
			continue
		}
		if is := p.now[key]; outcome(is) != outcome(was) {
			c.Other = append(c.Other, fmt.Sprintf("%s: %s, recorded was %s", key, outcome(is), outcome(was)))
			continue
		}
		c.Same++
	}
	return c
}

func (p *Run) keys() []goKey {
	var out []goKey
	for _, t := range p.Record.Trials {
		if key := keyOf(t); !slices.Contains(out, key) {
			if _, ran := p.now[key]; ran {
				out = append(out, key)
			}
		}
	}
	return out
}

// outcome is what must be the same again: what became of a trial, and every
// verdict. Why one is void is not the contestant's doing, and may differ.
func outcome(o trial.Outcome) string {
	if o.Status == trial.Void {
		return string(o.Status)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", o.Status, o.Cause, o.Stop)
	for _, v := range o.Verdicts {
		fmt.Fprintf(&b, " %s=%s", v.Check, v.Status)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Chats says where models come from: the recording of --replay, the one that
// a name replay/RUN/MODEL means, or a provider; with --record all that is
// asked of a provider is kept.
func Chats(dir string, next func(string) (model.Chat, error), p *Run, w *replay.Writer) func(string) (model.Chat,
	error) {
	return func(id string) (model.Chat, error) {
		if p != nil {
			return p.recording.Chat(id)
		}
		if rest, ok := strings.CutPrefix(id, "replay/"); ok {
			return replayChat(dir, id, rest)
		}
		chat, err := next(id)
		if err == nil && w != nil {
			chat = w.Chat(id, chat)
		}
		return chat, err
	}
}

// Served says what stands before MCP servers that are asked from this machine:
// the recording of --replay, which answers in their place, or the one that
// --record makes.
func Served(p *Run, w *replay.Writer) (via func(runner.Asker, mcp.Round) mcp.Round, offline bool) {
	round := func(who runner.Asker, next mcp.Round) mcp.Round {
		asker := replay.Asker{Server: who.Server, Model: who.Trial.Model, Task: who.Trial.Task, N: who.Trial.N,
			Attempt: who.Attempt}
		if p != nil {
			return p.recording.Served(asker, next)
		}
		return w.Served(asker, next)
	}
	if p == nil && w == nil {
		return nil, false
	}
	return round, p != nil
}

// replayChat gives the model of a recorded run.
func replayChat(dir, id, rest string) (model.Chat, error) {
	run, recorded, ok := strings.Cut(rest, "/")
	if !ok || !strings.Contains(recorded, "/") {
		return nil, hint.New("write replay/RUN/PROVIDER/MODEL; RUN is an id of cookoff runs, or latest",
			"model %q names no recording", id)
	}
	path, err := findRecorded(dir, run)
	if err != nil {
		return nil, err
	}
	r, err := loadRecording(path)
	if err != nil {
		return nil, err
	}
	return r.Chat(recorded)
}
