package dialect

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// reporter is a source, and what was found in it: problems, names that may stand once,
// and where each value was written.
type reporter struct {
	*source.Text
	Problems problem.List
	seen     map[repeated]int // see again
}

// Reader reads what sections are made of: blocks, entries, lists and values.
type Reader struct {
	reporter
	Allowed []string // the words of the last key that takes one of a few
}

func NewReader(src *source.Text) *Reader {
	return &Reader{reporter: reporter{Text: src, seen: map[repeated]int{}}}
}

// Apart gives a reader of the same text that has found nothing yet.
func (p *Reader) Apart() *Reader {
	own := NewReader(p.Unnoted())
	own.Allowed = p.Allowed
	return own
}

// repeated is a name that may stand once among those of its kind.
type repeated struct{ kind, name string }

// Again tells whether a name was seen before among those of its kind, and
// where, as an offset.
func (p *reporter) Again(kind string, name source.Span) (first int, dup bool) {
	id := repeated{kind, name.Plain()}
	if first, dup = p.seen[id]; !dup {
		p.seen[id] = name.Off
	}
	return first, dup
}

// Problem notes what is wrong at off, and gives it until the next is noted.
func (p *reporter) Problem(off int, hint, format string, args ...any) *problem.Problem {
	p.Problems = append(p.Problems, problem.Problem{Pos: p.Pos(off), Msg: fmt.Sprintf(format, args...), Hint: hint})
	return &p.Problems[len(p.Problems)-1]
}

// elsewhere says where it is written what is no key of the section where it was found.
var elsewhere = map[string]string{
	"services": "a service is a fence of a task: ```sh service NAME, and ```sh ready NAME",
	"service":  "a service is a fence of a task: ```sh service NAME, and ```sh ready NAME",
	"ready":    "it is a fence of a task: ```sh ready NAME",
	"setup":    "it is a fence of a task: ```sh setup", "before": "it is a fence of a task: ```sh before",
	"after": "it is a fence of a task: ```sh after", "guard": "it is a fence of a task: ```sh guard",
	"solution":     "it is a fence of a task: ```sh solution, or ```diff solution",
	"project_root": "it is a key of ## Constraints; a task has project: DIR",
}

// belongs are keys by where they are written.
var belongs = []struct{ where, keys string }{
	{"tasks", "judge judge_env judge_files hidden base protect may_change may_add"},
	{"## Sandbox", "filesystem allow_hosts allow_local_fetch backend isolation processes file_size prepare_timeout"},
	{"## Sandbox, and of tasks", "network memory disk image env prepare mounts root user warm"},
	{"## Comparison", "trials baseline confidence order until_decided alpha delta"},
	{"## Model Parameters", "temperature top_p max_tokens reasoning_effort parallel_tool_calls"},
	{"## Comparison, of ## Model Parameters, and of tasks", "seed"},
	{"## Constraints", "bash_timeout max_tool_calls max_cost allow_classes"},
	{"## Constraints, and of tasks", "max_steps"},
}

// whereKey says where a key is written that stands where it is none; "": that is not known.
func whereKey(name string) string {
	for _, b := range belongs {
		if slices.Contains(strings.Fields(b.keys), name) {
			return "it is a key of " + b.where
		}
	}
	return elsewhere[name]
}

// Unknown reports a name that is not among the allowed ones.
func (p *reporter) Unknown(name source.Span, what string, allowed []string) {
	found, hint := source.FirstLine(name.Plain(), 60), ""
	near := nearest.Name(name.Plain(), allowed)
	if near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if what == "key" {
		hint = whereKey(found)
	}
	are := "are"
	if len(allowed) == 1 {
		are = "is"
	}
	bad := p.Problem(name.Off, hint, "unknown %s %q: allowed %s %s", what, found, are, strings.Join(allowed, ", "))
	switch bad.Near = near; what {
	case "section":
		bad.Kind = problem.UnknownSection
	case "key":
		bad.Kind = problem.UnknownKey
	}
}

// Origin notes where the value at key was written.
func (p *reporter) Origin(key string, off int) { p.Note(source.Slot{At: key}, -1, off) }

// Listed notes where the i-th of a list was written.
func (p *reporter) Listed(key string, i, off int) { p.Note(source.Slot{At: key}, i, off) }

// Noted gives where the value at key was written, of what was read so far.
func (p *reporter) Noted(key string) (pos problem.Pos) {
	p.Each(func(k string, off int) {
		if k == key {
			pos = p.Pos(off)
		}
	})
	return pos
}
