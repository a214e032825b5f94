// Package verifycmd is "cookoff verify": a verify block by hand, judged by the
// evaluator of a run.
package verifycmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/lint"
	"cookoff/verify/versions"
)

// Env is what the commands work with.
type Env struct {
	Stdin io.Reader
	Out   io.Writer // results
	Err   io.Writer // notes and warnings
	// Open opens a sandbox over the host directory project, or over st.
	Open func(ctx context.Context, project string, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error)
	// Clean makes foreign text fit for a line of a terminal.
	Clean func(string) string
	// Say prints what is wrong with the file of that name, as text or as JSON.
	Say func(name string, ps problem.List, asJSON bool) error
	// Args refuses fewer than min and more than max arguments; what names them.
	Args func(min, max int, what string) cobra.PositionalArgs
}

// ExitError is a command that ran and has said everything: what it found is
// in its exit code, 1 for a block that does not hold, 3 for one that can't be
// decided.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// options are the flags.
type options struct {
	version, root, compat, format string
}

// Command makes "verify" and its subcommands.
func Command(env Env) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "verify FILE|-",
		Short: "Judge a verify block by hand",
		Long: `Runs the [verify] blocks of a TOML file in a fresh sandbox over a directory,
and says whether they hold and on what evidence. Other tables of the file are
left alone, so that a whole recipe of a package manager will do.

Exit code: 0 all hold, 1 one does not, 2 a block is wrong (nothing was run),
3 one can't be decided.`,
		Example: `  cookoff verify biome.toml --version biome@2.3.8
  printf 'command = "git --version"\npattern = "git version"\nmode = "output"\nreason = "r"' | cookoff verify -`,
		Args: env.Args(1, 1, "a TOML file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return env.verify(cmd.Context(), args[0], o) },
	}
	f := c.Flags()
	f.StringVar(&o.version, "version", "", "the version that was asked for, where a block does not say")
	f.StringVar(&o.root, "root", ".", "the directory the checks see as the project; never written")
	f.StringVar(&o.compat, "compat", "", "tsuku: read blocks as it does: "+
		"a weak one is a warning, {version}, {install_dir} and {binary} in commands are filled in")
	f.StringVar(&o.format, "format", "text", "text or json")
	c.AddCommand(env.transform(), env.lint())
	return c
}

func (e Env) transform() *cobra.Command {
	return &cobra.Command{
		Use:   "transform FORMAT VERSION",
		Short: "Print what a version_format makes of a version",
		Long: `Prints what a version_format makes of a version. Formats:

  raw                all of it
  semver             the first X.Y.Z
  semver_full        X.Y.Z with what follows as -prerelease and +build
  strip_v            without one leading v
  calver             the first YYYY.MM or YY.MM, with a third number if there is one
  strip_prefix:TEXT  without TEXT, which it must begin with
  regex:EXPR         the first group of the expression, else all that it matches`,
		Example: "  cookoff verify transform semver biome@2.3.8",
		Args:    e.Args(2, 2, "a format and a version"),
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := versions.Transform(args[0], args[1])
			if err != nil {
				return fmt.Errorf("%w\nhint: cookoff help verify transform lists the formats", err)
			}
			_, err = fmt.Fprintln(e.Out, v)
			return err
		},
	}
}

