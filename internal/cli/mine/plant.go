package mine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/mine"
	"cookoff/internal/plant"
	"cookoff/internal/temporary"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
)

// planting is one "plant".
type planting struct {
	mining
	seed   int64
	tasks  int
	faults int
	world  string   // a recipe in whose worlds faults are planted; "": the project
	only   []string // of its tasks
}

func plantCommand(d *door.Door) *cobra.Command {
	p := &planting{mining: mining{Door: d, flags: flags{jobs: 1}, name: "plant"}}
	f := &p.flags
	cmd := &cobra.Command{
		Use:   "plant",
		Short: "Make tasks of faults planted in the project's code",
		Long: `Changes the project's code in small ways, in a sandbox, until its tests notice, and
writes a recipe of tasks: each plants such faults and asks to mend them. Nothing of
yours is changed. Go is changed by its syntax; Python, JavaScript, Rust, Java, C and
many others by their words and signs; code of any language by whole lines.

What is planted is drawn from --seed: the same seed makes the same tasks of the same
commit, another seed makes tasks that nobody has seen. In a repository the last
commit is what is changed. With --world faults are planted in the worlds of a recipe's
tasks, as these are once mended, and the checks of each judge: no project is needed.`,
		Example: `  cookoff plant --tasks 10
  cookoff plant --tasks 20 --faults 3 --seed 7 --path internal/parser
  cookoff plant --world builtin:default --tasks 20 --seed 3
  cookoff run planted.recipe.md --models openai/gpt-5,openai/gpt-5-mini`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.given = cmd.Flags().Changed
			return p.run(cmd.Context())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.test, "test", "", "the `COMMAND` that tests the project (default: as its files propose)")
	fl.IntVar(&p.tasks, "tasks", 10, "make so many")
	fl.IntVar(&p.faults, "faults", 1, "plant so many in each task")
	fl.Int64Var(&p.seed, "seed", 0, "draw faults from `N` (0: from a number that is said)")
	fl.StringVar(&p.world, "world", "",
		"plant in the worlds of the tasks of `RECIPE`, as builtin:default, instead of the project")
	fl.StringSliceVar(&p.only, "task", nil, "with --world: of these tasks only (`a,b`)")
	fl.StringVar(&f.prepare, "prepare", "",
		"the `COMMAND` that gets what worlds need, "+
			"with a network, once a lockfile (default: as the project's files propose; none: none)")
	fl.StringSliceVar(&f.paths, "path", nil, "plant faults below these only (`a,b`)")
	fl.DurationVar(&f.timeout, "timeout", 0, "the `TIME` that one run of the tests may take (0: 5m)")
	fl.StringSliceVar(&f.dirs, "tool-dir", nil, "directories of the project that come first on PATH, as .venv/bin (`a,b`)")
	fl.StringArrayVar(&f.env, "env", nil, "`NAME=VALUE` for all that runs; may be given again")
	fl.StringSliceVar(&f.models, "models", nil,
		"the recipe compares these (`a,b`; default: baseline/noop,baseline/oracle)")
	fl.StringVarP(&f.output, "output", "o", "planted.recipe.md", "write the recipe to this file")
	fl.BoolVar(&f.force, "force", false, "overwrite a file that plant did not write")
	fl.BoolVar(&f.json, "json", false, "print what was planted, as JSON")
	return cmd
}

// run plants faults in the project, or in the worlds of a recipe that comes with the
// program, and writes a recipe of those tasks.
func (p *planting) run(ctx context.Context) error {
	if p.tasks < 1 || p.faults < 1 || p.faults > 20 {
		return cli.Usage("--tasks must be at least 1, --faults 1 to 20")
	}
	if p.seed == 0 {
		p.seed = 1 + rand.Int64N(1_000_000) //nolint:gosec // it is said
	}
	door.Sweep(p.Door)
	if p.world != "" {
		return p.inWorlds(ctx)
	}
	if len(p.only) > 0 {
		return cli.Usage("--task goes with --world")
	}
	o, err := p.options(ctx)
	if err != nil {
		return err
	}
	tmp, err := temporary.Dir("", "cookoff-plant-*")
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	defer os.RemoveAll(tmp)
	s := plant.Options{Dir: p.Dir, Test: o.Test, Seed: p.seed, Tasks: p.tasks, Faults: p.faults, Paths: p.paths,
		Timeout: o.Timeout, Env: p.env,
		Each: p.shown.planted, Note: func(line string) { p.shown.say("%s", text.Line(line)) }}
	if s.Timeout == 0 {
		s.Timeout = 5 * time.Minute
	}
	changed, err := s.Ground(ctx, p.Dir, filepath.Join(tmp, "project"))
	if err != nil {
		return p.failure(ctx, err)
	}
	if changed != "" {
		p.uncommitted(changed, "faults are planted in what is committed")
	}
	ref, err := p.referee(ctx, o)
	if err != nil {
		return err
	}
	if ref, err = p.lacking(ctx, o, ref, s.Dir, s.Base); err != nil {
		return err
	}
	s.Test, s.Path = o.Test, o.Path
	p.Say("planting faults with seed %d, judged by %s", p.seed, text.Line(o.Test))
	if o.Prepare != "" {
		p.Say("what the tests need is got with: %s (once, with a network)", text.Line(o.Prepare))
	}
	if s.Prepared, _, err = ref.Prepare(ctx, s.Dir, p.Dir); err != nil {
		return p.failed(ctx, err)
	}
	p.shown.start(p.Common, "running the tests without a fault")
	list, tried, err := plant.Sow(ctx, s, ref.Open, p.prover(ref, tmp, o), p.told)
	p.shown.finish()
	if err != nil && ctx.Err() == nil { // interrupted, it says what it has
		return p.failed(ctx, err)
	}
	return p.finish(ctx, o.Document(recipes(list), p.models), fmt.Sprintf("Faults planted in %s, seed %d",
		filepath.Base(p.Dir), p.seed), list, tried)
}

