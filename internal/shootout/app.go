// Package shootout is the interactive shoot-out: a task is typed, every model
// works on it side by side, the best is picked and its change applied. It is a
// view of a session: what happens, happens without it.
package shootout

import (
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/shootout/prompt"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/panes"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/tty"
	"cookoff/recipe"
)

// How often is looked at what happens: while models work, and else.
const (
	busy = 66 * time.Millisecond
	idle = 250 * time.Millisecond
)

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
	// Paid reports whether asking a model may cost money; nil: none does.
	Paid func(model string) bool
	// Tools says what models may do, a line each.
	Tools func(r *recipe.Recipe) []string
	// Export writes the report of a run in a format, and gives the file's name.
	Export func(run, format string) (string, error)
	// Verify runs the recipe's checks on what a run of a task left, a line for
	// each verdict.
	Verify func(ctx context.Context, run, prompt string, r *recipe.Recipe) ([]string, error)
}

// App is the screen of a session: keys come in, a frame goes out.
type App struct {
	*front
	*panels
	tasks    *tasks
	judging  *judging
	settings *settings
	commands *commander
	out      screen.Stream
}

// New makes the screen of a session.
func New(ctx context.Context, s *session.Session, h Host, out screen.Stream) *App {
	f := &front{ctx: ctx, s: s, now: time.Now, typing: true}
	p := &panels{session: s, panes: panes.New(out.Color), seen: ^uint64(0)}
	a := &App{front: f, panels: p, out: out,
		tasks:    &tasks{front: f, panels: p, wants: h.Wants, costs: h.Paid},
		judging:  &judging{front: f, panels: p, preferences: h.Preferences},
		settings: &settings{front: f, parse: h.Parse, editor: h.Editor}}
	a.commands = &commander{front: f, panels: p, host: h, tasks: a.tasks, judging: a.judging, settings: a.settings}
	f.prompt = prompt.New(prompt.Options{History: prompt.ReadHistory(h.History), Commands: promptCommands(),
		Args: a.commands.complete, Project: h.Project, Color: out.Color})
	p.look()
	return a
}

// Run shows the session until the user leaves or ctx ends. The error is a
// *tty.CrashError: what runs goes on all the same.
func (a *App) Run(in io.Reader) error { return tty.Run(a.ctx, a, in, a.out) }

// tick is a message of the screen to itself: time to look again.
type tick struct{}

// Init begins to look at what happens.
func (a *App) Init() tea.Cmd { return a.tick() }

func (a *App) tick() tea.Cmd {
	d := idle
	if a.s.Running() {
		d = busy
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return tick{} })
}

// Update takes in a key, a size, or what has happened.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.panes.State.Width, a.panes.State.Height = msg.Width, msg.Height
	case tick:
		a.look()
		if a.working && !a.s.Running() {
			a.tasks.finished(a.s.Failed())
		}
		return a, a.tick()
	case tea.KeyPressMsg:
		cmd := a.pressed(msg)
		a.nextPage()
		return a, cmd
	case tea.PasteMsg:
		a.paste(msg)
	case ready:
		cmd := a.arrived(msg)
		a.nextPage()
		return a, cmd
	case edited:
		a.settings.takeEdited(msg)
	}
	return a, nil
}

// submit carries out what was typed.
func (a *App) submit(text string) {
	a.status, a.asked = "", false
	a.typing, a.visit = a.typing && !a.visit, false
	if text[0] == '/' {
		a.commands.run(text)
		return
	}
	a.tasks.start(text)
}

var _ tea.Model = (*App)(nil)
