// Package blocks reads verify blocks: tables of TOML in the fences of a recipe, or in a file of
// their own.
package blocks

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// File is what a TOML file of its own says about verifying, in blocks of B.
type File[B any] struct {
	Blocks []B
	Others []string // names at its top that are no part of a block, sorted

	places *source.Places
}

// ParseFile reads the blocks of a TOML file: [verify], [[verify]], or the
// keys of one block alone. Other tables are somebody else's, as those of a
// package manager's recipe. An error is a problem.List, all of them with their
// place in the file that messages call file.
func ParseFile[B any](file string, content []byte) (*File[B], error) {
	p := dialect.NewReader(source.Plain(file, content))
	d := &tomlTable{p: p, body: p.Raw}
	if err := d.parse(); err != nil {
		off, msg := 0, strings.TrimPrefix(err.Error(), "toml: ")
		if pe, ok := errors.AsType[toml.ParseError](err); ok {
			off = min(max(pe.Position.Start, 0), len(p.Raw)-1)
			if msg = pe.Message; msg == "" {
				msg = strings.TrimPrefix(pe.Error(), "toml: ")
			}
		}
		p.Problem(off, "", "parsing TOML: %s", msg)
		return nil, p.Problems
	}
	f := &File[B]{places: p.Places}
	tables, prefix := d.tables()
	_, bare := d.tree["command"]
	switch {
	case prefix == "" && !bare:
		return nil, problem.List{{Pos: problem.Pos{File: file}, Msg: "there is no [verify]",
			Hint: "a block starts with [verify], or [[verify]] for several"}}
	case tables == nil:
		p.Problem(d.offset("verify").key, "", "verify is no table: write [verify]")
	case prefix != "":
		f.Others = slices.DeleteFunc(slices.Sorted(maps.Keys(d.tree)), func(name string) bool { return name == prefix })
	}
	for _, t := range tables {
		var b B
		d.decode(t.table, reflect.ValueOf(&b).Elem(), t.path)
		f.Blocks = append(f.Blocks, b)
	}
	if len(p.Problems) > 0 {
		p.Problems.Sort()
		return nil, p.Problems
	}
	d.p = nil // what is kept names places only
	p.NoteInner(source.Slot{At: "verify"}, 0, d)
	return f, nil
}

// At says where the value at key was written: "verify[0].command". Where that
// is not there, where its block begins.
func (f *File[B]) At(key string) problem.Pos {
	for k := key; k != ""; k = source.ParentKey(k) {
		if pos, ok := f.places.Find(k); ok {
			return pos
		}
	}
	return problem.Pos{File: f.places.File}
}
