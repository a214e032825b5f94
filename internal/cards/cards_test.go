package cards

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/recipe"
)

var update = flag.Bool("update", false, "write the page of the bench anew")

// TestThePageOfTheBenchIsTrue holds docs/bench-tasks.md against the tasks.
func TestThePageOfTheBenchIsTrue(t *testing.T) {
	const page = "../../docs/bench-tasks.md"
	r, err := recipe.Discover("builtin:bench")
	if err != nil {
		t.Fatal(err)
	}
	got := Markdown(r)
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/bench-tasks.md is not what the tasks say: go test ./internal/cards -update writes it "+
			"(-is +want):\n%s",
			diff)
	}
}

func TestACardSaysWhatATaskHas(t *testing.T) {
	r, err := recipe.ParseContent([]byte("version: 1\n\n## Tasks\n\n### One\nDo {{x}}.\n\n```sh setup\n" +
		"cat > ssh <<E\n# stands for ssh, since \x1b[1mno network is here: ssh HOST\nE\n```\n```sh after\ntest 1\n" +
		"```\n```sh after live\ntest {{x}}\n```\n```sh solution\na\n```\n```sh solution\nb\n```\n" +
		"```sh shortcut\n# It \x1b[31mlies.\ntrue\n```\n```sh shortcut\ntrue\n```\nneeds: go\nvary: x=a|b\n" +
		"tags: kind:git, level:hard\n\n### Two\nDo it.\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := Markdown(r)
	for _, want := range []string{
		"| kind | - | hard | all |", "| git | 0 | 1 | 1 |", "| all | 1 | 1 | 2 |", "## One\n\ngit, hard; needs go\n",
		"- Judged by a script, a script in the trial's own world, what no solution touches\n",
		"- Known ways to mend it: 2\n", "- A script stands for ssh, since ", "is here\n",
		"  - It ", "  - one without a reason\n", "- Drawn from the seed: x\n",
		"## Two\n\n-, -\n\n- Judged by the criteria of the recipe\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") {
		t.Errorf("a stranger's text moves the cursor:\n%q", got)
	}
}

// TestMocksOfTheBenchSayWhy demands a reason wherever a script of the bench stands for a program.
func TestMocksOfTheBenchSayWhy(t *testing.T) {
	r, err := recipe.Discover("builtin:bench")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, task := range r.Tasks {
		said := standIns(task.Setup)
		n += len(said)
		for line := range strings.Lines(task.Setup) {
			line = strings.TrimSpace(line)
			mock := strings.HasPrefix(line, "#") && strings.Contains(line, "stands for ")
			if mock && !strings.HasPrefix(line, "# stands for ") {
				t.Errorf("%s: found %q, want \"# stands for WHAT, since WHY\"", task.Title, line)
			}
		}
		for _, mock := range said {
			if !strings.Contains(mock, ", since ") {
				t.Errorf("%s: %q lacks \", since WHY\"", task.Title, mock)
			}
		}
	}
	if n == 0 {
		t.Error("no mock was found")
	}
}
