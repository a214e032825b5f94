package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/recipe"
	"cookoff/runner"
)

// initFlags are the flags of "init", and the answers to its questions.
type initFlags struct {
	models []string
	task   string
	test   string
	output string
	force  bool
}

func (a *app) initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a recipe to start from",
		Long: `Writes a recipe that can be run as it is: a few questions on a terminal, or the
flags, say which models try what, and which command judges it. Without a
command that judges, the recipe stages a small fault of its own. A file that is
there is never overwritten without --force.`,
		Example: `  cookoff init
  cookoff init --test-command 'go test ./...' --models openai/gpt-5-mini,baseline/noop
  cookoff init --no-input --output draft.md`,
		Args: positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.initAsk(&f, cmd.Flags().Changed); err != nil {
				return err
			}
			return a.initRecipe(cmd.Context(), f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.models, "models", nil, "compare these models (`a,b`)")
	fl.StringVar(&f.task, "task", "", "what models are told, as `TEXT`")
	fl.StringVar(&f.test, "test-command", "", "the shell `COMMAND` that fails now and must succeed in the end")
	fl.StringVarP(&f.output, "output", "o", "recipe.md", "write the recipe to this file; - is standard output")
	fl.BoolVar(&f.force, "force", false, "overwrite the file")
	return cmd
}

// initAsk fills in what no flag says.
func (a *app) initAsk(f *initFlags, given func(string) bool) error {
	if !f.force && f.output != "-" {
		if _, err := os.Lstat(f.output); err == nil {
			return usage("%s is there already\n  hint: --force overwrites it, --output names another file", f.output)
		}
	}
	if !a.asks() {
		return nil
	}
	var err error
	if !given("test-command") {
		if f.test, err = a.ask("Which command fails now and must succeed in the end? (none: an example is staged)", testCommand(a.dir)); err != nil {
			return err
		}
	}
	if !given("task") && f.test != "" {
		if f.task, err = a.ask("What are models told?", promptFor(f.test)); err != nil {
			return err
		}
	}
	if !given("models") {
		models, err := a.ask("Which models try it? (cookoff models lists providers)", strings.Join(initModels(f.test), ", "))
		if err != nil {
			return err
		}
		for m := range strings.SplitSeq(models, ",") {
			f.models = append(f.models, strings.TrimSpace(m))
		}
	}
	return nil
}

// testCommand guesses how the project in dir is tested, "" where nothing
// tells.
func testCommand(dir string) string {
	for _, g := range []struct{ file, command string }{
		{"go.mod", "go test ./..."}, {"Cargo.toml", "cargo test"}, {"package.json", "npm test"},
		{"pyproject.toml", "python3 -m pytest"}, {"Makefile", "make test"},
	} {
		if _, err := os.Stat(filepath.Join(dir, g.file)); err == nil {
			return g.command
		}
	}
	return ""
}

// testFiles gives the globs of what a command that runs tests judges by, which
// must stay as it is; none where nothing tells.
func testFiles(test string) []string {
	const node, python, golang, rust, makefiles = "test/** tests/** __tests__/** **/*.test.* **/*.spec.* **/test-*.* package.json " +
		"node_modules/.bin/** .npmrc .mocharc* jest.config.* vitest.config.* vite.config.* babel.config.*",
		"tests/** **/test_*.py **/*_test.py **/conftest.py pytest.ini .pytest.ini pyproject.toml setup.cfg tox.ini " +
			"**/sitecustomize.py **/usercustomize.py",
		"**/*_test.go **/testdata/** go.mod go.work", "tests/** Cargo.toml .cargo/**",
		"Makefile makefile GNUmakefile"
	var globs []string
	for _, k := range []struct{ command, globs string }{
		{"go test", golang}, {"cargo test", rust}, {"npm test", node}, {"npm run", node}, {"yarn", node}, {"pnpm", node},
		{"node --test", node}, {"jest", node}, {"vitest", node}, {"mocha", node}, {"pytest", python}, {"unittest", python},
		{"tox", python}, {"make", makefiles + " test/** tests/** **/*_test.go **/test_*.py **/*.test.*"},
	} {
		if !strings.Contains(test, k.command) {
			continue
		}
		for g := range strings.FieldsSeq(k.globs) {
			if !slices.Contains(globs, g) {
				globs = append(globs, g)
			}
		}
	}
	return globs
}

func promptFor(test string) string {
	return fmt.Sprintf("`%s` fails. Find out why and mend it, without touching the tests.", test)
}

// initModels are the models that try a recipe where nobody names any: those
// that need no key.
func initModels(test string) []string {
	if test == "" {
		return []string{"baseline/noop", "baseline/oracle"}
	}
	return []string{"baseline/noop"}
}

