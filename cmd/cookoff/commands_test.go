package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/ui/screen"
)

// allCommands is the tree of commands as run makes it, its output thrown away.
func allCommands() *cobra.Command {
	var out bytes.Buffer
	root := newRoot(silent(&out))
	root.SetOut(&out)
	root.SetErr(&out)
	root.InitDefaultCompletionCmd()
	return root
}

// silent is the program without an environment.
func silent(out io.Writer) *door.Door {
	to := screen.Stream{Writer: out}
	return &door.Door{Common: &cli.Common{Getenv: func(string) string { return "" }, Out: to, Err: to}}
}

// every calls f for each command that can be run.
func every(cmd *cobra.Command, f func(*cobra.Command)) {
	if cmd.Runnable() && !strings.Contains(cmd.CommandPath(), " completion") { // cobra's own
		f(cmd)
	}
	for _, c := range cmd.Commands() {
		every(c, f)
	}
}

// TestCommandsExplainThemselves: each has a sentence, an example, and a text
// for every flag.
func TestCommandsExplainThemselves(t *testing.T) {
	every(allCommands(), func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") && c.HasParent() {
			t.Errorf("%s: short text %q: want one, without a full stop", c.CommandPath(), c.Short)
		}
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no text", c.CommandPath(), f.Name)
			}
		})
	})
}

// TestExamplesAreRight parses every example with the flags and arguments of
// the command that it calls.
func TestExamplesAreRight(t *testing.T) {
	seen := 0
	every(allCommands(), func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			text, _, _ := strings.Cut(strings.TrimSpace(line), "   ") // an explanation follows
			if !strings.HasPrefix(text, "cookoff") {
				continue
			}
			seen++
			args, err := words(text)
			if err != nil {
				t.Errorf("%s: %q: %v", c.CommandPath(), text, err)
				continue
			}
			root := allCommands() // flags keep what was parsed
			cmd, rest, err := root.Find(args[1:])
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil && cmd.Args != nil {
				err = cmd.Args(cmd, cmd.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %q: %v", c.CommandPath(), text, err)
			}
		}
	})
	if seen < 15 {
		t.Errorf("only %d examples were found", seen)
	}
}

// TestTheReadmesRecipe holds the README to what it says of its recipe: saved, it
// is one. Whoever lints it in a new home waits for no compiler.
func TestTheReadmesRecipe(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "````markdown\n")
	text, _, found := strings.Cut(rest, "````\n")
	if !found {
		t.Fatal("README.md has no recipe")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "recipe.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	home := ownHome(t)
	var out bytes.Buffer
	t.Chdir(dir)
	if code := carryOut(t.Context(), silent(&out), []string{"lint"}); code != 0 {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
	if _, err := os.Stat(filepath.Join(home, ".cache", "cookoff", "go-build")); err == nil {
		t.Error("lint, which runs nothing, has compiled Go's standard library")
	}
}

// ownHome gives the test a home of its own, with no configuration and no cache of whoever
// runs it.
func ownHome(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
	return home
}

// words splits the first command of a shell line; redirections, and what its
// output is piped into, are left out.
func words(line string) ([]string, error) {
	f, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, err
	}
	var out []string
	first := f.Stmts[0].Cmd
	for {
		pipe, ok := first.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		first = pipe.X.Cmd
	}
	call, ok := first.(*syntax.CallExpr)
	if !ok {
		return nil, fmt.Errorf("no command in %q", line)
	}
	for _, w := range call.Args {
		var b strings.Builder
		for _, p := range w.Parts {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(p.Value)
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			}
		}
		out = append(out, b.String())
	}
	return out, nil
}

// TestHelpNamesEveryExitCode keeps the page and the program together.
func TestHelpNamesEveryExitCode(t *testing.T) {
	var b bytes.Buffer
	if code := run(t.Context(), strings.NewReader(""), &b, os.Stderr,
		[]string{"help", "exit-codes"}); code != cli.ExitOK {
		t.Fatalf("exit code %d", code)
	}
	for _, code := range []string{"  0 ", "  1 ", "  2 ", "  3 ", "  130 ", "  143 "} {
		if !strings.Contains(b.String(), "\n"+code) {
			t.Errorf("%q is missing in %s", code, b.String())
		}
	}
}

// What a flag refuses is said with what it takes.
func TestFlagsSayWhatTheyTake(t *testing.T) {
	every(allCommands(), func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			err := cmd.Flags().Set(f.Name, "\x01?")
			if err == nil {
				return // any text will do
			}
			if words, _, _ := strings.Cut(cli.FlagError(cmd, err).Error(), "\n"); strings.HasSuffix(words, " is not ") {
				t.Errorf("%s: %s", cmd.CommandPath(), words)
			}
		})
	})
}