// told says of a task that was made.
func (p *planting) told(t plant.Task) {
	what := text.Count(len(t.Tests), "failing test")
	if p.world != "" {
		what = t.Tests[0]
	}
	p.shown.say("%s %s (%s)", p.Err.Paint(screen.Green, "task"), text.Line(strings.Join(t.Edits, "; ")), text.Line(what))
}

func recipes(list []plant.Task) (out []recipe.Task) {
	for _, t := range list {
		out = append(out, t.Recipe)
	}
	return out
}

// prover has the referee try a task in a recipe of its own, in a directory of ours: the project may be what models
// get, and a recipe that a killed process left there has a solution.
func (p *planting) prover(ref *referee, dir string, o *mine.Options) plant.Prove {
	return p.proving(ref, dir, func(t recipe.Task) *recipe.Recipe { return o.Document([]recipe.Task{t}, nil) })
}

func (p *planting) proving(ref *referee, dir string, alone func(recipe.Task) *recipe.Recipe) plant.Prove {
	return func(ctx context.Context, t recipe.Task) (string, error) {
		f, err := temporary.File(dir, ".planted-*.recipe.md")
		if err != nil {
			return "", err
		}
		defer os.Remove(f.Name())
		_, err = f.WriteString(alone(t).MarshalMarkdown())
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
		p.shown.proves()
		_, why, err := ref.Prove(ctx, f.Name())
		if why != "" && p.Verbose {
			p.shown.say("not %s: %s", text.Line(t.Title), text.Line(why))
		}
		return why, err
	}
}

// planted is what --json prints.
type planted struct {
	Seed   int64        `json:"seed"`
	Tasks  []plant.Task `json:"tasks"`
	Tried  plant.Tried  `json:"tried"`
	Recipe string       `json:"recipe,omitempty"`
}

// finish writes the recipe, and says what was tried.
func (p *planting) finish(ctx context.Context, r *recipe.Recipe, name string, list []plant.Task,
	tried plant.Tried) error {
	out := planted{Seed: p.seed, Tasks: list, Tried: tried}
	kept := ctx.Err() != nil && p.larger(r.Tasks)
	if len(list) > 0 && !kept {
		out.Recipe, r.Name = p.Rel(p.output), name
		doc := strings.Replace(r.MarshalMarkdown(), "\n## Models\n",
			"\n"+mark+", plant, seed "+fmt.Sprint(p.seed)+" -->\n\n## Models\n", 1)
		if err := p.save(doc); err != nil {
			return err
		}
	}
	if p.json {
		if err := p.PrintJSON(out); err != nil {
			return err
		}
	} else if err := p.table(out); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		p.halted(len(list), kept)
		return cli.Fail(cli.ExitInterrupted, nil)
	case len(list) == 0:
		return cli.Fail(cli.ExitGate, fmt.Errorf("no fault became a task%s", unnoticed(tried)))
	}
	p.Say("wrote %s\n  hint: cookoff run %[1]s --models PROVIDER/MODEL,baseline/noop", out.Recipe)
	if len(list) < p.tasks {
		p.Say("%s were asked for: the tests notice no more of what was tried", text.Count(p.tasks, "task"))
	}
	return nil
}

// unnoticed says what helps where tests notice nothing of what was tried; "": that is not what is wrong.
func unnoticed(tried plant.Tried) string {
	if tried.Planted == 0 || tried.Survived < tried.Planted {
		return ""
	}
	return "\n  hint: --path names the code that the tests look at; more --tasks, and another --seed, try other faults"
}

// halted says what is there of n tasks once planting was interrupted.
func (p *planting) halted(n int, kept bool) {
	file := p.Rel(p.output)
	switch {
	case kept:
		p.Say("stopped: %s stays as an earlier command wrote it, which has other tasks", file)
	case n == 0:
		p.Say("stopped before a fault became a task: nothing was written")
	default:
		p.Say("stopped: wrote %s with %s of %d\n  hint: the same command with --seed %d makes all of them", file,
			text.Count(n, "task"), p.tasks, p.seed)
	}
}

func (p *planting) table(out planted) error {
	t := table.New(p.Out)
	t.Row("faults", "", "")
	by := "by tests that are known by name"
	if p.world != "" {
		by = "by the checks of their tasks"
	}
	for _, r := range append(outcomes(out.Tried, by),
		became{"tasks", len(out.Tasks), fmt.Sprintf("seed %d", out.Seed)}) {
		if r.n > 0 || r.what == "tasks" {
			t.Row(r.what, fmt.Sprint(r.n), r.why)
		}
	}
	return cli.Written(t.Flush())
}

// became is how many faults something became of.
type became struct {
	what string
	n    int
	why  string
}

// outcomes are what became of faults; by says who noticed them.
func outcomes(all plant.Tried, by string) []became {
	return []became{
		{"planted", all.Planted, "one at a time"}, {"noticed", all.Killed, by},
		{"survived", all.Survived, "no test notices them"}, {"unbuilt", all.Unbuilt, "what can't be built is no task"},
		{"endless", all.Endless, "the tests don't end"}, {"everywhere", all.Many, "more than half of the tests fail"},
		{"differing", all.Differ, "other tests fail from run to run"}, {"refused", all.Refused, "by the referee"},
	}
}

// failed gives an error of planting its exit code.
func (p *planting) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cli.Fail(cli.ExitInterrupted, nil)
	}
	return cli.Usage("%w", err)
}
