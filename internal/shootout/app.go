// Package shootout is the interactive shoot-out: a task is typed, every model
// works on it side by side, the best is picked and its change applied. It is a
// view of a session: what happens, happens without it.
package shootout

import (
	"context"
	"fmt"
	"io"
	"strings"
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
	asked    bool  // ctrl+c was pressed before
	slowly   *slow // done beside the screen; nil: nothing
	gate     gate
	working  bool // models began, and their end was not told yet
	seen     uint64
	next     tea.Cmd // what an answer set off
}

// New makes the screen of a session.
func New(ctx context.Context, s *session.Session, h Host, out screen.Stream) *App {
	a := &App{ctx: ctx, host: h, s: s, panes: panes.New(out.Color), out: out, now: time.Now, typing: true,
		seen: ^uint64(0)}
	a.prompt = prompt.New(prompt.Options{History: prompt.ReadHistory(h.History), Commands: promptCommands(),
		Args: a.completeArgs, Project: h.Project, Color: out.Color})
	a.look()
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
		if a.working && !a.s.Running() {
			a.finished(a.s.Failed())
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
		a.takeEdited(msg)
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

// start checks a task and lets the models work on it. A word alone is asked
// about before it is paid for.
func (a *App) start(text string) tea.Cmd {
	if a.s.Running() {
		a.prompt.Set(text)
		a.status = "a task is under way: esc stops a model, ctrl+c all"
		return nil
	}
	if paid := a.paid(); len(strings.Fields(text)) == 1 && len(paid) > 0 {
		a.askWord(text, paid)
		return nil
	}
	a.check(text)
	return nil
}

// check checks a task beside the screen, and lets the models begin. What the
// recipe needs a person's permission for is asked first.
func (a *App) check(text string) {
	r := a.s.Recipe()
	w := a.beside("checking the task", func(ctx context.Context) func() {
		if wants := a.s.Missing(a.host.Wants(r)); len(wants) > 0 {
			return func() { a.askPermission(text, wants) }
		}
		return a.begun(a.s.Start(ctx, text), text)
	})
	w.text, w.say = text, a.s.Doing
}

// retry tries the last task again.
func (a *App) retry() {
	a.beside("checking the task", func(ctx context.Context) func() { return a.begun(a.s.Retry(ctx), "") }).say = a.s.Doing
}

// begun shows that models began, or why they did not.
func (a *App) begun(err error, text string) func() {
	return func() {
		if err != nil {
			a.prompt.Set(text)
			a.over = message("the task was not run", err.Error())
			return
		}
		a.typing, a.asked, a.status = false, false, ""
		a.panes.State.Panes, a.panes.State.Focus = freshPanes(), 0
		a.working = true
		a.look()
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
