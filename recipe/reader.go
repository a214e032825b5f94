package recipe

import (
	"fmt"
	"reflect"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/recipe/problem"
)

// reporter is a source, and what was found in it: problems, names that may stand once,
// and where each value was written.
type reporter struct {
	*source
	problems problem.List
	seen     map[repeated]int // see again
}

// reader reads what sections are made of: blocks, entries, lists and values.
type reader struct {
	reporter
	tags    map[reflect.Type][]string // see tomlNames
	allowed []string                  // the words of the last key that takes one of a few
}

func newReader(src *source) *reader {
	return &reader{reporter: reporter{source: src, seen: map[repeated]int{}}, tags: map[reflect.Type][]string{}}
}

// repeated is a name that may stand once among those of its kind.
type repeated struct{ kind, name string }

// again tells whether a name was seen before among those of its kind, and
// where, as an offset.
func (p *reporter) again(kind string, name span) (first int, dup bool) {
	id := repeated{kind, name.plain()}
	if first, dup = p.seen[id]; !dup {
		p.seen[id] = name.off
	}
	return first, dup
}

// problem notes what is wrong at off, and gives it until the next is noted.
func (p *reporter) problem(off int, hint, format string, args ...any) *problem.Problem {
	p.problems = append(p.problems, problem.Problem{Pos: p.pos(off), Msg: fmt.Sprintf(format, args...), Hint: hint})
	return &p.problems[len(p.problems)-1]
}

// unknown reports a name that is not among the allowed ones.
func (p *reporter) unknown(name span, what string, allowed []string) {
	found, hint := FirstLine(name.plain(), 60), ""
	near := nearest.Name(name.plain(), allowed)
	if near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	are := "are"
	if len(allowed) == 1 {
		are = "is"
	}
	bad := p.problem(name.off, hint, "unknown %s %q: allowed %s %s", what, found, are, strings.Join(allowed, ", "))
	switch bad.Near = near; what {
	case "section":
		bad.Kind = problem.UnknownSection
	case "key":
		bad.Kind = problem.UnknownKey
	}
}

// origin notes where the value at key was written.
func (p *reporter) origin(key string, off int) { p.note(slot{at: key}, -1, off) }

// listed notes where the i-th of a list was written.
func (p *reporter) listed(key string, i, off int) { p.note(slot{at: key}, i, off) }

func (p *reporter) note(s slot, i, off int) {
	p.notes = append(p.notes, place{slot: s, i: i, off: off})
}

// noted gives where the value at key was written, of what was read so far.
func (p *reporter) noted(key string) (pos problem.Pos) {
	p.each(func(k string, off int) {
		if k == key {
			pos = p.pos(off)
		}
	})
	return pos
}
