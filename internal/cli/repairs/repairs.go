// Package repairs is the commands about repairs and what proves them: "repair" with
// its own, and "verify". Each is a struct of its flags and a function.
package repairs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/nearest"
	"cookoff/internal/repairdirs"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/tools/repair"
)

// flags are the flags that the commands of "repair" share.
type flags struct {
	dir    string // --repairs
	format string
}

func (f *flags) formats(cmd *cobra.Command, allowed string) {
	cmd.Flags().StringVar(&f.format, "format", "text", allowed)
}

// Commands are those of this room.
func Commands(c *cli.Common) []*cobra.Command { return []*cobra.Command{newRepairs(c), newVerify(c)} }

func newRepairs(c *cli.Common) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "List, prove, write and use repairs",
		Long: `A repair is a YAML file that answers one kind of finding with fixes. One file
is a tool that models may call, a task with its check, and a contract that can
be proved. The program brings a library; --repairs adds a directory to it.`,
		Example: `  cookoff repair list
  cookoff repair test 'git-*'
  cookoff repair fix --dry-run`,
		Args: cli.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&f.dir, "repairs", "", "add the repairs in `DIR`")
	cmd.AddCommand(newList(c, &f), newShow(c, &f), newMatch(c, &f), newLint(c, &f),
		newTest(c, &f), newFix(c, &f), newNew(c))
	return cmd
}

