package dialect

import (
	"fmt"
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
	"solution":  "it is a fence of a task: ```sh solution, or ```diff solution",
	"judge_env": "it is a key of tasks", "judge_files": "it is a key of tasks", "judge": "it is a key of tasks",
	"hidden": "it is a key of tasks", "base": "it is a key of tasks", "protect": "it is a key of tasks",
	"may_change": "it is a key of tasks", "may_add": "it is a key of tasks",
	"prepare_timeout": "it is a key of ## Sandbox", "processes": "it is a key of ## Sandbox",
	"project_root": "it is a key of ## Constraints; a task has project: DIR",
}

// Unknown reports a name that is not among the allowed ones.
func (p *reporter) Unknown(name source.Span, what string, allowed []string) {
	found, hint := source.FirstLine(name.Plain(), 60), ""
	near := nearest.Name(name.Plain(), allowed)
	if near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if what == "key" {
		hint = elsewhere[found]
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
