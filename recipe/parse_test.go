package recipe

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/recipe/problem"
)

var update = flag.Bool("update", false, "write the goldens anew")

// mustParse parses a recipe of which only the sections matter.
func mustParse(t *testing.T, sections string) *Recipe {
	t.Helper()
	r, err := ParseContent([]byte("# Test\n\nversion: 1\n\n" + sections))
	if err != nil {
		t.Fatalf("parsing: %v\n%s", err, sections)
	}
	return r
}

// problemsOf gives what is wrong with a recipe.
func problemsOf(t *testing.T, sections string) string {
	t.Helper()
	_, err := ParseContent([]byte("version: 1\n\n" + sections))
	if err == nil {
		t.Fatalf("parsed without a problem:\n%s", sections)
	}
	return err.Error()
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// TestBadRecipes holds every message to the bytes a person reads.
func TestBadRecipes(t *testing.T) {
	files, _ := filepath.Glob("../testdata/recipes/bad/*.recipe.md")
	if len(files) == 0 {
		t.Fatal("no bad recipes")
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ParseNamed(filepath.Base(file), content)
		ps, ok := errors.AsType[problem.List](err)
		if !ok || len(ps) == 0 {
			t.Errorf("%s: parsed without a problem (%v)", file, err)
			continue
		}
		for _, p := range ps {
			if p.Pos.Line < 1 || p.Pos.Col < 1 || p.Msg == "" {
				t.Errorf("%s: a problem without a place or words: %+v", file, p)
			}
		}
		golden(t, strings.TrimSuffix(file, ".recipe.md")+".want", ps.Error()+"\n")
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func TestProblemsComeSortedAndOnce(t *testing.T) {
	content, err := os.ReadFile("../testdata/recipes/bad/five-mistakes.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseContent(content)
	ps, _ := errors.AsType[problem.List](err)
	if len(ps) != 5 {
		t.Errorf("five mistakes are %d problems:\n%v", len(ps), err)
	}
	if !slices.IsSortedFunc(ps, func(a, b problem.Problem) int { return a.Pos.Line - b.Pos.Line }) {
		t.Errorf("not sorted:\n%v", err)
	}
	same(t, "what could be read is there", r.Models, []string{"openai/gpt-5-mini"})
}
