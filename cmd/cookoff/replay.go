package main

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

	"cookoff/internal/cli"
	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/model/replay"
	"cookoff/runner"
	"cookoff/tools/mcp"
	"cookoff/trial"
)

// played is a recorded run that is run again: --replay.
type played struct {
	name      string
	recording *replay.Recording
	run       trial.Run
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

// loadPlayed reads the run that name means, and its recording.
func (a *app) loadPlayed(name string) (*played, error) {
	path, err := a.findRecorded(name)
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	p := &played{name: filepath.Base(filepath.Dir(path)), recorded: map[goKey]trial.Outcome{}, now: map[goKey]trial.Outcome{}, ids: map[string]goKey{}}
	if p.recording, err = loadRecording(path); err != nil {
		return nil, err
	}
	ids := map[string]goKey{}
	_, err = trial.ReadFile(path, func(e trial.Event) error {
		switch {
		case e.Run != nil:
			p.run = *e.Run
			for _, t := range e.Run.Trials {
				ids[t.ID] = keyOf(t)
			}
		case e.Outcome != nil:
			p.recorded[ids[e.Trial]] = *e.Outcome // the last attempt counts
		}
		return nil
	})
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	return p, nil
}

// findRecorded gives the journal of the run that name means. The latest is the
// last that was recorded: a replay is a run as well, and not recorded itself.
func (a *app) findRecorded(name string) (string, error) {
	last, err := trial.FindRun(a.Dir, name)
	if err != nil || name != latest {
		return last, err
	}
	ids, err := trial.Runs(a.Dir)
	for _, id := range slices.Backward(ids) {
		path := filepath.Join(trial.RunsDir(a.Dir), id, trial.JournalFile)
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), replay.File)); err == nil {
			return path, nil
		}
	}
	return last, err
}

// loadRecording reads what lies beside a journal.
func loadRecording(journal string) (*replay.Recording, error) {
	if filepath.Base(journal) != trial.JournalFile {
		return nil, cli.Usage("%s holds no recording\n  hint: what can be played again is a run of this machine that was made with --record", text.Line(journal))
	}
	r, err := replay.Load(filepath.Join(filepath.Dir(journal), replay.File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Usage("the run %s was not recorded\n  hint: cookoff run --record makes a recording", filepath.Base(filepath.Dir(journal)))
	}
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	return r, nil
}

// over fills in what the flags leave to the recorded run.
func (p *played) over(recipe string, f runFlags) (string, runFlags) {
	if p == nil {
		return recipe, f
	}
	f.retries = 0 // another attempt would get the same answers
	return f.planned(recipe, p.run)
}

// planned fills in what the flags leave to a run that was made.
func (f runFlags) planned(recipe string, run trial.Run) (string, runFlags) {
	if recipe == "" {
		recipe = run.Source
	}
	if len(f.models) == 0 {
		f.models = run.Models
	}
	if f.trials == 0 {
		for _, t := range run.Trials {
			f.trials = max(f.trials, t.N)
		}
	}
	f.tasks = run.Tasks
	return recipe, f
}

// env makes a run ask the recording: no provider, and no wait for one.
func (p *played) env(env runner.Env) runner.Env {
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
func (p *played) Emit(e trial.Event) error {
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

// compare says where the replay went another way, and fails when it came out
// differently.
func (p *played) compare(a *app) error {
	if p == nil {
		return nil
	}
	for _, d := range p.recording.Diverged() {
		a.Say("%s", text.Lines(d.String()))
	}
	var other []string
	same := 0
	for _, key := range p.keys() {
		was, ok := p.recorded[key]
		if !ok {
			continue
		}
		if is := p.now[key]; outcome(is) != outcome(was) {
			other = append(other, fmt.Sprintf("%s: %s, recorded was %s", key, outcome(is), outcome(was)))
			continue
		}
		same++
	}
	a.Say("replay of %s: %s as recorded, %d not", p.name, text.Count(same, "outcome"), len(other))
	if len(other) > 0 {
		return cli.Fail(cli.ExitGate, fmt.Errorf("the replay came out differently:\n  %s", strings.Join(other, "\n  ")))
	}
	return nil
}

func (p *played) keys() []goKey {
	var out []goKey
	for _, t := range p.run.Trials {
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

// chats says where models come from: the recording of --replay, the one that
// a name replay/RUN/MODEL means, or a provider; with --record all that is
// asked of a provider is kept.
func (a *app) chats(next func(string) (model.Chat, error), p *played, w *replay.Writer) func(string) (model.Chat, error) {
	return func(id string) (model.Chat, error) {
		if p != nil {
			return p.recording.Chat(id)
		}
		if rest, ok := strings.CutPrefix(id, "replay/"); ok {
			return a.replayChat(id, rest)
		}
		chat, err := next(id)
		if err == nil && w != nil {
			chat = w.Chat(id, chat)
		}
		return chat, err
	}
}

// served says what stands before MCP servers that are asked from this machine:
// the recording of --replay, which answers in their place, or the one that
// --record makes.
func served(p *played, w *replay.Writer) (via func(runner.Asker, mcp.Round) mcp.Round, offline bool) {
	round := func(who runner.Asker, next mcp.Round) mcp.Round {
		asker := replay.Asker{Server: who.Server, Model: who.Trial.Model, Task: who.Trial.Task, N: who.Trial.N, Attempt: who.Attempt}
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
func (a *app) replayChat(id, rest string) (model.Chat, error) {
	run, recorded, ok := strings.Cut(rest, "/")
	if !ok || !strings.Contains(recorded, "/") {
		return nil, fmt.Errorf("model %q names no recording\nhint: write replay/RUN/PROVIDER/MODEL; RUN is an id of cookoff runs, or latest", id)
	}
	path, err := a.findRecorded(run)
	if err != nil {
		return nil, err
	}
	r, err := loadRecording(path)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), "\n  hint", "\nhint"))
	}
	return r.Chat(recorded)
}
