package cookoff

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/internal/host"
	"cookoff/internal/plant"
	"cookoff/internal/temporary"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/trial"
)

// plantTimeout is how long one run of the tests may take where faults are planted.
const plantTimeout = 5 * time.Minute

// plant makes the tasks of planted faults, in the places of those that stand in for
// them: those of the run that goes on, is played again or judged again, else new ones.
// It does nothing the second time.
func (p *preparation) plant(ctx context.Context, judged *Kept) error {
	sets := p.sets
	if len(sets) == 0 {
		return nil
	}
	p.declare(sets)
	made, err := p.recorded(sets, judged)
	if err == nil && made == nil && p.opt.Resume == nil { // a run that goes on has the tasks that it has
		made, err = p.sown(ctx, sets)
	}
	if err != nil {
		return err
	}
	var left []string
	for _, name := range p.tasks {
		if _, ok := made[name]; ok || !recipe.IsPlanted(sets, name) {
			left = append(left, name)
		}
	}
	p.recipe, p.tasks, p.sets = p.recipe.WithPlanted(sets, made), left, nil
	return nil
}

// declare keeps how the recipe says the sets, for the record.
func (p *preparation) declare(sets []recipe.Planted) {
	p.env.Planted = map[string]string{}
	for _, s := range sets {
		p.env.Planted[s.Task.Title] = s.Declared(p.seed(s))
	}
}

// recorded gives the tasks of planted faults that a run was made with; nil: there is no
// such run, or it was made with others.
func (p *preparation) recorded(sets []recipe.Planted, judged *Kept) (map[string]recipe.Task, error) {
	var run trial.Run
	switch {
	case judged != nil:
		run = judged.Run
	case p.opt.Resume != nil:
		run = p.opt.Resume.Run()
	case p.opt.Replay != nil:
		run = p.opt.Replay.Record
	default:
		return nil, nil
	}
	r, err := recipe.ParseContent([]byte(run.Markdown))
	if err != nil {
		return nil, fmt.Errorf("reading the recipe that the run recorded: %w", err)
	}
	var out map[string]recipe.Task
	for _, s := range sets {
		_, begun := run.Planted[s.Task.Title] // a run that goes on is refused later where they are others
		begun = begun && p.opt.Resume != nil
		for _, t := range r.Tasks {
			if recipe.IsPlanted([]recipe.Planted{s}, t.Title) && (begun || slices.Contains(t.Tags, seedTag(p.seed(s)))) {
				if out == nil {
					out = map[string]recipe.Task{}
				}
				out[t.Title] = t
			}
		}
	}
	return out, nil
}

// seed is what the faults of a set are drawn from.
func (p *preparation) seed(s recipe.Planted) int64 {
	return cmp.Or(s.Task.Seed, p.recipe.Comparison.Seed, 1)
}

func seedTag(seed int64) string { return fmt.Sprintf("seed-%d", seed) }

// sown plants faults for all sets.
func (p *preparation) sown(ctx context.Context, sets []recipe.Planted) (map[string]recipe.Task, error) {
	if err := p.env.Backend.Check(ctx); err != nil {
		return nil, err
	}
	if err := p.warm(ctx); err != nil {
		return nil, err
	}
	worlds := &Worlds{p, host.Programs(p.env.ToolPaths)}
	dir := filepath.Join(p.opt.Dir, cmp.Or(p.recipe.Constraints.ProjectRoot, p.recipe.Metadata.ProjectRoot))
	out := map[string]recipe.Task{}
	for _, s := range sets {
		f := &field{Worlds: worlds, set: s, dir: dir}
		list, err := f.tasks(ctx)
		if err != nil {
			return nil, fmt.Errorf("planting faults for %q: %w", s.Task.Title, err)
		}
		for i, t := range list {
			t.Title = s.Name(i)
			out[t.Title] = t
		}
	}
	return out, nil
}

