package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/trial"
	"cookoff/trial/final"
)

// Errors that say why something can't be done now.
var (
	errRunning = errors.New("a task is under way: esc stops a model, ctrl+c all")
	errNoTurn  = errors.New("no task was typed yet")
)

// Start checks a task and lets the models begin with it; Wait waits for them.
// Nothing has run when it gives an error.
func (s *Session) Start(ctx context.Context, prompt string) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.live != nil || s.checking {
		return errRunning
	}
	c := s.now()
	t := &Turn{N: len(s.turns) + 1, Prompt: prompt, Models: c.models, Blind: c.blind}
	return s.start(ctx, t, t.Models)
}

// Retry tries the last task again with the models whose trials were stopped or
// void; all other trials stay.
func (s *Session) Retry(ctx context.Context) error {
	view := s.board.Look()
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case s.live != nil || s.checking:
		return errRunning
	case len(s.turns) == 0:
		return errNoTurn
	}
	t := s.turns[len(s.turns)-1]
	if t.Choice != "" || t.Rewound {
		return errors.New("the last task was judged already: type it again")
	}
	var again []string
	for _, m := range view.Models {
		if c := m.Current; c >= 0 && !Counts(m.Lanes[c].Outcome) {
			again = append(again, m.Lanes[c].Model)
		}
	}
	again = slices.DeleteFunc(slices.Clone(t.Models), func(m string) bool { return !slices.Contains(again, m) })
	if len(again) == 0 {
		return errors.New("nothing to try again: no trial was stopped or void")
	}
	return s.start(ctx, t, again)
}

// Counts reports whether a trial is a model's own doing: it was neither
// stopped nor void. That nothing judged it is no fault.
func Counts(o *trial.Outcome) bool {
	switch {
	case o == nil:
		return false
	case o.Status == trial.Pass, o.Status == trial.Fail:
		return true
	}
	return o.Cause == trial.CauseVerifier && len(o.Verdicts) == 0 && o.Stop != trial.StopCancelled
}

// withTypedTask lays a typed task over a recipe.
func withTypedTask(r *recipe.Recipe, prompt string, models []string) *recipe.Recipe {
	typed := &recipe.Recipe{Tasks: []recipe.Task{{Prompt: prompt}}, Comparison: recipe.ComparisonConfig{Trials: 1}}
	return typed.Over(r).Choose(models)
}

// start lets models begin with a turn. s.lock is held, but not while the recipe is
// checked: that may take long.
func (s *Session) start(ctx context.Context, t *Turn, models []string) error {
	states := final.NewWriter(s.world.Secrets)
	l := &live{turn: t, done: make(chan struct{})}
	if len(t.Runs) > 0 {
		l.prefix = fmt.Sprintf("again%d/", len(t.Runs))
	}
	front := &runner.Front{Approve: s.approve, Typed: true, Text: func(p runner.Piece) {
		if p.Agent == "" {
			s.board.Stream(l.prefix+p.Trial, p.Step, p.Try, p.Text)
		}
	}}
	with := s.now()
	if with.recipe.Context.TaskMode != "independent" {
		said := s.conversations
		if len(t.Runs) > 0 { // the task is tried again: what was said of it is forgotten
			said = s.before
		}
		front.Before = map[string]*runner.Conversation{}
		for m, said := range said {
			front.Before[m] = said.Copy()
		}
	}
	r, err := s.check(ctx, withTypedTask(with.recipe, t.Prompt, models),
		Build{Front: front, States: states, Allow: with.allow})
	if err != nil {
		return err
	}
	id := trial.NewRunID(s.world.Now())
	journal, err := trial.CreateJournal(s.world.Project, id, s.world.Secrets)
	if err != nil {
		return err
	}
	states.In(filepath.Dir(journal.Path()))
	if err := s.write(Record{Kind: TurnRuns, Turn: t.N, Run: id, Prompt: t.Prompt, Models: models,
		Blind: t.Blind}); err != nil {
		return errors.Join(err, journal.Close())
	}
	if len(t.Runs) == 0 {
		s.turns = append(s.turns, t)
		s.board.Reset()
	}
	t.Runs, t.Finished = append(t.Runs, id), false
	l.runner = r
	ctx, l.cancel = context.WithCancel(ctx)
	s.live, s.failed = l, nil
	s.forgetOnce()
	go s.run(ctx, l, id, journal) // it does not hang on the screen, which may break
	return nil
}

// check gives the runner of a recipe. s.lock is held before and after, and free
// while it is checked.
func (s *Session) check(ctx context.Context, r *recipe.Recipe, b Build) (Runner, error) {
	b.Doing = func(what string) {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.doing = what
	}
	s.checking = true
	s.lock.Unlock()
	built, err := s.world.Build(ctx, r, b)
	s.lock.Lock()
	s.checking, s.doing = false, ""
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.closed:
		return nil, errors.New("the session has ended")
	}
	return built, err
}

// Doing says what a task that is being checked waits for; "": nothing is known.
func (s *Session) Doing() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.doing
}

