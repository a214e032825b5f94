package shootout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"cookoff/internal/files"
	"cookoff/internal/nearest"
	"cookoff/internal/shootout/prefs"
	"cookoff/internal/shootout/prompt"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// commander carries out what is typed behind a slash.
type commander struct {
	*front
	*panels
	host     Host
	tasks    *tasks
	judging  *judging
	settings *settings
}

// command is what can be typed behind a slash.
type command struct {
	prompt.Command
	do func(c *commander, arg string) error
}

// commands are all of them, in the order of /help.
func commands() []command {
	return []command{
		{prompt.Command{Name: "help", Does: "what can be typed"}, (*commander).help},
		{prompt.Command{Name: "models", Args: "[NAME]", Does: "switch models on and off"}, (*commander).models},
		{prompt.Command{Name: "config", Args: "[KEY VALUE | edit]",
			Does: "what the recipe says, and from where; set a value; edit it all"},
			func(c *commander, arg string) error { return c.settings.config(arg) }},
		{prompt.Command{Name: "tools", Does: "what models may do"}, (*commander).tools},
		{prompt.Command{Name: "diff", Args: "[MODEL]", Does: "what a model changed"}, (*commander).diff},
		{prompt.Command{Name: "pick", Args: "MODEL|tie|none [NOTE]", Does: "judge the last task"}, (*commander).pick},
		{prompt.Command{Name: "apply", Args: "[MODEL]", Does: "bring a model's change into the project"},
			(*commander).apply},
		{prompt.Command{Name: "rewind", Does: "take back the change that was applied last, and what was said since"},
			(*commander).rewind},
		{prompt.Command{Name: "retry", Does: "the last task again, with models that were stopped or void"},
			(*commander).retry},
		{prompt.Command{Name: "verify", Does: "the recipe's checks on what each model left"}, (*commander).verify},
		{prompt.Command{Name: "stats", Does: "who wins, over all sessions"}, (*commander).stats},
		{prompt.Command{Name: "cost", Does: "what the session cost so far"}, (*commander).cost},
		{prompt.Command{Name: "stop", Args: "[MODEL]", Does: "stop a model, or all"}, (*commander).stop},
		{prompt.Command{Name: "compact", Args: "[MODEL]", Does: "a summary in the place of what was said"},
			(*commander).compact},
		{prompt.Command{Name: "remind", Args: "NAME", Does: "say a reminder of the recipe to all models"},
			(*commander).remind},
		{prompt.Command{Name: "blind", Does: "hide names until the pick, or show them"}, (*commander).blind},
		{prompt.Command{Name: "save", Args: "[PATH]", Does: "write the session's recipe"}, (*commander).save},
		{prompt.Command{Name: "load", Args: "RECIPE", Does: "another recipe for the tasks to come"}, (*commander).load},
		{prompt.Command{Name: "export", Args: "[FORMAT]", Does: "write a report of the last task"},
			(*commander).export}, {prompt.Command{Name: "quit", Does: "leave; the session is saved"},
			func(c *commander, _ string) error { c.next = c.quit(); return nil }},
	}
}

func promptCommands() []prompt.Command {
	var out []prompt.Command
	for _, c := range commands() {
		out = append(out, c.Command)
	}
	return out
}

// run carries out a line that begins with a slash.
func (c *commander) run(line string) {
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	for _, is := range commands() {
		if is.Name != name {
			continue
		}
		if err := is.do(c, strings.TrimSpace(arg)); err != nil {
			c.over = message("/"+name, err.Error())
		}
		return
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.Name)
	}
	hint := "/help lists the commands"
	if n := nearest.Name(name, names); n != "" {
		hint = "did you mean /" + n + "?"
	}
	c.over = message("no such command", fmt.Sprintf("/%s is no command\n"+
		"%s\n\nA task that begins with a slash: put a blank before it.", name, hint))
}

