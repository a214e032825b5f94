package recipe

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

// TestTheFormatPage parses every example of the page: those marked as errors
// must fail with exactly what the page prints below them.
func TestTheFormatPage(t *testing.T) {
	content, err := os.ReadFile("../docs/recipe-format.md")
	if err != nil {
		t.Fatal(err)
	}
	page, ps := source.Parse("recipe-format.md", content)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	good, bad := 0, 0
	for n := page.Root.FirstChild(); n != nil; n = n.NextSibling() {
		f, ok := n.(*ast.FencedCodeBlock)
		if !ok || !strings.HasPrefix(page.Info(f).Text, "markdown") {
			continue
		}
		text := page.Fence(f)
		if !strings.Contains(text, "version:") || strings.HasPrefix(text, "## ") {
			text = "version: 1\n\n" + text
		}
		r, err := ParseContent([]byte(text))
		if page.Info(f).Text == "markdown" {
			if good++; err != nil {
				t.Errorf("%s: %v", page.Pos(f.Pos()), err)
				continue
			}
			if back, err := ParseContent([]byte(r.MarshalMarkdown())); err != nil || equal(r, back) != "" {
				t.Errorf("%s does not read back the same: %v", page.Pos(f.Pos()), err)
			}
			if _, err := Format("recipe.md", []byte(text)); err != nil {
				t.Errorf("%s can't be formatted: %v", page.Pos(f.Pos()), err)
			}
			continue
		}
		bad++
		want, ok := n.NextSibling().(*ast.FencedCodeBlock)
		if !ok || err == nil {
			t.Errorf("%s: an example of an error that parses, or has no output below it", page.Pos(f.Pos()))
			continue
		}
		same(t, page.Pos(f.Pos()).String(), err.Error(), page.Fence(want))
	}
	if good < 8 || bad < 2 {
		t.Errorf("only %d good and %d bad examples found", good, bad)
	}
	for _, s := range sectionTable() {
		if !strings.Contains(string(content), s.name) {
			t.Errorf("the page does not speak of section %q", s.name)
		}
	}
	for f := range reflect.TypeFor[Recipe]().Fields() {
		typ := f.Type
		for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		words := allowedWords(typ)
		for _, k := range dialect.KeyNames(keyTable(typ)) {
			if !strings.Contains(string(content), "`"+k+"`") {
				t.Errorf("the page does not speak of key %q", k)
			}
			for _, w := range words[k] {
				if !strings.Contains(string(content), "`"+w+"`") {
					t.Errorf("the page does not speak of %s: %s", k, w)
				}
			}
		}
	}
	if i := slices.IndexFunc(criterionKinds,
		func(k string) bool { return !strings.Contains(string(content), "- "+k) }); i >= 0 {
		t.Errorf("the page does not speak of criterion %q", criterionKinds[i])
	}
}
