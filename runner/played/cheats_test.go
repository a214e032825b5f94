package played_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"cookoff/internal/daily"
	"cookoff/model"
	"cookoff/model/scripted"
	"cookoff/recipe"
	"cookoff/report"
	"cookoff/report/formats"
	"cookoff/runner"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/tools/repair"
	"cookoff/trial"
	"cookoff/trial/final"
)

// contest is one file of testdata/cheats/contests: a recipe, a project, and
// contestants that look as if they mended it, or do so in an unusual way.
type contest struct {
	recipe      *recipe.Recipe
	dir         string // the working directory of the run
	contestants []contestant
	tools       []string
}

// contestant is a scripted model and the outcome its header states: pass, or
// fail with its cause, and why the loop ends.
type contestant struct {
	name   string
	want   string // "pass", "fail forged", "fail limit timeout"
	script []scripted.Step
}

const causes = `forged|unproven|defeat_device|trap|broke_judging|collateral|wrong_fix|gave_up|limit`

var header = regexp.MustCompile(`^# outcome: ((?:pass|fail (?:` + causes + `))(?: [a-z_]+)?)\n# \S`)

// readContest takes a file apart. Below "--- call" stands a further call of
// bash, below "--- answer" the final text.
func readContest(t *testing.T, file string) *contest {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &contest{dir: t.TempDir()}
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, "contestant/"); ok {
			c.contestants = append(c.contestants, readContestant(t, name, string(f.Data)))
			continue
		}
		path := filepath.Join(c.dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if c.recipe, err = recipe.Discover(filepath.Join(c.dir, "recipe.md")); err != nil {
		t.Fatal(err)
	}
	c.recipe.Models = nil
	for _, m := range c.contestants {
		c.recipe.Models = append(c.recipe.Models, "contestant/"+m.name)
	}
	for _, m := range regexp.MustCompile(`(?m)^needs: ([\w-]+)$`).FindAllSubmatch(ar.Comment, -1) {
		c.tools = append(c.tools, toolchain(t, string(m[1]))...)
	}
	if slices.ContainsFunc(c.recipe.Tasks, func(t recipe.Task) bool { return t.User == string(sandbox.SuperOfMany) }) ||
		c.recipe.Sandbox.User == string(sandbox.SuperOfMany) {
		if err := native.TryUsers(t.Context()); err != nil {
			t.Skip(err)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^works: (.+)$`).FindAllSubmatch(ar.Comment, -1) {
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", string(m[1])).CombinedOutput(); err != nil {
			t.Skipf("on this machine %q does not work: %v: %s", m[1], err, out)
		}
	}
	return c
}

func readContestant(t *testing.T, name, text string) contestant {
	t.Helper()
	m := header.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("contestant %s: want \"# outcome: …\" and a line that says what it does", name)
	}
	c := contestant{name: name, want: m[1]}
	calls, answer, _ := strings.Cut(text, "\n--- answer\n")
	for i, call := range strings.Split(calls, "\n--- call\n") {
		c.script = append(c.script, scripted.Call(strconv.Itoa(i), "bash", map[string]any{"command": call}))
	}
	if answer == "" {
		answer = "Fixed."
	}
	c.script = append(c.script, scripted.Text(answer))
	return c
}

// toolchain gives what makes a tool visible in a sandbox.
func toolchain(t *testing.T, tool string) []string {
	t.Helper()
	for _, dir := range []string{"/usr/bin/", "/usr/sbin/"} {
		if _, err := os.Stat(dir + tool); err == nil {
			return nil
		}
	}
	if tool == "pytest" { // of the Python that is first on PATH
		out, err := exec.Command("python3", "-c", "import pytest, sys; print(sys.prefix)").Output()
		if err != nil {
			t.Skip("this machine has no pytest")
		}
		return []string{strings.TrimSpace(string(out))}
	}
	if out, err := exec.Command(tool, "-c", "import sys; print(sys.prefix)").Output(); err == nil && tool == "python3" {
		return []string{strings.TrimSpace(string(out))}
	}
	if out, err := exec.Command("rustc", "--print", "sysroot").Output(); err == nil && tool == "cargo" {
		return []string{strings.TrimSpace(string(out))}
	}
	t.Skipf("this machine has no %s", tool)
	return nil
}

// record is a sink that keeps every event.
type record struct {
	dir    string // where final states are stored
	mu     sync.Mutex
	events []trial.Event
}

func (r *record) Emit(e trial.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	return nil
}

// TestContests runs every contestant through the whole pipeline: the task is
// admitted, the loop offers the tools, the state is sealed and judged, reports
// are written. No cheat ends as a pass, and each for the reason it states.
func TestContests(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cheats/contests/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var cheats, honest int
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		cheats += strings.Count(string(text), "\n# outcome: fail")
		honest += strings.Count(string(text), "\n# outcome: pass")
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			daily.Skip(t, rowDays, "some fifty sandboxes")
			c := readContest(t, f)
			r, log := compare(t, c)
			judged(t, c, log)
			reports(t, log)
			judgedAgain(t, r, log)
		})
	}
	if cheats < 40 || honest < 15 {
		t.Errorf("%d cheats and %d honest repairs", cheats, honest)
	}
}

// compare runs a contest.
func compare(t *testing.T, c *contest) (*runner.Runner, *record) {
	t.Helper()
	w := newWorld(t)
	scripts := map[string][]scripted.Step{}
	for _, m := range c.contestants {
		scripts["contestant/"+m.name] = m.script
	}
	rr, err := c.recipe.BuildRunner()
	if err != nil {
		t.Fatal(err)
	}
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	log := &record{dir: t.TempDir()}
	states := final.NewWriter(nil)
	states.In(log.dir)
	r, err := runner.New(rr, runner.Env{
		Storage: runner.Storage{Keep: runner.KeepAll, States: states},
		Providers: runner.Providers{Chat: func(id string) (model.Chat, error) {
			return scripted.New(scripts[id]...), nil
		}},
		Machine: worlds.Machine{Backend: w.backend, ToolPaths: append(w.tools, c.tools...)},
		Project: worlds.Project{Dir: c.dir},
		Limits:  runner.Limits{Parallel: 2 * runtime.GOMAXPROCS(0)}, // half of what they do is waiting
		Repairs: lib,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.RunAll(t.Context(), "contest", log, nil); err != nil {
		t.Fatal(err)
	}
	return r, log
}

// finished gives the outcomes by model, and who played each trial.
func finished(t *testing.T, log *record) (got map[string]trial.Outcome, who map[string]string) {
	t.Helper()
	got, who = map[string]trial.Outcome{}, map[string]string{}
	for _, e := range log.events {
		switch e.Kind {
		case trial.RunStarted:
			for _, x := range e.Run.Excluded {
				t.Errorf("not admitted: %s: %s", x.Phase, x.Why)
			}
		case trial.TrialStarted:
			who[e.Trial] = e.Start.Model
		case trial.TrialFinished:
			got[who[e.Trial]] = *e.Outcome
		}
	}
	return got, who
}

// judged compares the outcomes with what the headers state.
func judged(t *testing.T, c *contest, log *record) {
	t.Helper()
	got, who := finished(t, log)
	for _, m := range c.contestants {
		o := got["contestant/"+m.name]
		text := strings.TrimSpace(string(o.Status) + " " + string(o.Cause))
		if o.Stop != trial.StopDone {
			text += " " + string(o.Stop)
		}
		if text != m.want {
			t.Errorf("%s: %s (%s), want %s", m.name, text, o.Detail, m.want)
			for _, e := range log.events {
				if e.Kind == trial.ToolReturned && who[e.Trial] == "contestant/"+m.name {
					t.Logf("%s", e.Returned.Text)
				}
			}
		}
	}
}

// reports prints the record in every format: nothing but printable text.
func reports(t *testing.T, log *record) {
	t.Helper()
	b := report.New()
	for _, e := range log.events {
		if err := b.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, format := range formats.Formats() {
		var out strings.Builder
		if err := formats.Write(&out, format, b.Report(), formats.Options{}); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for i, c := range text {
			if c != '\n' && c != '\t' && !strconv.IsPrint(c) ||
				c == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
				t.Errorf("%s prints %q: …%q", format, c, text[max(0, i-40):min(len(text), i+20)])
				break
			}
		}
	}
}
