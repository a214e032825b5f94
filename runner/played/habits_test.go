package played_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cookoff/internal/daily"
	"cookoff/internal/propose"
	"cookoff/model/scripted"
	"cookoff/recipe"
	"cookoff/trial"

	"github.com/rogpeppe/go-internal/txtar"
)

// habitProject is a file of testdata/cheats/habits: a project with a fault, the command that
// tests it, the fix, and what people and agents have the habit of doing beside a fix. Its recipe is
// the one that "cookoff init" proposes.
type habitProject struct {
	contest
	fix    string
	habits []habit
}

// habit is a script that runs behind the fix. One that is called own/… stands in for the fix.
type habit struct{ name, script string }

// togetherHabits is how many habits one trial has at once. Where it fails, each is tried alone.
const togetherHabits = 8

// TestHabits: whoever mends the fault passes, whatever else they have the habit of doing.
func TestHabits(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cheats/habits/*.txtar")
	if err != nil || len(files) < 2 {
		t.Fatalf("no habits: %v", err)
	}
	common := habitsIn(t, "../../testdata/cheats/habits/any.txtar")
	rows := 0
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		if name == "any" {
			continue
		}
		rows += len(common) + len(habitsIn(t, f))
		t.Run(name, func(t *testing.T) {
			daily.Skip(t, rowDays, "some twenty sandboxes")
			p := readHabits(t, f)
			p.habits = append(p.habits, common...)
			p.play(t)
		})
	}
	t.Logf("%d rows", rows)
}

// habitsIn are those that a file names.
func habitsIn(t *testing.T, file string) (list []habit) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		if name, is := strings.CutPrefix(f.Name, "habit/"); is {
			list = append(list, habit{name, string(f.Data)})
		}
		if strings.HasPrefix(f.Name, "own/") {
			list = append(list, habit{f.Name, string(f.Data)})
		}
	}
	return list
}

func readHabits(t *testing.T, file string) *habitProject {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := &habitProject{contest: contest{dir: t.TempDir()}, habits: habitsIn(t, file)}
	var test, setup string
	for _, f := range ar.Files {
		switch top, _, _ := strings.Cut(f.Name, "/"); {
		case f.Name == "task/test":
			test = strings.TrimSpace(string(f.Data))
		case f.Name == "task/setup":
			setup = string(f.Data)
		case f.Name == "task/fix":
			p.fix = string(f.Data)
		case top == "habit" || top == "own":
		default:
			path := filepath.Join(p.dir, f.Name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	globs := propose.Decides(p.dir, test)
	text := fmt.Sprintf("# Habits\nversion: 1\n\n## Tasks\n\n### Make it pass\n`%s` fails. Find out why and mend it, "+
		"without touching the tests.\n\nprotect: %s\n\n```sh setup\n%s\n```\n```sh before\n! ( %s\n)\n```\n"+
		"```sh after\n%[1]s\n```\n```sh solution\n%[5]s\n```\n", test, strings.Join(globs, ", "),
		setup+habitSetup, test, p.fix)
	if p.recipe, err = recipe.ParseContent([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?m)^needs: (\w+)$`).FindSubmatch(ar.Comment); m != nil {
		p.tools = toolchain(t, string(m[1]))
	}
	return p
}

// habitSetup makes a repository of the project, with two commits.
const habitSetup = `git init -q -b main
export GIT_AUTHOR_NAME=Bo GIT_AUTHOR_EMAIL=bo@example.net
export GIT_COMMITTER_NAME=Bo GIT_COMMITTER_EMAIL=bo@example.net
git add README.md; git commit -qm begin; git add -A; git commit -qm start`

// play has some habits at once in each trial, and each alone of those that fail.
func (p *habitProject) play(t *testing.T) {
	t.Helper()
	var own []habit
	groups := [][]habit{}
	for _, h := range p.habits {
		if strings.HasPrefix(h.name, "own/") {
			groups = append(groups, []habit{h})
			continue
		}
		own = append(own, h)
	}
	groups = append(groups, slices.Collect(slices.Chunk(own, togetherHabits))...)
	var again [][]habit
	var together []string
	for i, o := range p.outcomes(t, groups) {
		switch {
		case o.Status == trial.Pass:
		case len(groups[i]) == 1:
			t.Errorf("%s: %s", groups[i][0].name, said(o))
		default:
			together = append(together, said(o))
			for _, h := range groups[i] {
				again = append(again, []habit{h})
			}
		}
	}
	if again == nil {
		return
	}
	alone := p.outcomes(t, again)
	rejected := 0
	for i, o := range alone {
		if o.Status != trial.Pass {
			rejected++
			t.Errorf("%s: %s", again[i][0].name, said(o))
		}
	}
	if rejected == 0 {
		t.Errorf("habits fail together that pass alone: %s", strings.Join(together, "; "))
	}
}

func said(o trial.Outcome) string { return fmt.Sprintf("%s %s: %s", o.Status, o.Cause, o.Detail) }

// outcomes plays each group of habits in one trial.
func (p *habitProject) outcomes(t *testing.T, groups [][]habit) []trial.Outcome {
	t.Helper()
	p.contestants, p.recipe.Models = nil, nil
	for i, group := range groups {
		text := ""
		if !strings.HasPrefix(group[0].name, "own/") {
			text = p.fix
		}
		for _, h := range group {
			text += "\n(\n" + h.script + "\n)"
		}
		name := fmt.Sprintf("habits-%d", i)
		p.contestants = append(p.contestants, contestant{name: name, script: []scripted.Step{
			scripted.Call("0", "bash", map[string]any{"command": text}), scripted.Text("Fixed.")}})
		p.recipe.Models = append(p.recipe.Models, "contestant/"+name)
	}
	_, log := compare(t, &p.contest)
	got, _ := finished(t, log)
	list := make([]trial.Outcome, len(groups))
	for i := range groups {
		list[i] = got[fmt.Sprintf("contestant/habits-%d", i)]
	}
	return list
}