// complete offers what may follow a command.
func (c *commander) complete(name string) []prompt.Choice {
	var out []prompt.Choice
	add := func(words ...string) {
		for _, w := range words {
			out = append(out, prompt.Choice{Text: w})
		}
	}
	names, _ := c.s.Models()
	switch name {
	case "models", "diff", "apply", "stop", "compact":
		if !c.hidden() {
			add(names...)
		}
	case "pick":
		if !c.hidden() {
			add(names...)
		}
		add("tie", "none")
	case "config":
		add("edit")
		for _, v := range c.s.Recipe().Values() {
			add(v.Key)
		}
	case "export":
		add("html", "markdown", "json", "csv", "junit", "table")
	}
	return out
}

func (c *commander) help(string) error {
	c.over = painted("commands", func(s screen.Stream, width int) []string {
		var out []string
		for _, c := range commands() {
			out = append(out, "  "+s.Paint(screen.Bold, text.Fit("/"+c.Name+" "+c.Args, 32))+" "+s.Paint(screen.Dim,
				text.Cut(c.Does, max(width-36, 0))))
		}
		out = append(out, "", "  @ and some letters offers the files of the project; ↑ and ctrl+r what was typed",
			"  before. A line that begins with anything but a slash is a task for all models.")
		return out
	})
	return nil
}

// models is the command /models: which models take part, asked in a list where arg names
// none.
func (c *commander) models(arg string) error {
	names, on := c.s.Models()
	if arg == "" {
		c.question = (&modelList{s: c.s, names: names}).ask()
		return nil
	}
	m, err := chooseModel(names, arg)
	if err != nil {
		return err
	}
	for i, n := range names {
		if n == m {
			err = c.s.Switch(m, !on[i])
			c.status = m + map[bool]string{true: " takes part", false: " does not take part"}[!on[i]]
		}
	}
	return err
}

func (c *commander) tools(string) error {
	c.over = message("tools of this recipe", strings.Join(c.host.Tools(c.s.Recipe()), "\n"))
	return nil
}

func (c *commander) diff(arg string) error {
	m, err := c.model(arg)
	if err == nil {
		c.judging.diff(m)
	}
	return err
}

// pick is the command /pick: it notes whose work the person prefers, with a remark behind
// the name.
func (c *commander) pick(arg string) error {
	who, note, _ := strings.Cut(arg, " ")
	j := session.Judgement{Note: strings.TrimSpace(note)}
	switch who {
	case "":
		return errors.New("say who: /pick MODEL, /pick tie or /pick none")
	case "tie":
		j.Choice = session.Tie
	case "none":
		j.Choice = session.AllBad
	default:
		m, err := c.modelNamed(who)
		if err != nil {
			return err
		}
		j.Choice, j.Winner = session.Winner, m
	}
	c.judging.keep(j, "written down")
	return nil
}

func (c *commander) apply(arg string) error {
	t, _ := c.s.Turn()
	if arg == "" && t.Winner != "" {
		arg = t.Winner
	}
	m, err := c.model(arg)
	if err == nil {
		c.judging.apply(m)
	}
	return err
}

func (c *commander) rewind(string) error {
	c.written("taking the change back", func() func() {
		t, err := c.s.Rewind()
		return c.tells("/rewind", err, fmt.Sprintf("the change of task %d is taken back, and what was said since", t.N))
	})
	return nil
}

func (c *commander) retry(string) error {
	c.tasks.retry()
	return nil
}

