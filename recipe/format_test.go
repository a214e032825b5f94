package recipe

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/recipe/problem"
)

// formatted formats a text that says r, and holds that to what Format promises.
func formatted(t *testing.T, text string, r *Recipe) string {
	t.Helper()
	out, err := Format("recipe.md", []byte(text))
	if err != nil {
		t.Fatalf("formatting: %v\n%s", err, text)
	}
	back, err := ParseContent(out)
	if err != nil {
		t.Fatalf("what was formatted does not parse: %v\n%s", err, out)
	}
	if d := equal(r, back); d != "" || r.Digest() != back.Digest() {
		t.Fatalf("what was formatted says something else: %s\n%s", d, out)
	}
	again, err := Format("recipe.md", out)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(out), string(again)); d != "" {
		t.Fatalf("formatted twice, it differs:\n%s\nfrom\n%s", d, text)
	}
	if a, b := strings.Count(text, "<!--"), strings.Count(string(out), "<!--"); a != b {
		t.Fatalf("%d comments are %d after formatting:\n%s", a, b, out)
	}
	return string(out)
}

// messy spoils the looks of a recipe, not what it says.
func (g gen) messy(text string) string {
	var b strings.Builder
	fenced, prose := "", false
	for line := range strings.Lines(text) {
		bare := strings.TrimSuffix(line, "\n")
		mark := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		switch {
		case fenced != "":
			if bare == fenced {
				fenced = ""
			}
			b.WriteString(line)
			continue
		case len(mark) >= 3:
			fenced = mark
		}
		if name, ok := strings.CutPrefix(bare, "## "); ok {
			prose = strings.Contains(name, "Prompt") || strings.Contains(name, "Guidance")
			b.WriteString(pick(g, "", "\n\n", "<!-- above -->\n"))
			bare = "##  " + pick(g, strings.ToLower(name), strings.ToUpper(name), name) + pick(g, "", "  ", " ##")
		} else if rest, ok := strings.CutPrefix(bare, "- "); ok && !prose {
			bare = pick(g, "-   ", "- ") + rest + pick(g, "", "   ", " <!-- behind -->")
		}
		b.WriteString(bare + pick(g, "\n", "\r\n"))
	}
	return pick(g, "", "\ufeff", "\n\n") + b.String() + pick(g, "", "\n\n\n", "<!-- end -->")
}

func TestFormattingChangesNothingButLooks(t *testing.T) {
	spoilt := 0
	for seed := range uint64(300) {
		g := gen{rand.New(rand.NewPCG(seed, 11))}
		r := g.recipe()
		text := r.MarshalMarkdown()
		formatted(t, text, r)
		text = g.messy(text)
		// A text that means something else once it is spoilt is no matter here.
		if back, err := ParseContent([]byte(text)); err == nil {
			spoilt++
			formatted(t, text, back)
		}
	}
	if spoilt < 100 {
		t.Errorf("only %d spoilt recipes could be read", spoilt)
	}
}

func TestFormat(t *testing.T) {
	content, err := os.ReadFile("../testdata/recipes/format/messy.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseContent(content)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../testdata/recipes/format/messy.want", formatted(t, string(content), r))

	// The recipes that come with the program are examples of the form.
	own, _ := filepath.Glob("builtin/*.recipe.md")
	for _, file := range own {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ParseContent(content)
		if err != nil {
			t.Fatal(err)
		}
		same(t, file, formatted(t, string(content), r), string(content))
	}
}

func TestFormatRefusesWhatDoesNotParse(t *testing.T) {
	_, err := Format("x.md", []byte("version: 1\n\n## Tols\n"))
	if ps, ok := errors.AsType[problem.List](err); !ok || ps[0].Pos.String() != "x.md:3:4" {
		t.Errorf("got %v", err)
	}
}

// TestASectionThatCantBeMovedStays: each of these would mean something else
// with a bullet or a blank more or less.
func TestASectionThatCantBeMovedStays(t *testing.T) {
	for _, body := range []string{
		"## Tasks\n* ---\n", "## Tasks\n*     code\n", "## Tasks\n- a\n\n\tb\n", "## System Prompt\n    ## Tools\n",
		"## Metadata\nauthor: a <!-- b\nc --> \ntags: x\n",
	} {
		text := "version: 1\n\n" + body
		r, err := ParseContent([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", body, err)
			continue
		}
		formatted(t, text, r)
	}
}
