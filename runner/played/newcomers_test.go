package played_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cookoff/internal/daily"
)

// newcomersSetup makes a repository of a project, with two commits.
const newcomersSetup = `git init -q -b main
export GIT_AUTHOR_NAME=Bo GIT_AUTHOR_EMAIL=bo@example.net GIT_COMMITTER_NAME=Bo GIT_COMMITTER_EMAIL=bo@example.net
git add README.md && git commit -qm begin && git add -A && git commit -qm start`

// newcomerDays is in how many days each newcomer plays, and newcomerTurns on how many of these each
// contestant does once.
const (
	newcomerDays  = 5
	newcomerTurns = 4
)

// TestNewcomers plays contestants of projects whose recipe is, letter by letter, what "cookoff init" wrote:
// what an ordinary person does to mend them passes, and each cheat ends as its header states.
func TestNewcomers(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cheats/newcomers/*.txtar")
	if err != nil || len(files) < 5 {
		t.Fatalf("no newcomers: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			daily.Skip(t, newcomerDays, "some hundred sandboxes")
			c := readContest(t, f)
			c.only(t)
			fetch(t, f, c.dir)
			git := exec.CommandContext(t.Context(), "sh", "-euc", newcomersSetup)
			git.Dir = c.dir
			if out, err := git.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			_, log := compare(t, c)
			judged(t, c, log)
		})
	}
}

// fetches is a line that says how a project gets what lies in it and not in its repository.
var fetches = regexp.MustCompile(`(?m)^fetches: (.+)$`)

// fetch runs that in the project, with a network. A machine that has none does not play.
func fetch(t *testing.T, file, dir string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := fetches.FindSubmatch(text)
	if m == nil {
		return
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", string(m[1]))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("what the project needs can't be got: %v: %s", err, out)
	}
}

// only keeps the contestants whose turn it is, and that COOKOFF_ROWS matches.
func (c *contest) only(t *testing.T) {
	t.Helper()
	rows := regexp.MustCompile(os.Getenv("COOKOFF_ROWS"))
	var kept []contestant
	c.recipe.Models = nil
	for _, m := range c.contestants {
		if rows.MatchString(m.name) && daily.PlaysOnTurn(m.name, newcomerTurns, newcomerDays) {
			kept = append(kept, m)
			c.recipe.Models = append(c.recipe.Models, "contestant/"+m.name)
		}
	}
	c.contestants = kept
}
