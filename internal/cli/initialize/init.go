package initialize

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/propose"
	"cookoff/recipe"
	"cookoff/recipe/problem"
)

// initFlags are the flags of "init", and the answers to its questions.
type initFlags struct {
	models []string
	task   string
	test   string
	output string
	force  bool
	plant  bool
	get    string

	prepare propose.Preparation // what gets what the tests need
	lacked  string              // what the test command said that lacked something
	looking bool                // the test command is only looked at: the task need not be broken
	fault   *propose.Fault      // planted where all tests pass
	members []string            // globs of the packages of a project that has several
	all     string              // command that tests several projects, one after another
	below   []propose.Member    // of each of them
	dir     string              // of the project
	git     bool                // the project is a checkout, whose history would tell the fault
	gitRuns bool                // in the sandbox
	vars    []string            // NAME=value, which the tests need
	setup   string              // shell command that makes a file that the tests need
}

// Command is "init".
func Command(d *door.Door) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:        "init",
		SuggestFor: []string{"new", "create"},
		Short:      "Write a recipe to start from",
		Long: `Writes a recipe that can be run as it is: a few questions on a terminal, or the
flags, say which models try what, and which command judges it. The command is
proposed from go.mod, package.json, pyproject.toml and their like, and run once
in the sandbox: red, and the recipe asks to mend it; green, and a small fault is
planted in the recipe (never in your files) for models to find. Where packages are
missing that a lockfile names, "go mod download", "npm ci" and their like get them,
once, and the recipe says so. A project that
proposes nothing gets an example. A file that is there is never overwritten
without --force.`,
		Example: `  cookoff init
  cookoff init --test-command 'go test ./...' --models openai/gpt-5-mini,baseline/noop
  cookoff init --no-input --output draft.md`,
		Args: cli.NoArguments("--output %s writes to a file of that name; the project is the one that you are in: " +
			"cd to another first"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			i := initiation{Door: d, initFlags: f, given: cmd.Flags().Changed}
			return i.run(cmd.Context())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.models, "models", nil, "compare these models (`a,b`)")
	fl.StringVar(&f.task, "task", "", "what models are told, as `TEXT`")
	fl.StringVar(&f.test, "test-command", "",
		"the shell `COMMAND` that must succeed in the end (default: as the project's files propose; empty: an example)")
	fl.StringVar(&f.get, "prepare", "", "the shell `COMMAND` that gets what the tests need, "+
		"once, with a network (default: as the project's files propose, where something is missing; none: nothing)")
	fl.BoolVar(&f.plant, "plant", true, "where all tests pass, plant a fault for models to find")
	fl.StringVarP(&f.output, "output", "o", "recipe.md", "write the recipe to this file; - is standard output")
	fl.BoolVar(&f.force, "force", false, "overwrite the file")
	return cmd
}

func promptFor(test string) string {
	return fmt.Sprintf("`%s` fails. Find out why and mend it, without touching the tests.", test)
}

// fromAnswers gives problems of the recipe text the answer as their place: the
// text is one that nobody has written, and that is in no file.
func fromAnswers(ps problem.List, text string) problem.List {
	lines := strings.Split(text, "\n")
	var before, rest problem.List
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
		p.Pos = problem.Pos{File: flag}
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

// defaultModels are the models that try a recipe where nobody names any: those
// that need no key.
func (f initFlags) defaultModels() []string {
	if f.test == "" || f.fault != nil { // there is a solution
		return []string{"baseline/noop", "baseline/oracle"}
	}
	return []string{"baseline/noop"}
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
		r.Models = f.defaultModels()
	}
	t := example()
	if f.test != "" {
		t = f.own()
	}
	if f.task != "" {
		t.Prompt = f.task
	}
	r.Tasks = []recipe.Task{t}
	return r
}

// own is the task that a test command judges.
func (f initFlags) own() recipe.Task {
	t := recipe.Task{
		Title: "Make it pass", Prompt: promptFor(f.test),
		Before:  "! ( " + f.test + "\n)", // a shell of its own: the command may exit
		After:   []recipe.Check{{Script: f.test}},
		Protect: f.protect(), Env: f.vars,
	}
	if f.looking {
		t.Before = ""
	}
	t.Prepare, t.Setup = f.prepare.Command, f.setup
	if f.fault != nil {
		t.Setup, t.Solution = strings.TrimPrefix(f.setup+"\n"+f.fault.Setup(), "\n"), f.fault.Solution()
		switch {
		case f.git && f.gitRuns:
			t.Setup += "\n" + anew
		case f.git:
			t.Setup = "rm -rf .git\n" + t.Setup
		}
	}
	return t
}

// anew begins the project's repository anew with one commit of the files that it tracks: its history would tell the
// fault. The last tag stays, for what asks git for a version.
const anew = `git add -u && git ls-files -z > /tmp/.tracked && tag=$(git describe --tags --abbrev=0 2> /dev/null)
rm -rf .git && git init -q -b main && git add -f --pathspec-from-file=/tmp/.tracked --pathspec-file-nul
rm /tmp/.tracked; git -c user.name=base -c user.email=base@localhost commit -q --no-verify --no-gpg-sign -m base
[ -z "$tag" ] || git tag "$tag"`

// protect gives the globs of what decides. Names with blanks or commas would be taken for several.
func (f initFlags) protect() []string {
	globs := propose.Decides(f.dir, f.test, f.members...)
	if f.setup != "" {
		globs = append(globs, envFile)
	}
	for i, g := range globs {
		globs[i] = strings.NewReplacer(" ", "?", ",", "?").Replace(g)
	}
	return globs
}

// example is a task that needs no project.
func example() recipe.Task {
	return recipe.Task{
		Title: "The greeting is wrong", Prompt: "`greet.sh` must print hello. Mend it; leave `name.txt` alone.",
		Setup:    "echo world > name.txt\necho 'echo bye' > greet.sh",
		Before:   `! test "$(sh greet.sh)" = hello`,
		After:    []recipe.Check{{Script: `test "$(sh greet.sh)" = hello`}},
		Solution: "echo 'echo hello' > greet.sh",
		Protect:  []string{"name.txt"},
	}
}
