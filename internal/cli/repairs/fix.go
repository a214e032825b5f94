package repairs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/internal/host"
	"cookoff/internal/mend"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// fixFlags are the flags of "repair fix".
type fixFlags struct {
	*flags
	probes  []string
	include []string
	yes     bool
	dryRun  bool
}

func newFix(c *cli.Common, f *flags) *cobra.Command {
	x := fixFlags{flags: f}
	cmd := &cobra.Command{
		Use:   "fix [PROBE...]",
		Short: "Look what is broken in this project, and mend it on this machine",
		Long: `Looks at the project in the working directory with the probes (globs; all by
default) and runs, on this very machine, the fixes that answer what is found. A
finding counts as fixed only when its probe, looking again, does not find it.
What no repair answers is listed.

  class        in a terminal  else     --yes         --yes --include CLASS
  safe         run            run      run           run
  shared       ask            refuse   ask           run
  destructive  ask            refuse   ask           ask
  privileged   print          print    print         print

Answers are y, n, s (skip what is left of this probe) and q (quit). What is run
is recorded before and after in cookoff/repairs.jsonl below XDG_STATE_HOME.
Exits 1 when a finding is left that was not fixed.`,
		Example: `  cookoff repair fix --dry-run
  cookoff repair fix 'git-*'
  cookoff repair fix --yes --include shared --format json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			x.probes = args
			return x.run(cmd.Context(), c)
		},
	}
	cmd.Flags().BoolVar(&x.yes, "yes", false, "agree beforehand, where --include names the class")
	cmd.Flags().StringSliceVar(&x.include, "include", nil, "with --yes: run fixes of `CLASS` without asking")
	cmd.Flags().BoolVar(&x.dryRun, "dry-run", false, "say what would be done, run nothing")
	f.formats(cmd, "text or json")
	return cmd
}

// run mends what the probes find.
func (x fixFlags) run(ctx context.Context, c *cli.Common) error {
	d, err := x.doctor(ctx, c)
	if err != nil {
		return err
	}
	rs, err := d.Mend(ctx)
	if perr := printMended(c, rs, x.format); perr != nil {
		return perr
	}
	switch {
	case ctx.Err() != nil:
		return cli.Fail(cli.ExitInterrupted, nil)
	case errors.As(err, new(*cli.Failure)):
		return err
	case err != nil:
		return cli.Fail(cli.ExitInfra, err)
	}
	for _, r := range rs {
		if r.Status != mend.Fixed && r.Status != mend.Planned {
			return cli.Fail(cli.ExitGate, nil)
		}
	}
	return nil
}

// doctor checks the flags and gives the doctor for this machine.
func (x fixFlags) doctor(ctx context.Context, c *cli.Common) (*mend.Doctor, error) {
	lib, err := x.library()
	if err != nil {
		return nil, err
	}
	if len(x.probes) == 0 {
		x.probes = []string{"*"}
	}
	ps, err := probe.Select(x.probes)
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	d := &mend.Doctor{
		Consent: mend.Consent{Terminal: c.Asks(), Yes: x.yes}, At: mend.Host{Dir: c.Dir, Env: os.Environ()},
		Library: lib, Probes: ps, DryRun: x.dryRun, Ask: func(r mend.Result) (mend.Answer,
			error) {
			return askMend(ctx, c, r)
		}, Audit: func(event string, r mend.Result) error { return audit(c, event, r) },
	}
	for _, c := range x.include {
		if err := cli.OneOf("include", c, repair.Classes()...); err != nil {
			return nil, err
		}
		switch {
		case repair.Class(c) == repair.Privileged:
			return nil, cli.Usage("--include privileged: commands of this class are only shown, never run")
		case !x.yes:
			return nil, cli.Usage("--include %s has a meaning with --yes only", c)
		}
		d.Include = append(d.Include, repair.Class(c))
	}
	return d, nil
}

// askMend asks about one fix, naming what it is about to do.
func askMend(ctx context.Context, c *cli.Common, r mend.Result) (mend.Answer, error) {
	fmt.Fprintf(c.Err, "%s: %s\n  %s (%s, %s)\n    %s\n", text.Line(r.Probe), text.Line(r.What), text.Line(r.Label),
		text.Line(r.Repair+"/"+r.Fix), r.Class,
		strings.ReplaceAll(text.Lines(strings.TrimRight(r.Command, "\n")), "\n", "\n    "))
	answer, err := c.Choose(ctx, "Run it?", "y/N/s/q", "no", "yes", "skip", "quit")
	switch answer {
	case "yes":
		return mend.Yes, err
	case "skip":
		return mend.Skip, err
	case "quit":
		return mend.Quit, err
	}
	return mend.No, err
}

// auditLine is one line of the audit log; keys are only added.
type auditLine struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"` // run, done
	Dir   string    `json:"dir"`
	mend.Result
}

// audit appends to the record of what was run on this machine.
func audit(c *cli.Common, event string, r mend.Result) error {
	line, err := json.Marshal(auditLine{time.Now().UTC(), event, c.Dir, r})
	if err != nil {
		return err
	}
	file := host.TrustFile(c.Getenv)
	if file != "" {
		file = filepath.Join(filepath.Dir(file), "repairs.jsonl")
	}
	if err := files.AppendLine(file, string(line)); err != nil {
		return fmt.Errorf("recording what is run: %w", err)
	}
	return nil
}

func printMended(c *cli.Common, rs []mend.Result, format string) error {
	if format == "json" {
		if rs == nil {
			rs = []mend.Result{}
		}
		return c.PrintJSON(rs)
	}
	style := map[mend.Status]screen.Style{mend.Fixed: screen.Green, mend.NotFixed: screen.Red,
		mend.NoFix: screen.Yellow, mend.Refused: screen.Yellow}
	words := map[mend.Status]string{mend.NotFixed: "not fixed", mend.NoFix: "no fix"}
	var b strings.Builder
	for _, r := range rs {
		word := string(r.Status)
		if w, ok := words[r.Status]; ok {
			word = w
		}
		word = fmt.Sprintf("%-9s", word)
		if s, ok := style[r.Status]; ok {
			word = c.Out.Paint(s, word)
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", word, text.Line(r.Probe), text.Line(r.What))
		if r.Fix != "" {
			fmt.Fprintf(&b, "           %s (%s/%s, %s)\n", text.Line(r.Label), text.Line(r.Repair),
				text.Line(r.Fix), r.Class)
		}
		if r.Status == mend.Printed || r.Status == mend.Planned {
			fmt.Fprintf(&b, "           $ %s\n", strings.ReplaceAll(text.Lines(strings.TrimRight(r.Command, "\n")),
				"\n", "\n             "))
		}
		if r.Detail != "" {
			fmt.Fprintf(&b, "           %s\n", strings.ReplaceAll(text.Lines(strings.TrimRight(r.Detail, "\n")), "\n",
				"\n           "))
		}
	}
	if len(rs) == 0 {
		b.WriteString("nothing is found\n")
	}
	_, err := c.Out.Write([]byte(b.String()))
	return cli.Written(err)
}
