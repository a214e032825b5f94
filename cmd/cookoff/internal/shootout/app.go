// Package shootout is the interactive shoot-out: a task is typed, every model
// works on it side by side, the best is picked and its change applied. It is a
// view of a session: what happens, happens without it.
package shootout

import (
	"context"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/cmd/cookoff/internal/screen"
	"cookoff/cmd/cookoff/internal/shootout/panes"
	"cookoff/cmd/cookoff/internal/shootout/prompt"
	"cookoff/cmd/cookoff/internal/shootout/session"
	"cookoff/cmd/cookoff/internal/shootout/tty"
	"cookoff/recipe"
)

// How often is looked at what happens: while models work, and else.
const (
	busy = 66 * time.Millisecond
	idle = 250 * time.Millisecond
)

// patience is how long a task is checked before it is said why.
const patience = 2 * time.Second

// Host is what commands of the shoot-out need of the program around it.
type Host struct {
	Project     string
	Preferences string // file of the user's choices
	History     string // file of what was typed
	Editor      []string
	// Load finds a recipe by name; its error says all that is wrong.
	Load func(ctx context.Context, name string) (*recipe.Recipe, error)
	// Parse reads the text of a recipe that was edited.
	Parse func(markdown string) (*recipe.Recipe, error)
	// Wants gives the permissions that a recipe needs and a person has to give.
	Wants func(r *recipe.Recipe) []string
	// Tools says what models may do, a line each.
	Tools func(r *recipe.Recipe) []string
	// Export writes the report of a run in a format, and gives the file's name.
	Export func(run, format string) (string, error)
	// Verify runs the recipe's checks on what a run of a task left, a line for
	// each verdict.
	Verify func(ctx context.Context, run, prompt string, r *recipe.Recipe) ([]string, error)
}

// App is the screen of a session.
type App struct {
	ctx    context.Context
	host   Host
	s      *session.Session
	panes  *panes.Panes
	prompt *prompt.Prompt
	out    screen.Stream
	now    func() time.Time

	typing   bool // keys go to the prompt
	visit    bool // for one command, from the panels
	over     *overlay
	held     []*overlay // pages that wait until nothing else takes keys
	question *question
	status   string
	asked    bool // ctrl+c was pressed before
	starting bool // a task is being checked
	began    time.Time
	working  bool // models began, and their end was not told yet
	seen     uint64
	next     tea.Cmd // what an answer set off
}

// New makes the screen of a session.
func New(ctx context.Context, s *session.Session, h Host, out screen.Stream) *App {
	a := &App{ctx: ctx, host: h, s: s, panes: panes.New(out.Color), out: out, now: time.Now, typing: true, seen: ^uint64(0)}
	a.prompt = prompt.New(prompt.Options{History: prompt.ReadHistory(h.History), Commands: promptCommands(), Args: a.completeArgs, Project: h.Project, Color: out.Color})
	a.look()
	return a
}

// Run shows the session until the user leaves or ctx ends. The error is a
// *tty.CrashError: what runs goes on all the same.
func (a *App) Run(in io.Reader) error { return tty.Run(a.ctx, a, in, a.out) }

// Messages of the screen to itself.
type (
	tick    struct{}
	started struct{}
	refused struct {
		err    error
		prompt string
	}
	told struct {
		over *overlay
		text string
		err  error
	}
)

// Init begins to look at what happens.
func (a *App) Init() tea.Cmd { return a.tick() }

func (a *App) tick() tea.Cmd {
	d := idle
	if a.s.Running() {
		d = busy
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return tick{} })
}

// look takes a newer view of the board, if there is one.
func (a *App) look() {
	if n := a.s.Board().Changed(); n != a.seen {
		a.seen = n
		a.panes.Look(shuffled(a.s, a.s.Board().Look()))
	}
}

// Update takes in a key, a size, or what has happened.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.panes.State.Width, a.panes.State.Height = msg.Width, msg.Height
	case tick:
		a.look()
		if a.starting && a.now().Sub(a.began) > patience {
			a.status = "checking the task; the first one of a Go project compiles the standard library, once"
		}
		if a.working && !a.s.Running() {
			a.finished(a.s.Failed())
		}
		return a, a.tick()
	case tea.KeyPressMsg:
		cmd := a.key(msg)
		a.nextPage()
		return a, cmd
	case tea.PasteMsg:
		if a.typing && a.over == nil && a.question == nil {
			a.prompt.Update(msg)
		} else if a.question != nil {
			a.question.paste(msg.Content)
		}
	case started:
		a.starting, a.typing, a.asked, a.status = false, false, false, ""
		a.panes.State.Panes, a.panes.State.Focus = freshPanes(), 0
		a.working = true
		a.look()
	case refused:
		a.starting = false
		a.prompt.Set(msg.prompt)
		a.over = message("the task was not run", msg.err.Error())
	case edited:
		a.takeEdited(msg)
	case told:
		switch {
		case msg.err != nil:
			a.page(message("that did not work", msg.err.Error()))
		case msg.over != nil:
			a.page(msg.over)
		default:
			a.status = msg.text
		}
	}
	return a, nil
}

// finished says how a turn ended and what can be done now.
func (a *App) finished(err error) {
	a.working = false
	a.look()
	switch {
	case err != nil:
		a.page(message("the run could not go on", err.Error()))
	case a.s.Noticed() != nil:
		a.page(message("the session is not whole on disk", a.s.Noticed().Error()))
	}
}

// submit carries out what was typed.
func (a *App) submit(text string) tea.Cmd {
	a.status, a.asked = "", false
	a.typing, a.visit = a.typing && !a.visit, false
	if text[0] == '/' {
		return a.command(text)
	}
	return a.start(text)
}

// start checks a task and lets the models work on it; what the recipe needs a
// person's permission for is asked first.
func (a *App) start(text string) tea.Cmd {
	if a.s.Running() || a.starting {
		a.prompt.Set(text)
		a.status = "a task is under way: esc stops a model, ctrl+c all"
		return nil
	}
	if wants := a.s.Missing(a.host.Wants(a.s.Recipe())); len(wants) > 0 {
		a.askPermission(text, wants)
		return nil
	}
	a.starting, a.began, a.status = true, a.now(), "checking the task"
	return func() tea.Msg {
		if err := a.s.Start(a.ctx, text); err != nil {
			return refused{err, text}
		}
		return started{}
	}
}

func (a *App) retry() tea.Cmd {
	a.starting, a.began = true, a.now()
	return func() tea.Msg {
		if err := a.s.Retry(a.ctx); err != nil {
			return refused{err, ""}
		}
		return started{}
	}
}

// focused is the model that keys act on; "": there is none.
func (a *App) focused() string {
	if l := a.panes.Focus(); l != nil {
		return l.Model
	}
	return ""
}

func (a *App) name(model string) string { return Alias(a.s, model) }

func hiddenName(i int) string { return fmt.Sprintf("model %c", 'A'+rune(i%26)) }

// hidden reports whether the names of the last turn are hidden.
func (a *App) hidden() bool { return Hidden(a.s) }
