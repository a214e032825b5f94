package shoot

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/shootout/prefs"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
)

// Sessions lists sessions.
func Sessions(d *door.Door) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the shoot-outs of this project",
		Long:  "Lists the sessions that shootout keeps in .cookoff/sessions, the latest last.",
		Example: `  cookoff sessions
  cookoff --resume 20261121-0`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if err := cli.OneOf("format", format, "table", "json"); err != nil {
				return err
			}
			infos, err := session.List(d.Dir)
			if err != nil {
				return cli.Fail(cli.ExitInfra, err)
			}
			if format == "json" {
				return d.PrintJSON(append([]session.Info{}, infos...))
			}
			if len(infos) == 0 {
				d.Say("no sessions in %s\n  hint: cookoff shootout begins one", session.Dir(d.Dir))
				return nil
			}
			t := table.New(d.Out)
			t.Keep, t.Below = 4, true
			t.Row("SESSION", "LAST", "TASKS", "JUDGED", "RECIPE", "LAST TASK")
			for _, i := range infos {
				t.Row(i.ID, i.Last.Local().Format("2006-01-02 15:04"), fmt.Sprint(i.Turns), fmt.Sprint(i.Picked),
					text.Cut(text.Line(i.Source), 30), text.Cut(text.Line(i.Prompt), 40))
			}
			return cli.Written(t.Flush())
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	return cmd
}

// Stats prints who wins.
func Stats(d *door.Door) *cobra.Command {
	var f prefs.Filter
	var format, since string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Print which models win shoot-outs",
		Long: `Counts the choices of all shoot-outs of this user, in every project, and rates
the models: Bradley-Terry with ties, and an interval for each rating. Nobody is
called better on what may be chance. Models that were stopped or void in a task
do not count there. The choices lie in cookoff/preferences.jsonl below
XDG_DATA_HOME.`,
		Example: `  cookoff stats
  cookoff stats --recipe builtin:default --since 2026-10-01
  cookoff stats --tag go --blind --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if err := cli.OneOf("format", format, "text", "json"); err != nil {
				return err
			}
			if since != "" {
				t, err := time.ParseInLocation(time.DateOnly, since, time.Local)
				if err != nil {
					return cli.Usage("--since %q is no date\n  hint: write it as 2026-11-21", since)
				}
				f.Since = t
			}
			path, err := prefs.Path(d.Getenv)
			if err != nil {
				return cli.Fail(cli.ExitInfra, err)
			}
			ps, strange, err := prefs.Read(path)
			if err != nil {
				return cli.Fail(cli.ExitInfra, err)
			}
			kept := f.Keep(ps)
			s := prefs.Tally(kept)
			if format == "json" {
				return d.PrintJSON(s)
			}
			if len(ps) > 0 && len(kept) == 0 {
				_, err := fmt.Fprintf(d.Out, "None of %s is one that was asked for.\n", text.Count(len(ps), "choice"))
				return cli.Written(err)
			}
			_, err = io.WriteString(d.Out, text.Lines(prefs.Text(s, strange)))
			return cli.Written(err)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.Recipe, "recipe", "", "count only choices made with this recipe: its `NAME` or where it came from")
	fl.StringVar(&f.Tag, "tag", "", "count only choices made with recipes of this `TAG`")
	fl.StringVar(&since, "since", "", "count only choices since this `DATE`, as 2026-11-21")
	fl.BoolVar(&f.Blind, "blind", false, "count only choices made with names hidden")
	fl.StringVar(&format, "format", "text", "text or json")
	return cmd
}
