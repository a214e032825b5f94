package shootout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/trial"
	"cookoff/trial/final"
)

// world is a project with a session over it. Its runner is a script: every
// model writes its own name into f.txt; one called wait waits until it is
// stopped, one called void loses its provider the first time, one called ask
// asks before it does anything.
type world struct {
	t       testing.TB
	dir     string
	prefs   string
	recipe  *recipe.Recipe
	mu      sync.Mutex
	voided  bool
	before  []map[string]int // turns that each task began with, by model
	answers []runner.Answer
}

func newWorld(t testing.TB, models ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), prefs: filepath.Join(t.TempDir(), "preferences.jsonl")}
	text := "# Test\nversion: 1\n\n## Constraints\nmax_steps: 9\n\n## Models\n- " + strings.Join(models, "\n- ") + "\n"
	var err error
	if w.recipe, err = recipe.ParseContent([]byte(text)); err != nil {
		t.Fatal(err)
	}
	w.write("f.txt", "nobody\n")
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *world) session() session.World {
	return session.World{Project: w.dir, Now: time.Now, Build: w.build}
}

func (w *world) begin() *session.Session {
	w.t.Helper()
	s, err := session.Begin(w.session(), w.recipe)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) resume() *session.Session {
	w.t.Helper()
	id, err := session.Find(w.dir, "")
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := session.Resume(w.session(), id,
		func(markdown, _ string) (*recipe.Recipe, error) { return recipe.ParseContent([]byte(markdown)) })
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) host() Host {
	return Host{
		Project: w.dir, Preferences: w.prefs, History: filepath.Join(w.t.TempDir(), "history"),
		Load:   func(context.Context, string) (*recipe.Recipe, error) { return nil, errors.New("there is none") },
		Parse:  func(text string) (*recipe.Recipe, error) { return recipe.ParseContent([]byte(text)) },
		Wants:  func(r *recipe.Recipe) []string { return nil },
		Tools:  func(*recipe.Recipe) []string { return []string{"bash", "with \x1b[2J escapes"} },
		Export: func(run, format string) (string, error) { return "report." + format, nil },
		Verify: func(context.Context, string, string, *recipe.Recipe) ([]string, error) {
			return []string{"all well"}, nil
		},
	}
}

func (w *world) build(_ context.Context, r *recipe.Recipe, b session.Build) (session.Runner, error) {
	if strings.Contains(r.Tasks[0].Prompt, "impossible") {
		return nil, errors.New("recipe.md:1:1: error: it can't be done")
	}
	at := map[string]int{}
	for m, said := range b.Front.Before {
		at[m] = said.Turns()
	}
	w.before = append(w.before, at)
	return &script{w: w, r: r, b: b, stops: map[string]chan struct{}{}}, nil
}

// script is a runner without a sandbox.
type script struct {
	w     *world
	r     *recipe.Recipe
	b     session.Build
	mu    sync.Mutex
	stops map[string]chan struct{}
}

func (s *script) Plan() (out []trial.Trial) {
	for i, m := range s.r.Models {
		out = append(out, trial.Trial{ID: fmt.Sprintf("t%03d", i+1), Model: m, Task: s.r.Tasks[0].Name(), N: 1})
	}
	return out
}

func (s *script) stop(id string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stops[id] == nil {
		s.stops[id] = make(chan struct{})
	}
	return s.stops[id]
}

func (s *script) Stop(id string) error {
	c := s.stop(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-c:
	default:
		close(c)
	}
	return nil
}
func (s *script) Compact(string) error        { return errors.New("the recipe compacts nothing") }
func (s *script) Remind(_, name string) error { return fmt.Errorf("no reminder is called %q", name) }
func (s *script) ManualReminders() []string   { return nil }

func (s *script) RunAll(ctx context.Context, id string, sink trial.Sink, _ func(int, int)) error {
	var mu sync.Mutex
	emit := func(e trial.Event) {
		mu.Lock()
		defer mu.Unlock()
		e.At = time.Now()
		if err := sink.Emit(e); err != nil {
			s.w.t.Error(err)
		}
	}
	emit(trial.Event{Kind: trial.RunStarted, Run: &trial.Run{Schema: trial.Schema, ID: id, Models: s.r.Models,
		Tasks: []string{s.r.Tasks[0].Name()}, Trials: s.Plan(), Project: "."}})
	var wg sync.WaitGroup
	for _, t := range s.Plan() {
		wg.Go(func() { s.one(ctx, t, emit) })
	}
	wg.Wait()
	emit(trial.Event{Kind: trial.RunFinished, End: &trial.End{Interrupted: ctx.Err() != nil}})
	return ctx.Err()
}