// foretold says of the tasks that a run would make first how many they are.
func (p *preparation) foretold() {
	for _, s := range p.sets {
		p.opt.Notify(Notice{Text: fmt.Sprintf("%q: %s made when the run starts, of faults planted with seed %d",
			text.Line(s.Task.Title), text.Count(s.Tasks, "task"), p.seed(s))})
	}
}

// field is where the faults of one set are planted.
type field struct {
	*Worlds
	set recipe.Planted
	dir string // the project
}

// tasks makes the tasks of the set, or remembers them.
func (f *field) tasks(ctx context.Context) ([]recipe.Task, error) {
	t := f.set.Task
	tmp, err := temporary.Dir("", "cookoff-plant-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	o := plant.Options{Test: t.Plant, Seed: f.p.seed(f.set), Tasks: f.set.Tasks,
		Faults: max(1, t.Faults), Paths: t.Below, Timeout: plantTimeout, Path: t.Path, Env: t.Env,
		Note: func(line string) { f.say("%s", text.Line(line)) }}
	changed := ""
	if t.PlantedIn() == "" {
		changed, err = o.Ground(ctx, f.dir, filepath.Join(tmp, "project"))
	}
	if err != nil {
		return nil, err
	}
	if changed != "" {
		f.say("the project has changes that are not committed (%s): faults are planted in what is committed",
			text.Line(changed))
	}
	known := f.known(o)
	list := known.load()
	if list == nil {
		if list, err = f.sow(ctx, o); err != nil {
			return nil, err
		}
		known.store(list)
	}
	if len(list) == 0 {
		return nil, errors.New("nothing that judges notices a fault that could be planted")
	}
	if len(list) < f.set.Tasks {
		f.say("%q: %d of %d variants: the tests notice no more of what was tried", text.Line(t.Title),
			len(list), f.set.Tasks)
	}
	for i := range list {
		list[i] = f.dressed(list[i], o.Seed)
	}
	return list, nil
}

func (f *field) say(format string, args ...any) {
	f.p.opt.Notify(Notice{Text: fmt.Sprintf(format, args...)})
}

// sow plants faults.
func (f *field) sow(ctx context.Context, o plant.Options) (list []recipe.Task, err error) {
	f.say("planting faults for %s, with seed %d, judged by %s", text.Count(o.Tasks, "task"), o.Seed,
		text.Line(f.judges()))
	var made []plant.Task
	if in := f.set.Task.PlantedIn(); in != "" {
		made, err = f.sowIn(ctx, in, o)
	} else if o.Prepared, _, err = f.Prepare(ctx, o.Dir, f.dir); err == nil {
		made, _, err = plant.Sow(ctx, o, f.Open, f.prove, func(plant.Task) {})
	}
	list = make([]recipe.Task, 0, len(made))
	for _, t := range made {
		list = append(list, t.Recipe)
	}
	return list, err
}

// judges says what judges the faults of the set.
func (f *field) judges() string {
	if in := f.set.Task.PlantedIn(); in != "" {
		return "the checks of " + in
	}
	return f.set.Task.Plant
}

// sceneTimeout is how long one script of a task may take in whose world a fault is planted.
const sceneTimeout = 2 * time.Minute

// sowIn plants faults in the worlds of the tasks of a recipe that comes with the program.
func (f *field) sowIn(ctx context.Context, name string, o plant.Options) ([]plant.Task, error) {
	read, problems, err := Find(ctx, name, f.p.opt)
	if err != nil {
		return nil, err
	}
	if read == nil {
		return nil, problems
	}
	o.Timeout = sceneTimeout
	list, _, err := plant.SowIn(ctx, o, read.Tasks, f.Open, f.prove, func(plant.Task) {}, func(string, string) {})
	return list, err
}

