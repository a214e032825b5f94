package recipe

import (
	"strings"
	"testing"
)

// TestPlantedTasks: a task of planted faults stands for its variants, each at the place
// of the one that stands for them; what it can't have is said.
func TestPlantedTasks(t *testing.T) {
	const head = "# R\n\nversion: 1\n\n## Models\n\n- baseline/noop\n\n## Tasks\n\n- First.\n\n### A fault\n\n"
	r, err := ParseContent([]byte(head +
		"Look.\n\nplant: go test ./...\nvariants: 3\nseed: 7\nfaults: 2\nbelow: a, b\n\n### Last\n\nDo.\n"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseContent([]byte(r.MarshalMarkdown()))
	if err != nil || again.Tasks[1].Seed != 7 || len(again.Tasks[1].Below) != 2 {
		t.Errorf("written and read again: %v, %+v", err, again.Tasks[1])
	}
	all, sets := r.Standing()
	var names []string
	for _, task := range all.Tasks {
		names = append(names, task.Name())
	}
	if got := strings.Join(names, ";"); got != "First.;A fault 1;A fault 2;A fault 3;Last" || len(sets) != 1 ||
		sets[0].First != 1 {
		t.Errorf("%s, %+v", got, sets)
	}
	if all.Tasks[1].Prompt != "Look." || all.Place("tasks[3]") != r.Place("tasks[1]") ||
		all.Place("tasks[4]") != r.Place("tasks[2]") {
		t.Errorf("%+v at %v", all.Tasks[1], all.Place("tasks[3]"))
	}
	made := all.WithPlanted(sets, map[string]Task{"A fault 2": {Title: "A fault 2", Prompt: "made"}})
	if len(made.Tasks) != 3 || made.Tasks[1].Prompt != "made" || made.Place("tasks[2]") != r.Place("tasks[2]") {
		t.Errorf("%+v", made.Tasks)
	}
	for text, want := range map[string]string{
		"Do.\n\nseed: 7\n":                                        "plants nothing",
		"plant: x\nvariants: 201\n":                               "at most 200 variants",
		"plant: x\nfaults: 0\n":                                   "is not an integer of at least 1",
		"plant: x\nbase: HEAD\n":                                  "its fences, and what may change, are made",
		"Do.\n\n```sh after\ntrue\n```\nplant: x\n":               "its fences, and what may change, are made",
		"plant: builtin:default\nvariants: 3\nseed: 2\ntags: a\n": "",
		"plant: builtin:nowhere\n": "no recipe \"builtin:nowhere\" comes " +
			"with the program",
		"plant: builtin:default\nfaults: 2\n":                      "are of the project",
		"plant: builtin:default\nbelow: src\n":                     "are of the project",
		"plant: x\nvary: seed\n":                                   "are made",
		"plant: x\nrepair: y\n":                                    "has nothing else",
		"plant: x\ntags: a\nenv: A=1\npath: bin\nvariants: 1\n":    "",
		"Look at {{it}}.\n\nplant: x\nvariants: 1\n":               "",
		"plant: x\nnetwork: none\nmemory: 1GiB\nmax_steps: 3\n":    "",
		"plant: x\nvariants: 1\n\n### A fault\n\nplant: y\n":       "appears twice",
		"plant: x\nvariants: 2\n\n### A fault 2\n\nDo it again.\n": `"A fault 2" is one of the tasks`,
	} {
		_, err := ParseContent([]byte(head + text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