func (s *script) one(ctx context.Context, t trial.Trial, emit func(trial.Event)) {
	at := func(e trial.Event) {
		e.Trial, e.Attempt, e.Step = t.ID, 1, 1
		emit(e)
	}
	at(trial.Event{Kind: trial.TrialStarted, Start: &t})
	news := []model.Message{{Role: model.User, Content: s.r.Tasks[0].Prompt}}
	if s.b.Front.Before[t.Model] == nil || s.b.Front.Before[t.Model].Turns() == 0 {
		news = append([]model.Message{{Role: model.System, Content: "work"}}, news...)
	}
	at(trial.Event{Kind: trial.ModelCalled, Called: &trial.Called{New: news}})
	s.b.Front.Text(runner.Piece{Trial: t.ID, Step: 1, Try: 1, Text: "on my way"})
	o := trial.Outcome{Status: trial.Void, Cause: trial.CauseVerifier, Stop: trial.StopDone, Steps: 1}
	name := t.Model[strings.IndexByte(t.Model, '/')+1:]
	switch name {
	case "wait":
		select {
		case <-ctx.Done():
		case <-s.stop(t.ID):
		}
		o.Cause, o.Stop = trial.CauseCancelled, trial.StopCancelled
	case "void":
		s.w.mu.Lock()
		if !s.w.voided {
			s.w.voided, o.Cause, o.Stop, o.Detail = true, trial.CauseProvider, trial.StopBroken, "lab is gone for good"
		}
		s.w.mu.Unlock()
	case "slow":
		at(trial.Event{Kind: trial.Note,
			Note: &trial.NoteText{Kind: "retried", Text: "asking lab/slow: busy", Wait: 1}})
	case "ask":
		answer, err := s.b.Front.Approve(ctx, runner.Approval{Trial: t, Tool: "repair_x", Class: "destructive",
			Command: "rm -r \x1b[2Jbuild"})
		if err != nil {
			s.w.t.Error(err)
		}
		s.w.mu.Lock()
		s.w.answers = append(s.w.answers, answer)
		s.w.mu.Unlock()
	}
	at(trial.Event{Kind: trial.ModelReplied,
		Replied: &trial.Replied{Reply: model.Reply{Message: model.Message{Role: model.Assistant,
			Content: "I am " + name}, Usage: model.Usage{Input: 10, Output: 2, Known: true}}, CostUSD: new(0.25)}})
	if o.Cause == trial.CauseVerifier {
		o.State = s.store(t, name)
	}
	at(trial.Event{Kind: trial.TrialFinished, Outcome: &o})
}

func (s *script) store(t trial.Trial, name string) *trial.StateRef {
	was := &final.File{Mode: 0o644}
	was.Keep([]byte("nobody\n"))
	is := &final.File{Mode: 0o644}
	is.Keep([]byte(name + "\n"))
	ref, err := s.b.States.Store(&final.State{Trial: t, Attempt: 1,
		Changes: []final.Change{{Path: "f.txt", Before: was, After: is}}}, nil)
	if err != nil {
		s.w.t.Error(err)
	}
	return ref
}

// user is somebody before a screen. What keys set off is carried out at once.
type user struct {
	t   *testing.T
	a   *App
	now time.Time
}

func sits(t *testing.T, w *world, s *session.Session) *user {
	t.Helper()
	u := &user{t: t, a: New(t.Context(), s, w.host(), screen.Stream{}), now: time.Now()}
	u.a.now = func() time.Time { return u.now }
	u.a.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	return u
}

var named = map[string]tea.KeyPressMsg{
	"<enter>": {Code: tea.KeyEnter}, "<esc>": {Code: tea.KeyEscape}, "<tab>": {Code: tea.KeyTab},
	"<down>": {Code: tea.KeyDown}, "<space>": {Code: tea.KeySpace, Text: " "},
	"<ctrl+c>": {Code: 'c', Mod: tea.ModCtrl}, "<backspace>": {Code: tea.KeyBackspace},
}

// looks lets the user see the screen for a moment.
func (u *user) looks() {
	u.a.View()
	u.now = u.now.Add(2 * pause)
	u.a.View()
}

// press feeds keys: names in angle brackets, anything else letter by letter.
// The user looks at the screen before each.
func (u *user) press(keys ...string) {
	u.t.Helper()
	for _, k := range keys {
		msgs := []tea.KeyPressMsg{named[k]}
		if _, ok := named[k]; !ok {
			msgs = nil
			for _, r := range k {
				msgs = append(msgs, tea.KeyPressMsg{Code: r, Text: string(r)})
			}
		}
		for _, m := range msgs {
			u.looks()
			_, cmd := u.a.Update(m)
			u.do(cmd)
		}
	}
}

// do carries out what a key set off.
func (u *user) do(cmd tea.Cmd) {
	if cmd != nil {
		_, next := u.a.Update(cmd())
		u.do(next)
	}
}

// done waits for the models.
func (u *user) done() {
	u.a.s.Wait()
	u.a.Update(tick{})
}

func (u *user) sees(texts ...string) {
	u.t.Helper()
	u.a.Update(tick{})
	frame, _ := u.a.frame()
	for _, words := range texts {
		if !strings.Contains(frame, words) {
			u.t.Errorf("no %q in:\n%s", words, frame)
		}
	}
	for _, line := range strings.Split(frame, "\n") {
		if w := text.Width(line); w > 120 || strings.ContainsRune(line, '\x1b') {
			u.t.Errorf("a line of %d columns: %q", w, line)
		}
	}
	if n := strings.Count(frame, "\n") + 1; n != 36 {
		u.t.Errorf("%d lines:\n%s", n, frame)
	}
}

// until waits for what happens beside.
func (u *user) until(what string, ok func() bool) {
	u.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			u.t.Fatalf("%s never happened", what)
		}
	}
}

// panesFrame is the screen after a newer look.
func (a *App) panesFrame() string {
	a.Update(tick{})
	frame, _ := a.frame()
	return frame
}
