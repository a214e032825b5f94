package recipe

import (
	"slices"
	"sort"
	"strconv"
	"sync"

	"cookoff/recipe/problem"
)

// places says where the values of one file were written. Reading a file notes
// them as they come; keys are put together when somebody asks for the first
// time, as most runs never do.
type places struct {
	file  string
	lines []int // offset of each line's first byte
	notes []place

	once  sync.Once
	index map[string]int // key -> offset
}

// slot is a key in two parts, of which the second may be empty.
type slot struct{ at, name string }

func (s slot) key() string {
	if s.name == "" {
		return s.at
	}
	return s.at + "." + s.name
}

// place is where one value was written: the one at a slot, or the i-th of the
// list there; or all that a toml fence holds.
type place struct {
	slot
	i     int // -1: no list
	off   int
	table *tomlTable
}

// at gives the key of the i-th of a list.
func at(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

func (s place) key() string {
	if s.i < 0 {
		return s.slot.key()
	}
	return at(s.slot.key(), s.i)
}

// line gives the number of the line that holds offset off, from 0.
func (p *places) line(off int) int {
	return sort.SearchInts(p.lines, off+1) - 1
}

func (p *places) pos(off int) problem.Pos {
	l := p.line(off)
	return problem.Pos{File: p.file, Line: l + 1, Col: off - p.lines[l] + 1}
}

// only gives what p says of some keys.
func (p *places) only(keys ...string) *places {
	if p == nil {
		return nil
	}
	out := &places{file: p.file, lines: p.lines}
	for _, e := range p.notes {
		if slices.Contains(keys, e.key()) {
			out.notes = append(out.notes, e)
		}
	}
	return out
}

// each gives every key and its offset, the later one of a key behind the other.
func (p *places) each(yield func(key string, off int)) {
	for _, e := range p.notes {
		if e.table != nil {
			e.table.places(e, yield)
			continue
		}
		yield(e.key(), e.off)
	}
}

// find gives where the value at key was written. Nothing is noted afterwards.
func (p *places) find(key string) (problem.Pos, bool) {
	if p == nil {
		return problem.Pos{}, false
	}
	p.once.Do(func() {
		p.index = make(map[string]int, len(p.notes))
		p.each(func(key string, off int) { p.index[key] = off })
	})
	off, ok := p.index[key]
	if !ok {
		return problem.Pos{}, false
	}
	return p.pos(off), true
}

// At says where the value at key was written, for messages: keys are
// "section.key" ("constraints.max_steps"), with an index for lists
// ("models[1]", "tasks[0].verify[0].command"). Where only the section is
// known, that; for a recipe built in code the zero Pos.
func (r *Recipe) At(key string) problem.Pos {
	for k := key; k != ""; k = parentKey(k) {
		if pos, ok := r.written(k); ok {
			return pos
		}
	}
	return problem.Pos{}
}

// Place is At; where no file says it, the file that was read.
func (r *Recipe) Place(key string) problem.Pos {
	if pos := r.At(key); pos != (problem.Pos{}) {
		return pos
	}
	return problem.Pos{File: r.source}
}

// firstKey gives the part of a key that names its section.
func firstKey(k string) string {
	for i := range len(k) {
		if k[i] == '.' || k[i] == '[' {
			return k[:i]
		}
	}
	return k
}

func parentKey(k string) string {
	for i := len(k) - 1; i >= 0; i-- {
		if k[i] == '.' || k[i] == '[' {
			return k[:i]
		}
	}
	return ""
}
