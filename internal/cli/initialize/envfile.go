package initialize

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/pattern"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// envFile is a file that programs read variables from. It may hold secrets, so no trial has it.
const envFile = ".env"

// templates say what an envFile holds, with values that are no secrets, the likeliest first.
var templates = []string{".env.example", ".env.sample", ".env.template", ".env.dist"}

// withEnvFile gives the run of a test command that failed for want of an envFile with a copy of the project's template
// of one, which the recipe makes too; the run as it was where that is no better. A command that does better with the
// user's own file alone is refused: no model could mend that. The user's file is in no other sandbox than this one.
func (i *initiation) withEnvFile(ctx context.Context, sb sandbox.Sandbox, red *testrun.Outcome) (*testrun.Outcome,
	error) {
	for _, name := range templates {
		data, err := os.ReadFile(filepath.Join(i.Dir, name))
		if err != nil {
			continue
		}
		run, err := i.tryEnvFile(ctx, sb, name, data)
		if err != nil {
			return nil, err
		}
		if run.OK() || better(run, red) {
			i.setup = "cp " + name + " " + envFile
			i.Say("no trial has %s, which may hold secrets: the recipe makes one of %s", envFile, name)
			return run, nil
		}
	}
	own, err := os.ReadFile(filepath.Join(i.Dir, envFile))
	if err != nil {
		return red, i.noEnvFile(ctx, sb)
	}
	run, err := i.tryEnvFile(ctx, sb, envFile, own)
	if err != nil {
		return nil, err
	}
	does := "succeeds"
	switch {
	case run.OK():
	case better(run, red):
		does = "passes more tests"
	default:
		return red, i.noEnvFile(ctx, sb)
	}
	i.sayWhyRed(red, false)
	return nil, cli.Usage("%s %s with %s, which may hold secrets and which no trial has: nothing was written\n"+
		"  hint: give the tests values that are no secrets: in .env.example, of which the recipe makes .env, or as\n"+
		"  hint: --test-command '%s%s'", text.Line(i.test), does, envFile, assignments(string(own), printed(red)),
		text.Line(i.test))
}

// tryEnvFile runs the tests with an envFile of such content.
func (i *initiation) tryEnvFile(ctx context.Context, sb sandbox.Sandbox, name string, data []byte) (*testrun.Outcome,
	error) {
	if err := sb.FS().Write(ctx, envFile, data); err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	as := "as " + envFile
	if name == envFile {
		as = "of your own, to see whether the tests need it"
	}
	i.Say("running it once more with %s %s", name, as)
	return i.tried(ctx, sb)
}

// noEnvFile takes the envFile out of a sandbox again.
func (i *initiation) noEnvFile(ctx context.Context, sb sandbox.Sandbox) error {
	if _, err := sb.Exec(ctx, sandbox.Cmd{Argv: []string{"rm", "-f", envFile}}); err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	return nil
}

var assignment = pattern.New(`(?m)^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=`)

// assignments are the variables of an envFile without their values, before a command: those that the output of its
// tests names, or the first few.
func assignments(file, output string) string {
	var all, named []string
	for _, m := range assignment.FindAllStringSubmatch(file, -1) {
		word := fmt.Sprintf("%s=… ", m[1])
		if slices.Contains(all, word) {
			continue
		}
		all = append(all, word)
		if pattern.New(`\b` + m[1] + `\b`).MatchString(output) {
			named = append(named, word)
		}
	}
	if len(named) == 0 {
		named = all
	}
	return strings.Join(named[:min(len(named), 5)], "")
}
