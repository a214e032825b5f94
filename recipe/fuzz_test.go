package recipe

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"

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

// FuzzPlainTOML: what is read without the decoder is what the decoder reads.
func FuzzPlainTOML(f *testing.F) {
	for _, s := range []string{"command = \"a b\"\npattern='{version}' # c\n\n# d\nexit_code = 3\nlive=true\n",
		"a = \"\"\"\nb\"\"\"", "a = ''\na = 1", "a = 01", "a = 9223372036854775808",
		"a.b = 1", "a = \"\\n\"", "a = 1 b", "a = 1e3", "a = 1979-05-27", "[a]\nb = 1", "a = \"\" \"\"", "\ufeffa = 1",
		"a = \"\u2028\"", "a = 1#", "true = true", "[verify]\na = 1\n", "[verify]\n[verify]\n",
		"[[verify]]\na = 1\n[[verify]]\na = 1\n", "[[verify]]\n[verify]", "[verify]\n[[verify]]",
		"[verify]\na = 1\n[[verify]]", "a = 1\n[verify]", "1 = 1", "-=1", "a\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		got, ok := plainTOML(doc)
		if !ok || !utf8.ValidString(doc) {
			return
		}
		want := map[string]any{}
		if _, err := toml.Decode(doc, &want); err != nil {
			t.Fatalf("%q: the decoder refuses it: %v", doc, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q: %s", doc, d)
		}
	})
}