func newList(c *cli.Common, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the repairs and their fixes",
		Example: `  cookoff repair list
  cookoff repair list --repairs ./repairs --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			lib, err := f.library()
			if err != nil {
				return err
			}
			return printRepairs(c, lib.Repairs(), f.format)
		},
	}
	f.formats(cmd, "text or json")
	return cmd
}

// library checks --format and gives the repairs of the program and of
// --repairs.
func (f *flags) library() (*repair.Library, error) {
	if err := cli.OneOf("format", f.format, "text", "json"); err != nil {
		return nil, err
	}
	return repairdirs.Load(repairdirs.At(f.dir))
}

// repairView is a repair as JSON; keys are only added.
type repairView struct {
	ID    string    `json:"id"`
	Probe string    `json:"probe"`
	File  string    `json:"file"`
	Tool  string    `json:"tool"`
	Fixes []fixView `json:"fixes"`
}

type fixView struct {
	ID        string            `json:"id"`
	Class     string            `json:"class"`
	When      map[string]string `json:"when,omitempty"`
	Fallback  bool              `json:"fallback,omitempty"`
	Label     string            `json:"label,omitempty"`
	Command   string            `json:"command"`
	Vars      []string          `json:"vars,omitempty"`
	Tested    bool              `json:"tested"`
	Shortcuts []string          `json:"shortcuts,omitempty"`
}

func viewOf(r *repair.Repair) repairView {
	v := repairView{ID: r.ID, Probe: r.Probe, File: r.Pos.File, Tool: r.ToolName()}
	for _, f := range r.Fixes {
		x := fixView{ID: f.ID, Class: string(f.Class), Fallback: f.Fallback, Label: f.Label, Command: f.Command,
			Vars: f.Vars(), Tested: f.Test != nil}
		for key, val := range map[string]string{"os": f.When.OS, "arch": f.When.Arch, "distro": f.When.Distro,
			"has_tool": f.When.HasTool} {
			if val != "" {
				if x.When == nil {
					x.When = map[string]string{}
				}
				x.When[key] = val
			}
		}
		if f.Test != nil {
			for _, s := range f.Test.Shortcuts {
				x.Shortcuts = append(x.Shortcuts, s.ID)
			}
		}
		v.Fixes = append(v.Fixes, x)
	}
	return v
}

func printRepairs(c *cli.Common, rs []*repair.Repair, format string) error {
	if format == "json" {
		views := []repairView{}
		for _, r := range rs {
			views = append(views, viewOf(r))
		}
		return c.PrintJSON(views)
	}
	w := table.New(c.Out)
	w.Row("REPAIR", "FIX", "CLASS", "PROBE", "LABEL")
	fixes := 0
	for _, r := range rs {
		for _, f := range r.Fixes {
			w.Row(r.ID, f.ID, string(f.Class), r.Probe, f.Label)
			fixes++
		}
	}
	if err := w.Flush(); err != nil {
		return cli.Written(err)
	}
	c.Say("%s, %s", text.Count(len(rs), "repair"), strings.Replace(text.Count(fixes, "fix"), "fixs", "fixes", 1))
	return nil
}

func newShow(c *cli.Common, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one repair: its fixes, when each is chosen, what proves it",
		Example: `  cookoff repair show git-index-lock
  cookoff repair show port-held --format json`,
		Args: cli.Positional(1, 1, "the id of a repair"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := f.one(args[0])
			if err != nil {
				return err
			}
			if f.format == "json" {
				return c.PrintJSON(viewOf(r))
			}
			return showRepair(c, r)
		},
	}
	f.formats(cmd, "text or json")
	return cmd
}

// one gives the repair that is called id.
func (f *flags) one(id string) (*repair.Repair, error) {
	lib, err := f.library()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range lib.Repairs() {
		if r.ID == id {
			return r, nil
		}
		ids = append(ids, r.ID)
	}
	hint := "cookoff repair list lists them"
	if n := nearest.Name(id, ids); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	}
	return nil, cli.Usage("there is no repair %q\n  hint: %s", id, hint)
}

func showRepair(c *cli.Common, r *repair.Repair) error {
	var b strings.Builder
	line := func(indent, key, val string) {
		if val != "" {
			fmt.Fprintf(&b, "%s%-10s %s\n", indent, key,
				strings.ReplaceAll(text.Lines(strings.TrimRight(val, "\n")), "\n", "\n"+indent+"           "))
		}
	}
	line("", "repair", r.ID)
	line("", "probe", r.Probe)
	line("", "tool", r.ToolName())
	line("", "file", r.Pos.File)
	for _, f := range r.Fixes {
		b.WriteString("\n")
		line("", "fix", f.ID)
		line("  ", "class", string(f.Class))
		line("  ", "when", cmp.Or(f.When.String(), "always"))
		if f.Fallback {
			line("  ", "fallback", "only when no other fix matches")
		}
		line("  ", "label", f.Label)
		line("  ", "values", strings.Join(f.Vars(), ", "))
		line("  ", "command", f.Command)
		if t := f.Test; t != nil {
			line("  ", "before", t.Before)
			line("  ", "after", t.After)
			line("  ", "guard", t.Guard)
			for _, s := range t.Shortcuts {
				line("  ", "rejects", s.ID+": "+s.Why)
			}
		} else {
			line("  ", "test", "none: nothing proves this fix")
		}
	}
	_, err := c.Out.Write([]byte(b.String()))
	return cli.Written(err)
}

// choice is what matching says of one repair; keys of its JSON are only added.
type choice struct {
	Repair string      `json:"repair"`
	Fix    string      `json:"fix,omitempty"` // the fix that matches; "": none
	Passed []passedFix `json:"passed,omitempty"`
}

type passedFix struct {
	Fix string `json:"fix"`
	Why string `json:"why"`
}

func newMatch(c *cli.Common, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "match [ID]",
		Short: "Say which fix of each repair matches, and why the others do not",
		Long: `Opens a sandbox as trials have it and holds the conditions of each fix against
what is found inside: operating system, architecture, distribution, tools on
PATH. The first fix that matches is chosen, a fallback only when no other does.`,
		Example: `  cookoff repair match
  cookoff repair match git-index-lock --format json`,
		Args: cli.Positional(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			lib, err := f.library()
			if err != nil {
				return err
			}
			rs := lib.Repairs()
			if len(args) == 1 {
				r, err := f.one(args[0])
				if err != nil {
					return err
				}
				rs = []*repair.Repair{r}
			}
			open, err := openRepairs(c)
			if err != nil {
				return err
			}
			sb, err := open(cmd.Context(), recipe.Task{}, nil, sandbox.Agent)
			if err != nil {
				return sandboxFailure(err)
			}
			defer sb.Close()
			var names []string
			for _, r := range rs {
				names = append(names, r.ToolNames()...)
			}
			slices.Sort(names)
			facts, err := repair.Gather(cmd.Context(), sb, slices.Compact(names))
			if err != nil {
				return sandboxFailure(err)
			}
			return printChoices(c, rs, facts, f.format)
		},
	}
	f.formats(cmd, "text or json")
	return cmd
}

func printChoices(c *cli.Common, rs []*repair.Repair, facts *repair.Facts, format string) error {
	all := []choice{}
	for _, r := range rs {
		fix, passed := r.Choose(facts)
		c := choice{Repair: r.ID}
		if fix != nil {
			c.Fix = fix.ID
		}
		for _, p := range passed {
			c.Passed = append(c.Passed, passedFix{p.Fix.ID, p.Why})
		}
		all = append(all, c)
	}
	if format == "json" {
		return c.PrintJSON(all)
	}
	w := table.New(c.Out)
	w.Row("REPAIR", "FIX", "")
	for _, c := range all {
		if c.Fix != "" {
			w.Row(c.Repair, c.Fix, "matches")
		}
		for _, p := range c.Passed {
			w.Row(c.Repair, p.Fix, "passed over: "+p.Why)
		}
	}
	return cli.Written(w.Flush())
}

// sandboxFailure is an error of a sandbox with its exit code.
func sandboxFailure(err error) error {
	return cli.Fail(cli.ExitInfra, fmt.Errorf("%w\n  hint: cookoff doctor says what this machine lacks", err))
}