func (e Env) lint() *cobra.Command {
	strict, format, like := false, "", ""
	c := &cobra.Command{
		Use:     "lint FILE|-",
		Short:   "Say what is wrong with verify blocks, without running them",
		Example: "  cookoff verify lint --strict biome.toml",
		Args:    e.Args(1, 1, "a TOML file, or - for standard input"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cmp.Or(checkCompat(like), checkFormat(format)); err != nil {
				return err
			}
			l, err := e.read(args[0])
			var ps problem.List
			switch {
			case format == "json" && errors.As(err, &ps):
				return errors.Join(e.Say(args[0], ps, true), &ExitError{2})
			case err != nil:
				return err
			}
			if like != "" {
				l.likeTsuku(exampleVersion)
			}
			ps = l.problems(l.lint(strict))
			if err := e.Say(args[0], ps, format == "json"); err != nil {
				return err
			}
			if len(ps.Errors()) > 0 {
				return &ExitError{2}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&strict, "strict", false, "warnings are errors")
	c.Flags().StringVar(&like, "compat", "", "tsuku: as verify --compat")
	c.Flags().StringVar(&format, "format", "text", "text or json")
	return c
}

// lint looks through the blocks; with strict, a warning is an error.
func (l *loaded) lint(strict bool) []lint.Finding {
	found := slices.Clone(l.weak)
	for i, b := range l.blocks {
		for _, f := range lint.Block(b) {
			f.Key = fmt.Sprintf("verify[%d].%s", i, f.Key)
			found = append(found, f)
		}
	}
	for i := range found {
		found[i].Warning = found[i].Warning && !strict
	}
	return found
}

// read loads the blocks of a file, or of standard input.
func (e Env) read(name string) (*loaded, error) {
	if name == "-" {
		text, err := io.ReadAll(e.Stdin)
		if err != nil {
			return nil, fmt.Errorf("reading standard input: %w", err)
		}
		return load("standard input", text)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading a verify block: %w", err)
	}
	return load(name, text)
}

func checkFormat(format string) error {
	if format != "text" && format != "json" {
		return fmt.Errorf("unknown --format %q\nhint: allowed: text, json", format)
	}
	return nil
}

// verify judges the verify blocks of a file in a sandbox, as those of a task are judged,
// and reports the verdicts. name is the file, or - for standard input.
func (e Env) verify(ctx context.Context, name string, o options) error {
	if err := cmp.Or(checkCompat(o.compat), checkFormat(o.format)); err != nil {
		return err
	}
	l, err := e.read(name)
	if err != nil {
		return err
	}
	l.asked(o.version)
	if o.compat != "" {
		l.likeTsuku(o.version)
	}
	// With a solution a tool that is missing is a failure, as it should be where
	// nobody else can be blamed for it.
	task := recipe.Task{Title: name, Solution: "true", Verify: l.blocks}
	wrong := slices.DeleteFunc(lint.Task(task), func(f lint.Finding) bool { return f.Warning })
	if len(wrong) > 0 {
		return l.problems(wrong)
	}
	c, err := verify.NewCase(&recipe.Recipe{}, task)
	if err != nil {
		return err
	}
	for _, n := range l.notes {
		fmt.Fprintf(e.Err, "note: %s\n", e.Clean(n))
	}
	for _, w := range l.warnings() {
		fmt.Fprintf(e.Err, "warning: %s\n", e.Clean(w))
	}
	vs, err := e.judge(ctx, c, o.root)
	var st *verify.StagingError
	if errors.As(err, &st) {
		return fmt.Errorf("%s: %s", st.Phase, st.Detail)
	}
	if err != nil {
		return err
	}
	return e.report(vs, l.warnings(), o.format)
}

// judge does what a trial does, with nobody acting in between.
func (e Env) judge(ctx context.Context, c *verify.Case, root string) (vs []trial.Verdict, err error) {
	w, err := e.Open(ctx, root, nil, sandbox.Verify)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	start, err := c.Stage(ctx, w)
	if err != nil {
		return nil, err
	}
	open := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		if st == nil {
			return e.Open(ctx, root, nil, p)
		}
		return e.Open(ctx, "", st, p)
	}
	sc, live, err := c.End(ctx, w, start, open)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sc.State.Release()) }()
	sc.Alone = true
	j, err := c.Judge(ctx, sc, start, verify.Loop{Live: live})
	if err != nil {
		return nil, err
	}
	return j.Verdicts, nil
}

// report prints the verdicts; its error is their exit code.
func (e Env) report(vs []trial.Verdict, warnings []string, format string) error {
	status, code := trial.Held, 0
	for _, v := range vs {
		switch {
		case v.Status == trial.Undecided:
			status, code = trial.Undecided, 3
		case v.Status == trial.NotHeld && code == 0:
			status, code = trial.NotHeld, 1
		}
	}
	var err error
	if format == "json" {
		enc := json.NewEncoder(e.Out)
		enc.SetIndent("", "  ")
		err = enc.Encode(struct {
			Schema   string              `json:"schema"`
			Status   trial.VerdictStatus `json:"status"`
			Verdicts []trial.Verdict     `json:"verdicts"`
			Warnings []string            `json:"warnings,omitempty"`
		}{"cookoff.verify/1", status, vs, warnings})
	} else {
		_, err = io.WriteString(e.Out, e.text(vs))
	}
	if err == nil && code != 0 {
		return &ExitError{code}
	}
	return err
}

// text shows each verdict with its evidence.
func (e Env) text(vs []trial.Verdict) string {
	var b strings.Builder
	for _, v := range vs {
		fmt.Fprintf(&b, "%s %s", v.Check, v.Status)
		if v.Strength != "" {
			fmt.Fprintf(&b, " (%s)", v.Strength)
		}
		if v.Detail != "" {
			fmt.Fprintf(&b, ": %s", e.Clean(v.Detail))
		}
		b.WriteByte('\n')
		ev := v.Evidence
		if ev == nil {
			continue
		}
		for _, l := range []struct{ name, value string }{
			{"command", ev.Command}, {"exit", fmt.Sprint(ev.Exit)}, {"version", ev.Version}, {"pattern", ev.Pattern},
			{"binary", ev.Binary}, {"output", ev.Tail}, {"stderr", ev.Stderr},
		} {
			name := l.name
			for line := range strings.Lines(l.value) {
				fmt.Fprintf(&b, "  %-8s %s\n", name, e.Clean(strings.TrimSuffix(line, "\n")))
				name = ""
			}
		}
	}
	return b.String()
}
