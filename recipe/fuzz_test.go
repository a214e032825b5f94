package recipe

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"cookoff/recipe/problem"
)

// FuzzParseContent: whatever the bytes, no panic; every problem has a place, as
// has what was read in spite of it; and what parses is written and read back as the same.
func FuzzParseContent(f *testing.F) {
	seeds, _ := filepath.Glob("../testdata/recipes/*/*.recipe.md")
	for _, s := range seeds {
		content, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := ParseContent(content)
		if r == nil {
			t.Fatal("no recipe")
		}
		lines := bytes.Count(content, []byte("\n")) + 1
		for _, v := range r.Values() {
			if v.Pos.Line > lines || v.Pos.Line > 0 && v.Pos.Col < 1 {
				t.Fatalf("%s is at %s, of %d lines", v.Key, v.Pos, lines)
			}
		}
		if err != nil {
			ps, ok := errors.AsType[problem.List](err)
			if !ok || len(ps) == 0 {
				t.Fatalf("an error that is no problem.List: %v", err)
			}
			for _, p := range ps {
				if p.Pos.File != "recipe.md" || p.Pos.Line < 1 || p.Pos.Line > lines || p.Pos.Col < 1 || p.Msg == "" {
					t.Fatalf("a problem without a place: %+v", p)
				}
			}
			return
		}
		text := r.MarshalMarkdown()
		back, err := ParseContent([]byte(text))
		if err != nil {
			t.Fatalf("what was written does not parse: %v\n%s", err, text)
		}
		if d := equal(r, back); d != "" {
			t.Fatalf("%s\n%s", d, text)
		}
	})
}

// FuzzFormat: what is formatted says the same, and is formatted.
func FuzzFormat(f *testing.F) {
	seeds, _ := filepath.Glob("../testdata/recipes/[fg]*/*.recipe.md")
	for _, s := range seeds {
		content, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if r, err := ParseContent(content); err == nil {
			formatted(t, string(content), r)
		}
	})
}
