package played_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"cookoff/internal/daily"
	"cookoff/recipe"
	"cookoff/recipe/builtin"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/tools/repair"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verdict"
)

// shortDays is in how many days -short plays every built-in task, and every cheat: they
// all go the same way.
const shortDays = 24

// taskDays is in how many days each built-in task is proven in a whole run, which the README's first command does, too.
const taskDays = 2

// rowDays is in how many days each contest plays in a whole run, and the rows of each small task.
const rowDays = 8

// cheatDays is in how many days every cheat plays in a whole run.
const cheatDays = 4

// world opens sandboxes for tasks, with this machine's Go in them.
type world struct {
	backend sandbox.Backend
	tools   []string
	project string // what /work starts with; "": nothing
}

func newWorld(t *testing.T) world {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT", "GOCACHE").Output()
	if err != nil {
		t.Fatalf("finding Go: %v", err)
	}
	root, cache, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	b := native.New(native.Options{Dir: t.TempDir(), GoCache: cache})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	return world{backend: b, tools: []string{root}}
}

func (w world) open(task recipe.Task) verify.Opening {
	return func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		spec := sandbox.Spec{State: st, Profile: p, Path: task.Path, ToolPaths: w.tools}
		if st == nil {
			spec.Project = w.project
		}
		return w.backend.Open(ctx, spec)
	}
}

// has skips a test where the sandbox lacks a runtime that the task's scripts
// name. What the default recipe may use is never a reason.
func (w world) has(t *testing.T, task recipe.Task) {
	t.Helper()
	text := task.Setup + task.Before + task.Solution
	for _, b := range task.Verify {
		text += b.Command + "\n"
	}
	for _, tool := range []string{"python3", "node"} {
		if regexp.MustCompile(`\b` + tool + `\b`).MatchString(text) {
			w.needs(t, task, tool)
		}
	}
}

// needs skips a test where the sandbox of a task lacks a program.
func (w world) needs(t *testing.T, task recipe.Task, tool string) {
	t.Helper()
	sb, err := w.open(task)(t.Context(), nil, sandbox.Verify)
	if err != nil {
		t.Fatal(err)
	}
	res, err := sb.Exec(t.Context(), sandbox.Cmd{Script: "command -v " + tool})
	if err != nil {
		t.Fatal(err)
	}
	if err := sb.Close(); err != nil {
		t.Fatal(err)
	}
	if !res.OK() {
		t.Skipf("this machine has no %s", tool)
	}
}

func builtinRecipe(t *testing.T, name string) *recipe.Recipe {
	t.Helper()
	r, err := recipe.Discover("builtin:" + name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// smallBuiltins are the recipes whose every task plays each time; the bench has
// tests of its own.
func smallBuiltins() []string {
	return slices.DeleteFunc(builtin.Names(), func(name string) bool { return name == "bench" })
}

// ownTasks are the tasks that a recipe writes itself. Those it takes from the
// library are proven in the table of the library.
func ownTasks(r *recipe.Recipe) []recipe.Task {
	return slices.DeleteFunc(slices.Clone(r.Tasks), func(t recipe.Task) bool { return t.Repair != "" })
}

// TestBuiltinTasksAreAdmitted proves every built-in task: broken at the start,
// mended by its solution, twice, and by nothing less.
func TestBuiltinTasksAreAdmitted(t *testing.T) {
	w := newWorld(t)
	for _, name := range smallBuiltins() {
		r := builtinRecipe(t, name)
		for _, task := range ownTasks(r) {
			if !daily.Plays(task.Title, taskDays, shortDays) {
				continue
			}
			t.Run(slug(task.Title), func(t *testing.T) {
				t.Parallel()
				if name != "default" {
					w.has(t, task)
				}
				admit(t, w, r, task, nil)
			})
		}
	}
}

// TestLedgerIsAdmitted proves the example over a real project: its own tests
// fail at the start, and hold once all three files are mended.
func TestLedgerIsAdmitted(t *testing.T) {
	daily.Skip(t, 3, "compiles and tests a project six times")
	w := newWorld(t)
	r, err := recipe.Parse("../../examples/ledger/recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	if err := os.CopyFS(project, os.DirFS("../../examples/ledger")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(project, "recipe.md")); err != nil {
		t.Fatal(err)
	}
	w.project = project
	for _, task := range r.Tasks {
		admit(t, w, r, task, []verify.Shortcut{{ID: "one-file", Command: "sed -i 's/> 2/> 3/' money/parse.go"}})
	}
}

func admit(t *testing.T, w world, r *recipe.Recipe, task recipe.Task, wrong []verify.Shortcut) {
	t.Helper()
	c, err := verify.NewCase(r, task)
	if err != nil {
		t.Fatal(err)
	}
	ex, err := c.Admit(t.Context(), w.open(task), wrong)
	if err != nil {
		t.Fatal(err)
	}
	if ex != nil {
		t.Errorf("not admitted: %s: %s", ex.Phase, ex.Why)
	}
}

// cheat is a wrong repair of a built-in task, or an unusual one that is right:
// testdata/cheats/TASK.NAME.sh.
type cheat struct {
	name   string
	script string
	cause  trial.Cause // how a trial that does it must end; "": as a pass
}

func cheats(t *testing.T) map[string][]cheat {
	t.Helper()
	files, err := filepath.Glob("../../testdata/cheats/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	header := regexp.MustCompile(
		`^# (?:cause: (forged|unproven|defeat_device|trap|broke_judging|collateral|wrong_fix|gave_up)|outcome: pass)\n# \S`)
	all := map[string][]cheat{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		task, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(f), ".sh"), ".")
		m := header.FindSubmatch(src)
		if m == nil || name == "" {
			t.Fatalf("%s: want TASK.NAME.sh, starting with \"# cause: …\" or \"# outcome: pass\" and a line that says "+
				"what it does", f)
		}
		all[task] = append(all[task], cheat{name, string(src), trial.Cause(m[1])})
	}
	return all
}

