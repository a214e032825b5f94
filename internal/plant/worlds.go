package plant

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"cookoff/internal/mine"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/patches"
	"cookoff/internal/mutants"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify/testrun"

	"mvdan.cc/sh/v3/syntax"
)

// Open opens a sandbox.
type Open func(context.Context, sandbox.Spec) (sandbox.Sandbox, error)

// unfit says why no faults are planted in the world of a task; "": they can be.
func unfit(t recipe.Task) string {
	switch {
	case t.Setup == "" || t.Solution == "" || len(t.After) == 0:
		return "it has no setup, solution and after check"
	case len(t.Services)+len(t.Vary)+len(t.Mounts) > 0 ||
		t.Base+t.Project+t.Prepare+t.Root+t.Image+t.JudgeFiles+t.User != "":
		return "its world needs more than a setup"
	case t.Plant+t.Harbor+t.Repair != "":
		return "it stands for others"
	}
	return ""
}

// scene is the world of a task, as it is once mended: every fault is tried in a world of its
// own that begins with it.
type scene struct {
	Options
	task  recipe.Task
	open  Open
	state sandbox.State
	texts map[string]string // of programs, by path in the project, or from ~/
	order []mutants.Edit
	next  int
}

// SowIn makes tasks of faults that are planted in the worlds of tasks, as these are once
// mended, so that their checks notice. Each world has its turn. skipped is told of worlds
// in which nothing can be planted.
func SowIn(ctx context.Context, o Options, worlds []recipe.Task, open Open, prove Prove, done func(Task),
	skipped func(title, why string)) (list []Task, tried Tried, err error) {
	var scenes []*scene
	defer func() {
		for _, s := range scenes {
			err = errors.Join(err, s.state.Release())
		}
	}()
	for _, t := range worlds {
		if why := unfit(t); why != "" {
			skipped(t.Title, why)
			continue
		}
		s, why, err := o.scene(ctx, t, open)
		if err != nil {
			return nil, tried, err
		}
		if s == nil {
			skipped(t.Title, why)
			continue
		}
		scenes = append(scenes, s)
	}
	live := slices.Clone(scenes)
	for n := 0; len(live) > 0 && len(list) < o.Tasks && tried.Planted < mostTries*o.Tasks; n++ {
		s := live[n%len(live)]
		t, err := s.one(ctx, &tried, len(list)+1)
		if err != nil {
			return list, tried, err
		}
		if t == nil {
			if s.next == len(s.order) {
				live = slices.DeleteFunc(live, func(x *scene) bool { return x == s })
			}
			continue
		}
		why, err := prove(ctx, t.Recipe)
		switch {
		case err != nil:
			return list, tried, err
		case why != "":
			tried.Refused++
		default:
			list = append(list, *t)
			done(*t)
		}
	}
	return list, tried, nil
}

// programs lists what a world has of small files that no repository tracks, and that are of
// the user who works there.
const programs = `list() { find "$1" -xdev \( -name .git -o -name node_modules -o -name .venv -o -name '.cache' \) -prune -o -type f -size -64k -print0; }
{ list . ; list ~ ; } | while IFS= read -r -d '' f; do
  git -C "$(dirname "$f")" ls-files --error-unmatch -- "$(basename "$f")" >/dev/null 2>&1 || printf '%s\0' "$f"
done`

// scene makes the world of a task ready; nil: why it can't be.
func (o Options) scene(ctx context.Context, t recipe.Task, open Open) (s *scene, why string, err error) {
	sb, err := open(ctx, o.spec(t, nil))
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	for _, script := range []string{t.Setup, t.Solution} {
		res, err := sb.Exec(ctx, sandbox.Cmd{Script: script, Timeout: o.Timeout})
		if err != nil {
			return nil, "", err
		}
		if !res.OK() {
			return nil, "its setup, or its solution, fails by itself", nil
		}
	}
	s = &scene{Options: o, task: t, open: open, texts: map[string]string{}}
	if err := s.read(ctx, sb); err != nil {
		return nil, "", err
	}
	if len(s.order) == 0 {
		return nil, "it has no program that a fault can be planted in", nil
	}
	if s.state, err = sb.Seal(ctx); err != nil {
		return nil, "", err
	}
	red, _, err := s.ask(ctx, nil)
	if err == nil && red == nil {
		return s, "", nil
	}
	if err == nil {
		why = "its checks do not hold in another world: " + outcome.Of(red).KeyLine()
	}
	return nil, why, errors.Join(err, s.state.Release())
}

func (o Options) spec(t recipe.Task, state sandbox.State) sandbox.Spec {
	return sandbox.Spec{State: state, Network: sandbox.NoNetwork, Path: t.Path, Env: slices.Concat(o.Env, t.Env),
		Limits: sandbox.Limits{Call: o.Timeout, Output: 1 << 20, Processes: 512}}
}

// read finds the programs, and draws the order in which faults in them are tried.
func (s *scene) read(ctx context.Context, sb sandbox.Sandbox) error {
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: "echo ~; " + programs})
	if err != nil {
		return err
	}
	home, rest, _ := strings.Cut(string(res.Stdout), "\n")
	var files []string
	for p := range strings.SplitSeq(rest, "\x00") {
		if below, ok := strings.CutPrefix(p, home+"/"); ok {
			p = "~/" + below
		}
		p = strings.TrimPrefix(p, "./")
		if p == "" || !mutants.Source(strings.TrimPrefix(p, "~/")) || len(files) == mostFiles {
			continue
		}
		ch, err := sb.FS().Read(ctx, p, 0, mostSize)
		if bad := (*sandbox.FileError)(nil); errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return err
		}
		if text := string(ch.Data); len(mutants.Of(strings.TrimPrefix(p, "~/"), text)) > 0 {
			s.texts[p] = text
			files = append(files, p)
		}
	}
	slices.Sort(files)
	s.order = drawn(s.Seed, files, func(f string) []mutants.Edit {
		list := mutants.Of(strings.TrimPrefix(f, "~/"), s.texts[f])
		for i := range list {
			list[i].File = f
		}
		return list
	})
	return nil
}

