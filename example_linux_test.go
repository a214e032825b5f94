package cookoff_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	"cookoff"
	"cookoff/recipe/problem"
	"cookoff/sandbox/native"
	"cookoff/sandbox/scratch"
	"cookoff/trial"
)

// TestMain gives the examples a home of their own; where there is no sandbox they are
// left out.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "cookoff-example-")
	if err != nil {
		log.Fatal(err)
	}
	os.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	flag.Parse()
	if err := native.New(native.Options{}).Check(context.Background()); err != nil {
		fmt.Println("examples are skipped, there is no sandbox:", err)
		_ = flag.Set("test.skip", "^Example")
	}
	code := m.Run()
	_ = scratch.Remove(home)
	os.Exit(code)
}

const greeting = `# Greeting
version: 1

## Models
- baseline/noop
- baseline/oracle

## Tasks
### The greeting is wrong
Make greet.sh print hello.

` + "```sh setup\necho 'echo bye' > greet.sh\n```\n```sh before\n! test \"$(sh greet.sh)\" = hello\n```\n" +
	"```sh after\ntest \"$(sh greet.sh)\" = hello\n```\n```sh solution\necho 'echo hello' > greet.sh\n```\n"

// project makes a directory with a recipe.
func project(text string) (dir string) {
	dir, err := os.MkdirTemp("", "cookoff-example-")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "recipe.md"), []byte(text), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
	return dir
}

// A recipe is opened, every model tries every task, and who fixed what is printed.
func Example() {
	dir := project(greeting)
	defer os.RemoveAll(dir)
	ctx := context.Background()
	c, err := cookoff.Open(ctx, "recipe.md", cookoff.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	res, err := c.Run(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range res.Report.Models {
		fmt.Printf("%-16s fixed %d of %d\n", m.Name, m.Pass, m.Pass+m.Fail)
	}
	// Output:
	// baseline/noop    fixed 0 of 1
	// baseline/oracle  fixed 1 of 1
}

// Events come as they happen; the same events are in the journal of the run.
func ExampleComparison_Run() {
	dir := project(greeting)
	defer os.RemoveAll(dir)
	ctx := context.Background()
	c, err := cookoff.Open(ctx, "", cookoff.Options{Dir: dir, Models: []string{"baseline/oracle"},
		Trials: 2, Parallel: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	fmt.Println(len(c.Plan()), "trials")
	_, err = c.Run(ctx, nil, trial.SinkFunc(func(e trial.Event) error {
		if e.Outcome != nil {
			fmt.Println(e.Trial, e.Outcome.Status)
		}
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 trials
	// t001 pass
	// t002 pass
}

// All that is wrong with a recipe is said at once, and nothing is run.
func ExampleOpen_problems() {
	dir := project(
		"# Wrong\nversion: 1\n\n## Models\n- nobody/knows\n\n## Tasks\n### One\nDo it.\n\n```sh after\ntrue\n" +
			"```\nfoo: bar\n")
	defer os.RemoveAll(dir)
	_, err := cookoff.Open(context.Background(), "recipe.md", cookoff.Options{Dir: dir})
	var problems problem.List
	if errors.As(err, &problems) {
		for _, p := range problems.Errors() {
			fmt.Printf("line %d: %s\n", p.Pos.Line, p.Msg)
		}
	}
	// Output:
	// line 5: model "nobody/knows": no provider is called "nobody"
	// line 14: unknown key "foo": allowed are protect, may_change, may_add, path, mounts, root, user, hidden, judge, judge_files, project, base, prepare, warm, probe, timeout, env, judge_env, max_steps, tools, verify_env, image, needs, vary, tags, date, repair, harbor, network, memory, disk, plant, variants, seed, faults, below
}
