package recipe

import (
	"strings"
	"testing"
)

const varies = "## Tasks\n\n### One\nMake {{tool}} listen on {{port}}.\n\n```sh setup\n" +
	"echo {{seed}} {{tool}} {{other}} '{{ port }}' {{.Port}}\n```\n```sh after\ntest {{port}} = 1\n```\n" +
	"protect: {{tool}}/**\ntags: {{tool}}\nvary: tool=a|b|c, other=a|b|c, port=2000..2999, seed\n\n### Two\n" +
	"{{tool}} is text here.\n"

func TestATaskIsDrawnFromTheSeed(t *testing.T) {
	r := mustParse(t, varies)
	seen := map[string]bool{}
	for seed := range int64(40) {
		r.Comparison.Seed = seed
		one, again := r.Drawn(), r.Drawn()
		task := one.Tasks[0]
		same(t, "drawn twice", again.Tasks[0], task)
		all := task.Prompt + task.Setup + task.After[0].Script + task.Protect[0]
		if strings.Contains(all, "{{tool") || strings.Contains(all, "{{port}}") || strings.Contains(all, "{{seed}}") {
			t.Fatalf("not all is drawn: %+v", task)
		}
		if !strings.Contains(task.Setup, "'{{ port }}' {{.Port}}") || one.Tasks[1].Prompt != "{{tool}} is text here." {
			t.Fatalf("what names nothing is drawn: %+v", one.Tasks)
		}
		words := strings.Fields(task.Setup)
		if words[2] == words[3] {
			t.Errorf("seed %d: names with the same list are both %s", seed, words[2])
		}
		if tool, _, _ := strings.Cut(strings.TrimPrefix(task.Prompt, "Make "), " "); tool != words[2] ||
			task.Protect[0] != tool+"/**" {
			t.Errorf("seed %d: the prompt says %q, the setup %q, protect %q", seed, task.Prompt,
				task.Setup, task.Protect)
		}
		seen[task.Prompt] = true
	}
	if len(seen) < 30 {
		t.Errorf("40 seeds give %d prompts", len(seen))
	}
	if r.Tasks[0].Vary == nil || !strings.Contains(r.Tasks[0].Setup, "{{tool}}") {
		t.Error("drawing changed the recipe it was drawn of")
	}
	r.Comparison.Seed = 0
	none := r.Drawn()
	r.Comparison.Seed = 1
	same(t, "no seed is seed 1", none.Tasks, r.Drawn().Tasks)
}

func TestWhatATaskVariesIsChecked(t *testing.T) {
	for _, c := range []struct{ vary, want string }{
		{"tool=a|b, port=1..9, other=x|y", `draws nothing called "seed"`},
		{"tool=a|b, port=1..9, other=x|y, seed, left=a|b", `draws "left", and nothing in it says {{left}}`},
		{"tool=a, port=1..9, other=x|y, seed", `"tool=a" has one value`},
		{"tool=a||b, port=1..9, other=x|y, seed", "a value that is empty"},
		{"tool=a|b, port=9..1, other=x|y, seed", "a range that ends before it begins"},
		{"Tool=a|b", `"Tool=a|b" is no name=a|b|c`},
		{"seed=4", "it is a number of its own"},
		{"tool=a|b, tool=c|d, port=1..9, other=x|y, seed", `"tool" is drawn twice`},
		{"tool=a|b, other=a|b, port=a|b, seed", `no value left for "port"`},
	} {
		text := strings.Replace(varies, "tool=a|b|c, other=a|b|c, port=2000..2999, seed", c.vary, 1)
		if _, err := ParseContent([]byte("version: 1\n\n" + text)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("vary: %s gives %v, want %q", c.vary, err, c.want)
		}
	}
	told := strings.Replace(varies, "listen on {{port}}", "listen on {{seed}}", 1)
	if _, err := ParseContent([]byte("version: 1\n\n" + told)); err == nil || !strings.Contains(err.Error(),
		"the prompt of task \"One\" says {{seed}}") {
		t.Errorf("a prompt with the seed gives %v", err)
	}
}