// prove has the referee try a task, as before a run.
func (f *field) prove(ctx context.Context, t recipe.Task) (why string, err error) {
	o := f.p.opt.ForJudging()
	o.Notify, o.Select, o.Resume, o.Replay, o.Parallel, o.Seed = nil, nil, nil, nil, 1, 0
	t.Title = f.set.Name(0)
	one := f.p.recipe.WithPlanted([]recipe.Planted{{First: 0, Tasks: len(f.p.recipe.Tasks)}},
		map[string]recipe.Task{t.Title: f.dressed(t, 1)})
	c, err := Check(ctx, one, nil, o)
	if wrong, ok := errors.AsType[problem.List](err); ok {
		return wrong.Errors()[0].Msg, nil
	}
	if err != nil {
		return "", err
	}
	found, _, err := c.Lint(ctx, Proving, nil, nil)
	if bad := found.Errors(); err == nil && len(bad) > 0 {
		return bad[0].Msg, nil
	}
	return "", err
}

// dressed gives a task that was made what its set says of all of its tasks.
func (f *field) dressed(t recipe.Task, seed int64) recipe.Task {
	s := f.set.Task
	own := s
	if s.PlantedIn() != "" {
		own = inItsWorld(t, s)
	}
	own.Title, own.Setup, own.After, own.Solution, own.Base = t.Title, t.Setup, t.After, t.Solution, t.Base
	own.Plant, own.Variants, own.Seed, own.Faults, own.Below = "", 0, 0, 0, nil
	if own.Prompt = t.Prompt; s.Prompt != "" {
		own.Prompt = s.Prompt + "\n\n" + t.Prompt
	}
	own.Tags = append(append([]string{}, s.Tags...), t.Tags...)
	own.Tags = append(own.Tags, seedTag(seed))
	return own
}

// inItsWorld is the task of a fault in another task's world: as that one has it, but for what
// its set says.
func inItsWorld(t, set recipe.Task) recipe.Task {
	out := t
	out.Path, out.Env = slices.Concat(set.Path, t.Path), slices.Concat(t.Env, set.Env)
	out.Timeout, out.MaxSteps = cmp.Or(set.Timeout, t.Timeout), cmp.Or(set.MaxSteps, t.MaxSteps)
	out.Network, out.Memory, out.Disk = cmp.Or(set.Network, t.Network), cmp.Or(set.Memory, t.Memory),
		cmp.Or(set.Disk, t.Disk)
	if set.Tools != nil {
		out.Tools = set.Tools
	}
	out.Needs = slices.Concat(t.Needs, set.Needs)
	return out
}

// sowing is what the user's cache knows of a set of tasks.
type sowing struct {
	p   *preparation
	key string // "": nothing is kept
}

// known says under what the tasks of a set are remembered: of a commit, since files that
// were not committed may be others next time.
func (f *field) known(o plant.Options) sowing {
	f.p.proving()
	in := f.set.Task.PlantedIn()
	if o.Base == "" && in == "" || f.p.proofs == nil || f.p.opt.Dry {
		return sowing{}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{"planted", f.p.env.Proving, o.Base, o.Test,
		fmt.Sprint(o.Seed, o.Tasks, o.Faults), strings.Join(o.Paths, "\x00"),
		strings.Join(o.Path, "\x00"), strings.Join(o.Env, "\x00"),
		f.p.recipe.Sandbox.Prepare, strings.Join(f.p.recipe.Sandbox.Env, "\x00"), f.dir}, "\x01")))
	return sowing{f.p, hex.EncodeToString(sum[:])}
}

// load gives what is remembered; nil: nothing.
func (s sowing) load() (list []recipe.Task) {
	if s.key == "" {
		return nil
	}
	raw, ok := s.p.proofs.Known(s.key)
	if !ok || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

func (s sowing) store(list []recipe.Task) {
	if s.key == "" || len(list) == 0 {
		return
	}
	if raw, err := json.Marshal(list); err == nil {
		s.p.proofs.Add(s.key, raw)
	}
}
