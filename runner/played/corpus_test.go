package played_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"cookoff/recipe"
	"cookoff/tools/repair"
	"cookoff/trial"
	"cookoff/verify"
	generated "cookoff/verify/cheat"
)

// corpusTask is a task that generated cheats and honest repairs play.
type corpusTask struct {
	name   string
	world  world
	recipe *recipe.Recipe
	task   recipe.Task
	tests  bool // its tests have to be learned, by admission
}

// corpus counts what became of them.
type corpus struct {
	seed string // "all": everything plays

	mu    sync.Mutex
	rates map[string]*[2]int // kind and class -> how many ended otherwise than they should, of how many
}

// share says which part of the tasks, and of what fits each, plays of a sample.
const share = 8

// plays chooses by the seed.
func (c *corpus) plays(words ...string) bool {
	if c.seed == "all" {
		return true
	}
	h := fnv.New32a()
	fmt.Fprint(h, c.seed, words)
	return h.Sum32()>>8%share == 0
}

// TestCorpus plays generated cheats and honest repairs on tasks of every kind:
// no cheat is accepted, no honest repair rejected. COOKOFF_CORPUS is "all", or
// the seed of a sample; COOKOFF_RATES names a file for the rates.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: some hundred sandboxes")
	}
	c := &corpus{seed: cmp.Or(os.Getenv("COOKOFF_CORPUS"), "1"), rates: map[string]*[2]int{}}
	t.Run("tasks", func(t *testing.T) {
		for _, task := range corpusTasks(t) {
			if !c.plays("task", task.name) {
				continue
			}
			t.Run(task.name, func(t *testing.T) {
				t.Parallel()
				task.world.has(t, task.task)
				c.play(t, task)
			})
		}
	})
	text, tried := c.text()
	t.Log(text)
	if file := os.Getenv("COOKOFF_RATES"); file != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if least := map[bool]int{true: 150, false: 10}[c.seed == "all"]; tried["cheats"] < least ||
		tried["honest"] < least {
		t.Errorf("%d cheats and %d honest repairs played, want at least %d of each", tried["cheats"],
			tried["honest"], least)
	}
}

// play lets those chosen play one task.
func (c *corpus) play(t *testing.T, k corpusTask) {
	checks, err := verify.NewCase(k.recipe, k.task)
	if err != nil {
		t.Fatal(err)
	}
	how := generated.Tries{Admitted: c.seed != "all" && !k.tests}
	for _, kind := range []struct {
		name string
		play func(context.Context, *verify.Case, verify.Opening, generated.Tries) (generated.Attempts, error)
		want trial.Status
	}{{"cheats", generated.Cheats, trial.Fail}, {"honest", generated.Honest, trial.Pass}} {
		how.Keep = func(class, name string) bool { return c.plays(k.name, class, name) }
		got, err := kind.play(t.Context(), checks, k.world.open(k.task), how)
		if err != nil {
			t.Fatal(err)
		}
		if got.Exclude != nil {
			t.Fatalf("not admitted: %s: %s", got.Exclude.Phase, got.Exclude.Why)
		}
		how.Admitted = true
		for _, a := range got.Wrong(kind.want) {
			t.Errorf("%s, %s/%s: %s: %s", kind.name, a.Class, a.Name, a.What, a.Sentence())
		}
		c.count(kind.name, got.Made, kind.want)
	}
}

func (c *corpus) count(kind string, made []generated.Attempt, want trial.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range made {
		r := c.rates[kind+"\x00"+a.Class]
		if r == nil {
			r = &[2]int{}
			c.rates[kind+"\x00"+a.Class] = r
		}
		if r[1]++; a.Status != want {
			r[0]++
		}
	}
}

// text gives the rates by class, and how many of each kind were tried.
func (c *corpus) text() (string, map[string]int) {
	var b strings.Builder
	wrong, tried := map[string]int{}, map[string]int{}
	fmt.Fprintf(&b, "corpus of COOKOFF_CORPUS=%s\n", c.seed)
	for _, key := range slices.Sorted(maps.Keys(c.rates)) {
		kind, class, _ := strings.Cut(key, "\x00")
		r := c.rates[key]
		wrong[kind] += r[0]
		tried[kind] += r[1]
		fmt.Fprintf(&b, "  %-6s  %-16s  %d of %d\n", kind, class, r[0], r[1])
	}
	fmt.Fprintf(&b, "cheats accepted: %d of %d; honest rejected: %d of %d\n", wrong["cheats"], tried["cheats"],
		wrong["honest"], tried["honest"])
	return b.String(), tried
}

// corpusTasks are the built-in tasks, those of the library of repairs, and
// those of testdata/corpus, which are about code.
func corpusTasks(t *testing.T) (list []corpusTask) {
	t.Helper()
	w := newWorld(t)
	for _, name := range smallBuiltins() {
		r := builtinRecipe(t, name)
		for _, task := range ownTasks(r) {
			list = append(list, corpusTask{name: name + "-" + slug(task.Title), world: w, recipe: r, task: task})
		}
	}
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := lib.Tasks("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		list = append(list, corpusTask{name: "library-" + slug(task.Title), world: w, recipe: builtinRecipe(t, "library"),
			task: task})
	}
	files, err := filepath.Glob("../../testdata/corpus/*.txtar")
	if err != nil || files == nil {
		t.Fatalf("no corpus: %v", err)
	}
	for _, f := range files {
		if tool := lacking(t, f); tool != "" {
			t.Logf("%s: this machine has no %s", f, tool)
			continue
		}
		c := readContest(t, f)
		w := w
		w.project, w.tools = c.dir, append(slices.Clip(w.tools), c.tools...)
		for _, task := range c.recipe.Tasks {
			list = append(list, corpusTask{strings.TrimSuffix(filepath.Base(f), ".txtar"), w, c.recipe, task, true})
		}
	}
	return list
}

// lacking gives the tool that a file of the corpus needs and that is not here.
func lacking(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nneeds: ")
	tool, _, _ := strings.Cut(rest, "\n")
	if _, err := exec.LookPath(tool); tool != "" && err != nil {
		return tool
	}
	return ""
}