// ask tries the checks of the task with a fault planted. red is the first that fails; nil:
// all hold.
func (s *scene) ask(ctx context.Context, e *mutants.Edit) (red *testrun.Outcome, at int, err error) {
	sb, err := s.open(ctx, s.spec(s.task, s.state))
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	if e != nil {
		if err := sandbox.Overwrite(ctx, sb, e.File, []byte(mutants.Apply(s.texts[e.File], []mutants.Edit{*e}))); err != nil {
			return nil, 0, err
		}
	}
	for i, check := range s.task.After {
		res, err := sb.Exec(ctx, sandbox.Cmd{Script: check.Script, Timeout: s.Timeout, Env: s.task.JudgeEnv})
		if err != nil {
			return nil, 0, err
		}
		if !res.OK() {
			return &testrun.Outcome{Result: res}, i, nil
		}
	}
	return nil, 0, nil
}

// one makes a task of the next fault that the checks notice; nil: they did not notice this
// one, or there is none.
func (s *scene) one(ctx context.Context, tried *Tried, n int) (*Task, error) {
	if s.next == len(s.order) {
		return nil, nil
	}
	e := s.order[s.next]
	s.next++
	tried.Planted++
	before := *tried
	defer func() { s.tell(e, tried.since(before), *tried) }()
	var red *testrun.Outcome
	at := 0
	for i := range 3 { // what differs between runs decides by chance
		now, which, err := s.ask(ctx, &e)
		switch {
		case err != nil:
			return nil, err
		case i > 0 && (now == nil || which != at):
			tried.Differ++
			return nil, nil
		case now == nil:
			tried.Survived++
			return nil, nil
		case now.Reason == "timeout":
			tried.Endless++
			return nil, nil
		case now.Exit == 125:
			tried.Unbuilt++
			return nil, nil
		}
		red, at = now, which
	}
	tried.Killed++
	t := s.make(e, red, at, n)
	return &t, nil
}

// make makes a task of a fault: its setup makes the world and mends it, as that of the task
// it is taken from, and plants.
func (s *scene) make(e mutants.Edit, red *testrun.Outcome, at, n int) Task {
	r := s.task
	name := fmt.Sprintf("check %d", at+1)
	r.Title = fmt.Sprintf("Planted %d of seed %d", n, s.Seed)
	r.Prompt = scenePrompt(s.task.After[at].Script, red)
	plant, mend := s.scripts(e)
	r.Setup = mine.Proven + "set -e\n(\n" + s.task.Setup + "\n)\n(\n" + s.task.Solution + "\n)\n(\n" + plant + "\n)"
	r.Before, r.Solution, r.Probe, r.Date = "", mend, "", ""
	r.Others, r.Shortcuts, r.Verify = nil, nil, nil // of the other fault
	r.Tags = []string{"planted", "faults-1", e.Operator}
	return Task{Recipe: r, Edits: []string{e.String()}, Tests: []string{s.task.Title + ": " + name}}
}

// scripts are the one that plants and the one that mends.
func (s *scene) scripts(e mutants.Edit) (plant, mend string) {
	rel, home := strings.CutPrefix(e.File, "~/")
	was := s.texts[e.File]
	wrong := mutants.Apply(was, []mutants.Edit{e})
	in := func(from, to string) string {
		script := patches.ScriptWith(mutants.Patch(rel, from, to), "--unidiff-zero --whitespace=nowarn")
		if home {
			return "cd ~\n" + script
		}
		return script
	}
	name, err := syntax.Quote(rel, syntax.LangBash)
	if err != nil { // such names are no program's
		name = "."
	}
	if home {
		name = "~/" + name
	}
	plant = "set -e\ntouch -r " + name + " /tmp/.was\n" + in(was, wrong) +
		"\ntouch -r /tmp/.was " + name + "\nrm /tmp/.was"
	return plant, in(wrong, was)
}

// scenePrompt is what models are told.
func scenePrompt(check string, red *testrun.Outcome) string {
	fence := "```"
	said := outcome.Of(red).KeyLine()
	for strings.Contains(check+said, fence) {
		fence += "`"
	}
	var b strings.Builder
	b.WriteString("Something in this environment was changed and no longer does what it should. " +
		"This held before, and fails now:\n\n")
	b.WriteString(fence + "bash\n" + strings.TrimSpace(check) + "\n" + fence + "\n")
	if said != "" {
		b.WriteString("\nIt ends with: " + said + "\n")
	}
	b.WriteString("\nFind out why and mend it. The check is right.")
	return b.String()
}

// drawn gives all faults in the order of a seed: each file, and each kind of fault, in its
// turn, so that a large file does not take all.
func drawn(seed int64, files []string, edits func(file string) []mutants.Edit) []mutants.Edit {
	r := rand.New(rand.NewPCG(uint64(seed), 0x706c616e74)) //nolint:gosec // to be repeated, not secret
	files = slices.Clone(files)
	r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	var by [][]mutants.Edit
	for _, f := range files {
		list := edits(f)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		by = append(by, list)
	}
	var out []mutants.Edit
	for i := 0; ; i++ {
		n := len(out)
		for _, list := range by {
			if i < len(list) {
				out = append(out, list[i])
			}
		}
		if len(out) == n {
			return out
		}
	}
}