// verify is the command /verify: it runs the checks of the recipe on what each model left
// in this turn.
func (c *commander) verify(string) error {
	t, ok := c.s.Turn()
	switch {
	case !ok:
		return errors.New("no task was typed yet")
	case c.s.Running():
		return errors.New("the models are not done yet")
	case c.hidden():
		return errors.New("names are hidden until you pick: the verdicts stand above each diff (d)")
	}
	r := c.s.Recipe()
	c.beside("running the recipe's checks on what each model left", func(ctx context.Context) func() {
		var lines []string
		for _, run := range t.Runs {
			l, err := c.host.Verify(ctx, run, t.Prompt, r)
			if err != nil {
				return c.tells("that did not work", err, "")
			}
			lines = append(lines, l...)
		}
		return func() { c.over = message("verdicts of the recipe's checks", strings.Join(lines, "\n")) }
	})
	return nil
}

func (c *commander) stats(string) error {
	c.beside("reading what was chosen before", func(context.Context) func() {
		ps, strange, err := prefs.Read(c.host.Preferences)
		if err != nil {
			return c.tells("/stats", err, "")
		}
		text := prefs.Text(prefs.Tally(ps), strange)
		return func() { c.over = message("who wins", text) }
	})
	return nil
}

func (c *commander) stop(arg string) error {
	if arg == "" || arg == "all" {
		c.s.StopAll()
		return nil
	}
	m, err := c.modelNamed(arg)
	if err != nil {
		return err
	}
	return c.s.Stop(m)
}

func (c *commander) compact(arg string) error {
	m, err := c.model(arg)
	if err != nil {
		return err
	}
	c.status = c.name(m) + " is to sum up what was said, before its next step"
	return c.s.Compact(m)
}

func (c *commander) remind(arg string) error {
	if err := c.s.Remind(arg); err != nil {
		return err
	}
	c.status = "the reminder " + arg + " is said before the next step of each model"
	return nil
}

func (c *commander) blind(string) error {
	c.s.SetBlind(!c.s.Blind())
	c.status = map[bool]string{true: "names are hidden from the next task on, until you pick",
		false: "names are shown from the next task on"}[c.s.Blind()]
	return nil
}

// save is the command /save: it writes the recipe of this session to a file that is not
// there yet.
func (c *commander) save(arg string) error {
	path := arg
	if path == "" {
		path = "recipe.md"
	}
	err := files.CreateFile(inProject(c.host.Project, path), []byte(c.s.Recipe().MarshalMarkdown()))
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: /save PATH writes another file", path)
	}
	if err != nil {
		return err
	}
	c.status = "wrote " + path
	return nil
}

// load is the command /load: it takes models, tools and prompt of another recipe for what
// comes next.
func (c *commander) load(arg string) error {
	if arg == "" {
		return errors.New("say which: /load PATH, or builtin:NAME")
	}
	if c.s.Running() {
		return errors.New("a task is under way")
	}
	c.beside("reading "+arg, func(ctx context.Context) func() {
		r, err := c.host.Load(ctx, arg)
		if err != nil {
			return c.tells("/load", err, "")
		}
		return func() {
			c.s.SetRecipe(r)
			c.status = fmt.Sprintf("%s: %s", r.Source(), text.Count(len(r.Names()), "model"))
		}
	})
	return nil
}

func (c *commander) export(arg string) error {
	if arg == "" {
		arg = "html"
	}
	t, ok := c.s.Turn()
	switch {
	case !ok || c.s.Running():
		return errors.New("there is no finished task to report on")
	case c.hidden():
		return errors.New("names are hidden until you pick, and a report has them")
	}
	c.written("writing the report", func() func() {
		name, err := c.host.Export(t.Runs[len(t.Runs)-1], arg)
		return c.tells("/export", err, "wrote "+name)
	})
	return nil
}

// doCost adds up what the session cost.
func (c *commander) cost(string) error {
	if c.hidden() {
		return errors.New("names and prices are hidden until you pick")
	}
	c.beside("adding up what the session cost", func(context.Context) func() {
		sums, err := c.s.Costs()
		if err != nil {
			return c.tells("/cost", err, "")
		}
		return func() {
			c.over = painted("cost of this session",
				func(_ screen.Stream, width int) []string { return costLines(sums, width) })
		}
	})
	return nil
}
