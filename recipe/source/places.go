package source

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"cookoff/recipe/problem"
)

// Places says where the values of one file were written. Reading a file notes
// them as they come; keys are put together when somebody asks for the first
// time, as most runs never do.
type Places struct {
	File  string
	Lines []int // offset of each line's first byte
	notes []Place

	once  sync.Once
	index map[string]int // key -> offset
}

// Slot is a key in two parts, of which the second may be empty.
type Slot struct{ At, Name string }

func (s Slot) Key() string {
	if s.Name == "" {
		return s.At
	}
	return s.At + "." + s.Name
}

// Place is where one value was written: the one at a slot, or the i-th of the
// list there; or all that is within it.
type Place struct {
	Slot
	I     int // -1: no list
	off   int
	inner Inner
}

// Inner is a document within a file, which knows by itself where its values were written.
type Inner interface {
	// Places gives every key and its offset in the file; from is the place of the whole.
	Places(from Place, yield func(key string, off int))
}

// At gives the key of the i-th of a list.
func At(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

func (s Place) key() string {
	if s.I < 0 {
		return s.Slot.Key()
	}
	return At(s.Slot.Key(), s.I)
}

// Line gives the number of the line that holds offset off, from 0.
func (p *Places) Line(off int) int {
	return sort.SearchInts(p.Lines, off+1) - 1
}

func (p *Places) Pos(off int) problem.Pos {
	l := p.Line(off)
	return problem.Pos{File: p.File, Line: l + 1, Col: off - p.Lines[l] + 1}
}

// Note notes where the value at s was written, or the i-th of the list there (i -1: no list).
func (p *Places) Note(s Slot, i, off int) {
	p.notes = append(p.notes, Place{Slot: s, I: i, off: off})
}

// NoteInner notes a document that is the i-th at s, and those that follow.
func (p *Places) NoteInner(s Slot, i int, d Inner) {
	p.notes = append(p.notes, Place{Slot: s, I: i, inner: d})
}

// Expect makes room for about as many notes as there will be.
func (p *Places) Expect(notes int) { p.notes = make([]Place, 0, notes) }

// empty gives the same places of the same file, none noted.
func (p *Places) empty() *Places { return &Places{File: p.File, Lines: p.Lines} }

// Only gives what p says of some keys.
func (p *Places) Only(keys ...string) *Places {
	if p == nil {
		return nil
	}
	out := p.empty()
	for _, e := range p.notes {
		if slices.Contains(keys, e.key()) {
			out.notes = append(out.notes, e)
		}
	}
	return out
}

// Each gives every key and its offset, the later one of a key behind the other.
func (p *Places) Each(yield func(key string, off int)) {
	for _, e := range p.notes {
		if e.inner != nil {
			e.inner.Places(e, yield)
			continue
		}
		yield(e.key(), e.off)
	}
}

// Find gives where the value at key was written. Nothing is noted afterwards.
func (p *Places) Find(key string) (problem.Pos, bool) {
	if p == nil {
		return problem.Pos{}, false
	}
	p.once.Do(func() {
		p.index = make(map[string]int, len(p.notes))
		p.Each(func(key string, off int) { p.index[key] = off })
	})
	off, ok := p.index[key]
	if !ok {
		return problem.Pos{}, false
	}
	return p.Pos(off), true
}

// FirstKey gives the part of a key that names its section.
func FirstKey(k string) string {
	for i := range len(k) {
		if k[i] == '.' || k[i] == '[' {
			return k[:i]
		}
	}
	return k
}

func ParentKey(k string) string {
	for i := len(k) - 1; i >= 0; i-- {
		if k[i] == '.' || k[i] == '[' {
			return k[:i]
		}
	}
	return ""
}

// Renumbered gives where tasks were written that have other numbers now: from has the old
// one of each.
func (p *Places) Renumbered(from []int) *Places {
	if p == nil {
		return nil
	}
	out := p.empty()
	byTask := map[int][]Place{}
	for _, n := range p.notes {
		if i, ok := n.task(); ok {
			byTask[i] = append(byTask[i], n)
		} else {
			out.notes = append(out.notes, n)
		}
	}
	for to, i := range from {
		for _, n := range byTask[i] {
			if n.At == "tasks" {
				n.I = to
			} else {
				n.At = strings.Replace(n.At, At("tasks", i), At("tasks", to), 1)
			}
			out.notes = append(out.notes, n)
		}
	}
	return out
}

// task gives the number of the task that a place is of.
func (s Place) task() (int, bool) {
	if s.At == "tasks" && s.Name == "" && s.I >= 0 {
		return s.I, true
	}
	rest, ok := strings.CutPrefix(s.At, "tasks[")
	number, _, found := strings.Cut(rest, "]")
	i, err := strconv.Atoi(number)
	return i, ok && found && err == nil
}
