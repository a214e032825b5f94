package shootout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/shootout/prefs"
	"cookoff/internal/shootout/prompt"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
)

// command is what can be typed behind a slash.
type command struct {
	prompt.Command
	do func(a *App, arg string) (tea.Cmd, error)
}

// commands are all of them, in the order of /help.
func commands() []command {
	return []command{
		{prompt.Command{Name: "help", Does: "what can be typed"}, (*App).doHelp},
		{prompt.Command{Name: "models", Args: "[NAME]", Does: "switch models on and off"}, (*App).doModels},
		{prompt.Command{Name: "config", Args: "[KEY VALUE | edit]",
			Does: "what the recipe says, and from where; set a value; edit it all"}, (*App).doConfig},
		{prompt.Command{Name: "tools", Does: "what models may do"}, (*App).doTools},
		{prompt.Command{Name: "diff", Args: "[MODEL]", Does: "what a model changed"}, (*App).doDiff},
		{prompt.Command{Name: "pick", Args: "MODEL|tie|none [NOTE]", Does: "judge the last task"}, (*App).doPick},
		{prompt.Command{Name: "apply", Args: "[MODEL]", Does: "bring a model's change into the project"}, (*App).doApply},
		{prompt.Command{Name: "rewind", Does: "take back the change that was applied last, and what was said since"},
			(*App).doRewind},
		{prompt.Command{Name: "retry", Does: "the last task again, with models that were stopped or void"}, (*App).doRetry},
		{prompt.Command{Name: "verify", Does: "the recipe's checks on what each model left"}, (*App).doVerify},
		{prompt.Command{Name: "stats", Does: "who wins, over all sessions"}, (*App).doStats},
		{prompt.Command{Name: "cost", Does: "what the session cost so far"}, (*App).doCost},
		{prompt.Command{Name: "stop", Args: "[MODEL]", Does: "stop a model, or all"}, (*App).doStop},
		{prompt.Command{Name: "compact", Args: "[MODEL]", Does: "a summary in the place of what was said"}, (*App).doCompact},
		{prompt.Command{Name: "remind", Args: "NAME", Does: "say a reminder of the recipe to all models"}, (*App).doRemind},
		{prompt.Command{Name: "blind", Does: "hide names until the pick, or show them"}, (*App).doBlind},
		{prompt.Command{Name: "save", Args: "[PATH]", Does: "write the session's recipe"}, (*App).doSave},
		{prompt.Command{Name: "load", Args: "RECIPE", Does: "another recipe for the tasks to come"}, (*App).doLoad},
		{prompt.Command{Name: "export", Args: "[FORMAT]", Does: "write a report of the last task"}, (*App).doExport},
		{prompt.Command{Name: "quit", Does: "leave; the session is saved"},
			func(a *App, _ string) (tea.Cmd, error) { return a.quit(), nil }},
	}
}

func promptCommands() []prompt.Command {
	var out []prompt.Command
	for _, c := range commands() {
		out = append(out, c.Command)
	}
	return out
}

// command carries out a line that begins with a slash.
func (a *App) command(line string) tea.Cmd {
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	for _, c := range commands() {
		if c.Name != name {
			continue
		}
		cmd, err := c.do(a, strings.TrimSpace(arg))
		if err != nil {
			a.over = message("/"+name, err.Error())
		}
		return cmd
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.Name)
	}
	hint := "/help lists the commands"
	if n := recipe.Nearest(name, names); n != "" {
		hint = "did you mean /" + n + "?"
	}
	a.over = message("no such command", fmt.Sprintf("/%s is no command\n%s\n\nA task that begins with a slash: put a blank before it.", name, hint))
	return nil
}

// completeArgs offers what may follow a command.
func (a *App) completeArgs(name string) []prompt.Choice {
	var out []prompt.Choice
	add := func(words ...string) {
		for _, w := range words {
			out = append(out, prompt.Choice{Text: w})
		}
	}
	names, _ := a.s.Models()
	switch name {
	case "models", "diff", "apply", "stop", "compact":
		if !a.hidden() {
			add(names...)
		}
	case "pick":
		if !a.hidden() {
			add(names...)
		}
		add("tie", "none")
	case "config":
		add("edit")
		for _, v := range a.s.Recipe().Values() {
			add(v.Key)
		}
	case "export":
		add("html", "markdown", "json", "csv", "junit", "table")
	}
	return out
}

func (a *App) doHelp(string) (tea.Cmd, error) {
	a.over = painted("commands", func(s screen.Stream, width int) []string {
		var out []string
		for _, c := range commands() {
			out = append(out, "  "+s.Paint(screen.Bold, text.Fit("/"+c.Name+" "+c.Args, 32))+" "+s.Paint(screen.Dim,
				text.Cut(c.Does, max(width-36, 0))))
		}
		out = append(out, "", "  @ and some letters offers the files of the project; ↑ and ctrl+r what was typed",
			"  before. A line that begins with anything but a slash is a task for all models.")
		return out
	})
	return nil, nil
}

func (a *App) doModels(arg string) (tea.Cmd, error) {
	names, on := a.s.Models()
	if arg == "" {
		(&modelList{s: a.s, names: names}).open(a)
		return nil, nil
	}
	m, err := chooseModel(names, arg)
	if err != nil {
		return nil, err
	}
	for i, n := range names {
		if n == m {
			err = a.s.Switch(m, !on[i])
			a.status = m + map[bool]string{true: " takes part", false: " does not take part"}[!on[i]]
		}
	}
	return nil, err
}

func (a *App) doTools(string) (tea.Cmd, error) {
	a.over = message("tools of this recipe", strings.Join(a.host.Tools(a.s.Recipe()), "\n"))
	return nil, nil
}