// TestCheatsAreRejected stages every built-in task, cheats, and judges as a
// trial is judged: no cheat passes, and the outcome says what was wrong; what
// mends it in an unusual way passes.
func TestCheatsAreRejected(t *testing.T) {
	w := newWorld(t)
	all := cheats(t)
	for _, name := range smallBuiltins() {
		r := builtinRecipe(t, name)
		for _, task := range ownTasks(r) {
			list := all[slug(task.Title)]
			delete(all, slug(task.Title))
			if len(list) == 0 {
				t.Errorf("task %q: no cheat in testdata/cheats/%s.*.sh", task.Title, slug(task.Title))
			}
			for _, c := range list {
				if !daily.Plays(slug(task.Title)+"/"+c.name, cheatDays, shortDays) {
					continue
				}
				t.Run(slug(task.Title)+"/"+c.name, func(t *testing.T) {
					t.Parallel()
					if name != "default" {
						w.has(t, task)
					}
					status, cause, detail, err := w.play(t.Context(), r, task, c.script)
					if err != nil {
						t.Fatal(err)
					}
					want := trial.Fail
					if c.cause == "" {
						want = trial.Pass
					}
					if status != want || cause != c.cause {
						t.Errorf("%s %s (%s), want %s %s", status, cause, detail, want, c.cause)
					}
				})
			}
		}
	}
	for task := range all {
		t.Errorf("testdata/cheats/%s.*.sh: there is no such task", task)
	}
}

// TestRulesMendSome proves that a doctor who goes by rules is worth comparing
// with: its repairs mend exactly these tasks. For the others it has no
// repair, one of a class that may not run, or one that answers the finding
// and is wrong.
func TestRulesMendSome(t *testing.T) {
	want := map[string][]string{
		"default": {
			"fmtool is an old release again", "env.sh does not find the pinned certsync",
			"git refuses to add: index.lock exists",
			"The service rejects its own configuration", "The vendor directory lags behind go.mod",
			"The app thinks it is already running",
		},
		"runtimes": {
			"The upgraded module still reports the old version", "fmtool's interpreter is gone",
			"A stale server holds the port", "A workspace link in node_modules dangles",
		},
	}
	w := newWorld(t)
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range smallBuiltins() {
		r := builtinRecipe(t, name)
		for _, task := range ownTasks(r) {
			if !daily.Plays(task.Title, taskDays, shortDays) {
				continue
			}
			t.Run(slug(task.Title), func(t *testing.T) {
				t.Parallel()
				if name != "default" {
					w.has(t, task)
				}
				status, cause, detail := trial.Fail, trial.CauseGaveUp, "no repair answers the probe, or "+
					"none that may run"
				if fix := w.rule(t, lib, r, task); fix != "" {
					var err error
					if status, cause, detail, err = w.play(t.Context(), r, task, fix); err != nil {
						t.Fatal(err)
					}
				}
				mends := slices.Contains(want[name], task.Title)
				if status == trial.Void || (status == trial.Pass) != mends {
					t.Errorf("%s %s (%s), want it mended: %v", status, cause, detail, mends)
				}
			})
		}
	}
}