// run carries out a turn.
func (s *Session) run(ctx context.Context, l *live, id string, journal *trial.Journal) {
	defer close(l.done)
	defer l.cancel()
	sinks := []trial.Sink{journal, prefixed(l.prefix, s.board)}
	if s.world.Sink != nil {
		sinks = append(sinks, s.world.Sink)
	}
	err := l.runner.RunAll(ctx, id, trial.Tee(sinks...), nil)
	if ctx.Err() != nil {
		err = nil // stopped by hand
	}
	err = errors.Join(err, journal.Close())
	before, said := s.recalled() // reads journals: nobody waits for it
	s.lock.Lock()
	defer s.lock.Unlock()
	l.turn.Finished, s.live, s.failed = true, nil, err
	s.forget()
	s.before, s.conversations = before, said
	s.keep(Record{Kind: TurnEnds, Turn: l.turn.N, Run: id})
}

// Failed says why the last turn could not go on; nil: it could.
func (s *Session) Failed() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.failed
}

// prefixed renames the trials of a run that tries again, so that they stand
// beside those of the first.
func prefixed(prefix string, sink trial.Sink) trial.Sink {
	if prefix == "" {
		return sink
	}
	return trial.SinkFunc(func(e trial.Event) error {
		if e.Trial != "" {
			e.Trial = prefix + e.Trial
		}
		if e.Run != nil {
			r := *e.Run
			r.Trials = slices.Clone(r.Trials)
			for i := range r.Trials {
				r.Trials[i].ID = prefix + r.Trials[i].ID
			}
			e.Run = &r
		}
		return sink.Emit(e)
	})
}

// recalled reads what was said with each model in the turns that count, and the
// same without the last of them.
func (s *turnLog) recalled() (before, said map[string]*runner.Conversation) {
	before, said = map[string]*runner.Conversation{}, map[string]*runner.Conversation{}
	for _, t := range s.Turns() {
		if t.Rewound {
			continue
		}
		before, said = said, maps.Clone(said)
		for _, run := range t.Runs {
			recallRun(s.Journal(run), before, said)
		}
	}
	return before, said
}

// recallRun adds the conversations of a run to what was said before its task:
// what an earlier run of the task said is forgotten. A journal that is gone, or
// torn, adds what it has.
func recallRun(journal string, before, said map[string]*runner.Conversation) {
	models := map[string]string{}
	_, _ = trial.ReadFile(journal, func(e trial.Event) error {
		if e.Start != nil {
			m := e.Start.Model
			models[e.Trial], said[m] = m, &runner.Conversation{}
			if b := before[m]; b != nil {
				said[m] = b.Copy()
			}
		}
		if m, ok := models[e.Trial]; ok {
			said[m].Recall(e)
		}
		return nil
	})
}

// ofModel gives the running trial of a model.
func (s *Session) ofModel(model string) (l *live, id string, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.live == nil {
		return nil, "", errors.New("no task is under way")
	}
	for _, t := range s.live.runner.Plan() {
		if t.Model == model {
			return s.live, t.ID, nil
		}
	}
	return nil, "", fmt.Errorf("%s takes no part in this task", model)
}

// Stop ends one model's trial; what it did so far stays.
func (s *Session) Stop(model string) error {
	l, id, err := s.ofModel(model)
	if err != nil {
		return err
	}
	return l.runner.Stop(id)
}

// StopAll ends every trial under way; what they did so far stays.
func (s *Session) StopAll() {
	s.lock.Lock()
	l := s.live
	s.lock.Unlock()
	if l == nil {
		return
	}
	for _, t := range l.runner.Plan() {
		_ = l.runner.Stop(t.ID) // every trial of the plan is known
	}
}

// Cancel ends the turn under way at once, without judging what is left.
func (s *Session) Cancel() {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.live != nil {
		s.live.cancel()
	}
}

// Wait returns when no turn is under way.
func (s *Session) Wait() {
	s.lock.Lock()
	l := s.live
	s.lock.Unlock()
	if l != nil {
		<-l.done
	}
}

// Compact puts a summary in the place of what was said with a model.
func (s *Session) Compact(model string) error {
	l, id, err := s.ofModel(model)
	if err != nil {
		return err
	}
	return l.runner.Compact(id)
}

// Remind says a reminder to every model that works. It gives those that may be
// said by hand where the name is none of them.
func (s *Session) Remind(name string) error {
	s.lock.Lock()
	l := s.live
	s.lock.Unlock()
	if l == nil {
		return errors.New("no task is under way")
	}
	if names := l.runner.ManualReminders(); name == "" && len(names) > 0 {
		return fmt.Errorf("say which: %s", strings.Join(names, ", "))
	}
	for _, t := range l.runner.Plan() {
		if err := l.runner.Remind(t.ID, name); err != nil {
			return err
		}
	}
	return nil
}

// ConversationSize gives how many replies and about how many tokens a model's conversation
// has.
func (s *turnLog) ConversationSize(model string) (turns, tokens int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if said := s.conversations[model]; said != nil {
		return said.Turns(), said.Tokens()
	}
	return 0, 0
}