// model is the one that an argument names, without one that in focus.
func (a *App) model(arg string) (string, error) {
	if arg == "" && a.focused() != "" {
		return a.focused(), nil
	}
	return a.modelNamed(arg)
}

func (a *App) doDiff(arg string) (tea.Cmd, error) {
	m, err := a.model(arg)
	if err == nil {
		a.diff(m)
	}
	return nil, err
}

func (a *App) doPick(arg string) (tea.Cmd, error) {
	who, note, _ := strings.Cut(arg, " ")
	j := session.Judgement{Note: strings.TrimSpace(note)}
	switch who {
	case "":
		return nil, errors.New("say who: /pick MODEL, /pick tie or /pick none")
	case "tie":
		j.Choice = session.Tie
	case "none":
		j.Choice = session.AllBad
	default:
		m, err := a.modelNamed(who)
		if err != nil {
			return nil, err
		}
		j.Choice, j.Winner = session.Winner, m
	}
	a.keep(j, "written down")
	return nil, nil
}

func (a *App) doApply(arg string) (tea.Cmd, error) {
	t, _ := a.s.Turn()
	if arg == "" && t.Winner != "" {
		arg = t.Winner
	}
	m, err := a.model(arg)
	if err == nil {
		a.apply(m)
	}
	return nil, err
}

func (a *App) doRewind(string) (tea.Cmd, error) {
	a.written("taking the change back", func() func() {
		t, err := a.s.Rewind()
		return a.tells("/rewind", err, fmt.Sprintf("the change of task %d is taken back, and what was said since", t.N))
	})
	return nil, nil
}

func (a *App) doRetry(string) (tea.Cmd, error) {
	a.retry()
	return nil, nil
}

func (a *App) doVerify(string) (tea.Cmd, error) {
	t, ok := a.s.Turn()
	switch {
	case !ok:
		return nil, errors.New("no task was typed yet")
	case a.s.Running():
		return nil, errors.New("the models are not done yet")
	case a.hidden():
		return nil, errors.New("names are hidden until you pick: the verdicts stand above each diff (d)")
	}
	r := a.s.Recipe()
	a.beside("running the recipe's checks on what each model left", func(ctx context.Context) func() {
		var lines []string
		for _, run := range t.Runs {
			l, err := a.host.Verify(ctx, run, t.Prompt, r)
			if err != nil {
				return a.tells("that did not work", err, "")
			}
			lines = append(lines, l...)
		}
		return func() { a.over = message("verdicts of the recipe's checks", strings.Join(lines, "\n")) }
	})
	return nil, nil
}

// tells shows an error on a page, or what went well in the status.
func (a *App) tells(title string, err error, well string) func() {
	return func() {
		if err != nil {
			a.over = message(title, err.Error())
			return
		}
		a.status = well
	}
}

func (a *App) doStats(string) (tea.Cmd, error) {
	a.beside("reading what was chosen before", func(context.Context) func() {
		ps, strange, err := prefs.Read(a.host.Preferences)
		if err != nil {
			return a.tells("/stats", err, "")
		}
		text := prefs.Text(prefs.Tally(ps), strange)
		return func() { a.over = message("who wins", text) }
	})
	return nil, nil
}

func (a *App) doStop(arg string) (tea.Cmd, error) {
	if arg == "" || arg == "all" {
		a.s.StopAll()
		return nil, nil
	}
	m, err := a.modelNamed(arg)
	if err != nil {
		return nil, err
	}
	return nil, a.s.Stop(m)
}

func (a *App) doCompact(arg string) (tea.Cmd, error) {
	m, err := a.model(arg)
	if err != nil {
		return nil, err
	}
	a.status = a.name(m) + " is to sum up what was said, before its next step"
	return nil, a.s.Compact(m)
}

func (a *App) doRemind(arg string) (tea.Cmd, error) {
	if err := a.s.Remind(arg); err != nil {
		return nil, err
	}
	a.status = "the reminder " + arg + " is said before the next step of each model"
	return nil, nil
}

func (a *App) doBlind(string) (tea.Cmd, error) {
	a.s.SetBlind(!a.s.Blind())
	a.status = map[bool]string{true: "names are hidden from the next task on, until you pick",
		false: "names are shown from the next task on"}[a.s.Blind()]
	return nil, nil
}

func (a *App) doSave(arg string) (tea.Cmd, error) {
	path := arg
	if path == "" {
		path = "recipe.md"
	}
	f, err := os.OpenFile(inProject(a.host.Project, path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s is there already: /save PATH writes another file", path)
	}
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(a.s.Recipe().MarshalMarkdown())
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	a.status = "wrote " + path
	return nil, nil
}

func (a *App) doLoad(arg string) (tea.Cmd, error) {
	if arg == "" {
		return nil, errors.New("say which: /load PATH, or builtin:NAME")
	}
	if a.s.Running() {
		return nil, errors.New("a task is under way")
	}
	a.beside("reading "+arg, func(ctx context.Context) func() {
		r, err := a.host.Load(ctx, arg)
		if err != nil {
			return a.tells("/load", err, "")
		}
		return func() {
			a.s.SetRecipe(r)
			a.status = fmt.Sprintf("%s: %s", r.Source(), text.Count(len(r.Names()), "model"))
		}
	})
	return nil, nil
}

func (a *App) doExport(arg string) (tea.Cmd, error) {
	if arg == "" {
		arg = "html"
	}
	t, ok := a.s.Turn()
	switch {
	case !ok || a.s.Running():
		return nil, errors.New("there is no finished task to report on")
	case a.hidden():
		return nil, errors.New("names are hidden until you pick, and a report has them")
	}
	a.written("writing the report", func() func() {
		name, err := a.host.Export(t.Runs[len(t.Runs)-1], arg)
		return a.tells("/export", err, "wrote "+name)
	})
	return nil, nil
}