// rule gives the command that the rules choose for a task, "" for none that
// the recipe lets run.
func (w world) rule(t *testing.T, lib *repair.Library, r *recipe.Recipe, task recipe.Task) string {
	t.Helper()
	if task.Probe == "" {
		return ""
	}
	probe, params, err := repair.ParseProbe(task.Probe)
	if err != nil {
		t.Fatal(err)
	}
	sb, err := w.open(task)(t.Context(), nil, sandbox.Agent)
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	for _, rep := range lib.ByProbe(probe) {
		facts, err := repair.Gather(t.Context(), sb, rep.ToolNames())
		if err != nil {
			t.Fatal(err)
		}
		fix, _ := rep.Choose(facts)
		if fix == nil || !slices.Contains(r.Constraints.AllowClasses, string(fix.Class)) {
			continue
		}
		command, err := fix.Render(params)
		if err != nil {
			t.Fatal(err)
		}
		return command
	}
	return ""
}

// play stages a task, runs a script as a contestant would, and judges.
func (w world) play(ctx context.Context, r *recipe.Recipe, task recipe.Task, script string) (_ trial.Status,
	_ trial.Cause, detail string, err error) {
	c, err := verify.NewCase(r, task)
	if err != nil {
		return "", "", "", err
	}
	return w.playCase(ctx, c, task, script)
}

// playCase is play of a case that may have been admitted, and has learned then what its checks do
// with the solution.
func (w world) playCase(ctx context.Context, c *verify.Case, task recipe.Task, script string) (_ trial.Status,
	_ trial.Cause, detail string, err error) {
	sb, err := w.open(task)(ctx, nil, sandbox.Agent)
	if err != nil {
		return "", "", "", err
	}
	defer sb.Close()
	start, err := c.Stage(ctx, sb)
	if err != nil {
		return "", "", "", err
	}
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: script})
	if err != nil {
		return "", "", "", err
	}
	if res.Reason != "" {
		return "", "", "", fmt.Errorf("the cheat itself was stopped: %s", res.Reason)
	}
	sc, live, err := c.End(ctx, sb, start, w.open(task))
	if err != nil {
		return "", "", "", err
	}
	defer sc.State.Release()
	j, err := c.Judge(ctx, sc, start, verify.Loop{Live: live})
	if err != nil {
		return "", "", "", err
	}
	status, cause, detail := verdict.Decide(j.Verdicts, j.Changed, trial.StopDone)
	if cause == trial.CauseBrokeJudging { // what each witness saw tells a fault of this machine
		for _, v := range j.Verdicts {
			for _, w := range v.Witnesses {
				detail += fmt.Sprintf("\n%s, %s: %s %s %+v", v.Check, w.Witness, w.Status, w.Detail, w.Evidence)
			}
		}
	}
	return status, cause, detail, nil
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

// slug is a task's title as a file name.
func slug(title string) string {
	return strings.Trim(notWord.ReplaceAllString(strings.ToLower(title), "-"), "-")
}

// admitted gives the case of a task that was admitted, as a run has it, made when it is first asked for.
func (w world) admitted(r *recipe.Recipe, task recipe.Task) func(context.Context) (*verify.Case, error) {
	var once sync.Mutex
	var done *verify.Case
	return func(ctx context.Context) (*verify.Case, error) {
		once.Lock()
		defer once.Unlock()
		if done != nil {
			return done, nil
		}
		c, err := verify.NewCase(r, task)
		if err != nil {
			return nil, err
		}
		ex, err := c.Admit(ctx, w.open(task), nil)
		if err == nil && ex != nil {
			err = fmt.Errorf("not admitted: %s: %s", ex.Phase, ex.Why)
		}
		if err != nil {
			return nil, err
		}
		done = c
		return c, nil
	}
}
