package files

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// FuzzGrep: what makes a search fast changes nothing in what it finds.
func FuzzGrep(f *testing.F) {
	f.Add("func", "package a\nfunc f()\r\n\nfunc g() {}")
	f.Add("a(bc)+d|x", "abcbcd\nx\n\n")
	f.Add("^(foo){2}$", "foofoo\nfoo")
	f.Add("o\\s+w", "o w\no\nw")
	f.Add("(?i)needle", "NEEDLE\nneedle")
	f.Add("\\x{fffd}", "\xff\n\ufffd")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := regexp.Compile(pattern)
		if err != nil || len(text) > 1<<16 {
			return
		}
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		run := func(need string) []string {
			r, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			g := &grepper{re: re, max: 1000, need: []byte(need)}
			if err := g.file("f", r, time.Now().Add(time.Minute)); err != nil {
				return []string{err.Error()}
			}
			var got []string
			for _, l := range g.out.Lines {
				got = append(got, fmt.Sprintf("%d %q", l.Line, l.Text))
			}
			return got
		}
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			return
		}
		var want []string
		lines := strings.Split(text, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		for i, l := range lines {
			if l = strings.TrimRight(l, "\r"); re.MatchString(l) {
				want = append(want, fmt.Sprintf("%d %q", i+1, clip([]byte(l))))
			}
		}
		if strings.IndexByte(text[:min(len(text), 8<<10)], 0) >= 0 {
			want = nil // binary
		}
		need := needed(tree.Simplify())
		if got := run(need); !slices.Equal(got, want) {
			t.Errorf("%q, which needs %q, found %q, want %q", pattern, need, got, want)
		}
		if got := run(""); !slices.Equal(got, want) {
			t.Errorf("%q, line by line, found %q, want %q", pattern, got, want)
		}
	})
}

// TestGrepOfOneFileTakesTooLong wants to be told that lines may be missing.
func TestGrepOfOneFileTakesTooLong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte(strings.Repeat("line\n", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := grepUntil(sandbox.GrepQuery{Dir: file, Pattern: "[xyz]"}, time.Now().Add(-time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if !got.(wire.Lines).More {
		t.Error("a search that was given up says that it has found everything")
	}
}
