package initialize

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

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
// of one, which the recipe makes too; the run as it was where that is no better. A command whose output names what the
// user's own file sets is refused: no model could mend that, and no sandbox gets that file.
func (i *initiation) withEnvFile(ctx context.Context, sb sandbox.Sandbox, red *testrun.Outcome) (*testrun.Outcome,
	error) {
	for _, name := range templates {
		data, err := os.ReadFile(filepath.Join(i.Dir, name))
		if err != nil {
			continue
		}
		if err := sb.FS().Write(ctx, envFile, data); err != nil {
			return nil, cli.Fail(cli.ExitInfra, err)
		}
		i.Say("running it once more with %s as %s", name, envFile)
		run, err := i.tried(ctx, sb)
		if err != nil {
			return nil, err
		}
		if run.OK() || better(run, red) {
			i.setup = "cp " + name + " " + envFile
			i.Say("no trial has %s, which may hold secrets: the recipe makes one of %s", envFile, name)
			return run, nil
		}
		if _, err := sb.Exec(ctx, sandbox.Cmd{Argv: []string{"rm", "-f", envFile}}); err != nil {
			return nil, cli.Fail(cli.ExitInfra, err)
		}
	}
	own, err := os.ReadFile(filepath.Join(i.Dir, envFile))
	if err != nil {
		return red, nil // there is none, or none that could be read
	}
	names := named(string(own), printed(red))
	if len(names) == 0 {
		return red, nil
	}
	i.sayWhyRed(red, false)
	return nil, cli.Usage("what %s prints names %s, which %s sets: no trial has that file, as it may hold secrets, "+
		"so nothing was written\n"+
		"  hint: give the tests values that are no secrets: in .env.example, of which the recipe makes .env, or as\n"+
		"  hint: --test-command '%s=… %s'", text.Line(i.test), strings.Join(names, ", "), envFile,
		strings.Join(names, "=… "), text.Line(i.test))
}

var assignment = pattern.New(`(?m)^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=`)

// mostNamed bounds how many variables a message names.
const mostNamed = 5

// lacks is a line that says that something is not there.
var lacks = pattern.New(`(?i)not (?:set|defined|found|configured|provided)|unset|missing|required|KeyError|undefined|` +
	`unbound|must be|\bno \w+|empty|\bNone\b|\bnil\b|null`)

// named are the variables of an envFile that an output names, by word, where it says that something is not there.
func named(file, output string) (list []string) {
	output = strings.Join(slices.DeleteFunc(strings.Split(output, "\n"), func(line string) bool {
		return !lacks.MatchString(line)
	}), "\n")
	words := strings.FieldsFunc(output, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for _, m := range assignment.FindAllStringSubmatch(file, -1) {
		if slices.Contains(words, m[1]) && !slices.Contains(list, m[1]) && len(list) < mostNamed {
			list = append(list, m[1])
		}
	}
	return list
}