// initRecipe writes the recipe, unless something is wrong with it.
func (a *app) initRecipe(ctx context.Context, f initFlags) error {
	r := f.recipe(filepath.Base(a.dir))
	text := strings.Replace(r.MarshalMarkdown(), "\n## Models\n", "\n## Models\n\n<!-- The contestants, such as openai/gpt-5-mini; \"cookoff models\" says who can be asked. -->", 1)
	read, err := recipe.ParseContent([]byte(text))
	if ps := (recipe.Problems)(nil); errors.As(err, &ps) {
		err = fromAnswers(ps, text)
	}
	if err != nil {
		return &failure{exitUsage, err}
	}
	c, err := a.check(read.Over(recipe.Defaults()), nil, checkOptions{offline: true})
	if err != nil {
		return err
	}
	if len(c.problems.Errors()) > 0 {
		return &failure{exitUsage, fromAnswers(c.problems, text)}
	}
	if f.test != "" {
		if err := a.initTry(ctx, read, c); err != nil {
			return err
		}
	}
	printProblems(a.err, c.problems)
	if f.output == "-" {
		_, err := io.WriteString(a.out, text)
		return written(err)
	}
	if err := create(f.output, []byte(text), f.force); err != nil {
		return err
	}
	a.say("wrote %s\n  hint: cookoff run %s", f.output, f.output)
	return nil
}

// initTry tries the command that judges, in the sandbox that it will run in:
// it must be able to run there, and fail now.
func (a *app) initTry(ctx context.Context, r *recipe.Recipe, c *checked) error {
	if err := c.env.Backend.Check(ctx); err != nil {
		a.say("the command was not tried: %v", err)
		return nil
	}
	r = r.Over(recipe.Default())
	found, err := a.trying(ctx, r, c, func(built *runner.Runner) (recipe.Problems, error) { return built.Prove(ctx) })
	if err != nil {
		return err
	}
	if len(found.Errors()) == 0 {
		return nil
	}
	for i := range found {
		found[i].Pos = recipe.Pos{File: "--test-command"}
	}
	return &failure{exitUsage, found.Errors()}
}

// fromAnswers gives problems of the recipe text the answer as their place: the
// text is one that nobody has written, and that is in no file.
func fromAnswers(ps recipe.Problems, text string) recipe.Problems {
	lines := strings.Split(text, "\n")
	var before, rest recipe.Problems
	for _, p := range ps {
		flag := "--task"
		for _, line := range lines[:min(p.Pos.Line, len(lines))] {
			switch {
			case line == "## Models":
				flag = "--models"
			case line == "## Tasks":
				flag = "--task"
			case strings.HasPrefix(line, "```sh "):
				flag = strings.TrimPrefix(line, "```sh ")
			}
		}
		p.Pos = recipe.Pos{File: flag}
		switch flag {
		case "before":
			p.Pos.File = "--test-command"
			before = append(before, p)
			continue
		case "after":
			p.Pos.File = "--test-command"
		}
		rest = append(rest, p)
	}
	if len(rest) == 0 { // one command made both
		return before
	}
	return rest
}

// recipe makes the recipe of the answers.
func (f initFlags) recipe(name string) *recipe.Recipe {
	r := &recipe.Recipe{
		Version:     recipe.MaxVersion,
		Name:        name,
		Models:      f.models,
		Constraints: recipe.ConstraintsConfig{MaxSteps: 40, Timeout: 5 * time.Minute},
		SubAgent:    recipe.SubAgentConfig{MaxDepth: -1},
	}
	if len(r.Models) == 0 {
		r.Models = initModels(f.test)
	}
	t := recipe.Task{Prompt: f.task, Title: "Make it pass"}
	if f.test != "" {
		if t.Prompt == "" {
			t.Prompt = promptFor(f.test)
		}
		t.Before = "! ( " + f.test + "\n)" // a shell of its own: the command may exit
		t.After = []recipe.Check{{Script: f.test}}
		t.Protect = testFiles(f.test)
	} else {
		t.Title = "The greeting is wrong"
		if t.Prompt == "" {
			t.Prompt = "`greet.sh` must print hello. Mend it; leave `name.txt` alone."
		}
		t.Setup = "echo world > name.txt\necho 'echo bye' > greet.sh"
		t.Before = `! test "$(sh greet.sh)" = hello`
		t.After = []recipe.Check{{Script: `test "$(sh greet.sh)" = hello`}}
		t.Solution = "echo 'echo hello' > greet.sh"
		t.Protect = []string{"name.txt"}
	}
	r.Tasks = []recipe.Task{t}
	return r
}

// create writes a file that must not be there yet, or with force replaces it.
func create(path string, data []byte, force bool) error {
	if force {
		return written(writeFile(path, data))
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usage("%s is there already\n  hint: --force overwrites it", path)
	}
	if err != nil {
		return written(err)
	}
	_, err = f.Write(data)
	return written(errors.Join(err, f.Close()))
}
