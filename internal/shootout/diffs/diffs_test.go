package diffs

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/trial/final"
)

func file(text string) *final.File {
	v := &final.File{Mode: 0o644}
	v.Keep([]byte(text))
	return v
}

const before = "package main\n\nfunc main() {\n\tprintln(\"one\")\n}\n"

// drawn gives a diff as it is read without colours.
func drawn(files []File) string {
	var b strings.Builder
	for _, f := range files {
		for _, l := range f.Lines {
			b.WriteString(strings.TrimRight(Draw(screen.Stream{}, l, 60), " ") + "\n")
		}
	}
	return b.String()
}

func TestDiffsOfAState(t *testing.T) {
	link := &final.File{Mode: fs.ModeSymlink, Link: "/etc/\x1b[2Jpasswd"}
	files := Of(&final.State{Changes: []final.Change{
		{Path: "main.go", Before: file(before), After: file(strings.Replace(before, "one", "two", 1))},
		{Path: "new.txt", After: file("a\n\x1b]52;c;x\ab\n")},
		{Path: "old.txt", Before: file("gone\n")},
		{Path: "pkg", After: &final.File{Mode: fs.ModeDir | 0o755}},
		{Path: "pkg/x", After: &final.File{Mode: fs.ModeDir | 0o755}},
		{Path: "~/.config", After: &final.File{Mode: fs.ModeDir | 0o755}},
		{Path: "l", After: link},
		{Path: "bin", After: file("\x00\x01")},
		{Path: "big", Before: file("x"), After: &final.File{Mode: 0o644, Missing: "too large"}},
	}})
	want := `changed main.go
   ⋯ line 1
   1   package main
   2
   3   func main() {
   4 -     println("one")
   4 +     println("two")
   5   }
added new.txt
   ⋯ line 1
   1 + a
   2 + \x1b]52;c;x\ab
deleted old.txt
   ⋯ line 1
   1 - gone
added pkg/x
   a directory
added l
   a link to /etc/\x1b[2Jpasswd
added bin
   no text: 2 bytes
changed big
   its content was not kept: too large
`
	if d := cmp.Diff(want, drawn(files)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if got := Stat(files); got != "7 files, +3 -2" {
		t.Error(got)
	}
	if Stat(nil) != "no changes" {
		t.Error(Stat(nil))
	}
}

// TestSyntaxColours: colours never change what is read.
func TestSyntaxColours(t *testing.T) {
	files := Of(&final.State{Changes: []final.Change{{Path: "a/main.go", Before: file(before),
		After: file(before + "\n// \x1b[31mend\nvar x = `a\nb`\n")}}})
	s := screen.Stream{Color: true}
	some := false
	for _, l := range files[0].Lines {
		for _, width := range []int{8, 20, 60} {
			painted := Draw(s, l, width)
			some = some || strings.Contains(painted, "\x1b[35m")
			plain := Draw(screen.Stream{}, l, width)
			stripped := painted
			for _, st := range []string{"0", "1", "2", "31", "32", "33", "34", "35", "36"} {
				stripped = strings.ReplaceAll(stripped, "\x1b["+st+"m", "")
			}
			if stripped != plain || text.Width(plain) > width {
				t.Errorf("%q is painted as %q", plain, painted)
			}
		}
	}
	if !some {
		t.Error("no keyword has a colour")
	}
}

// TestLanguages: what has a colour in a file of each language.
func TestLanguages(t *testing.T) {
	check := func(name, text, want string) {
		t.Helper()
		marks := map[screen.Style]string{screen.Dim: "#", cyan: `"`, blue: "1", magenta: "k"}
		var b strings.Builder
		for _, line := range tokens(name, text) {
			for _, s := range line {
				if m := marks[s.style]; m != "" {
					b.WriteString(m + "[" + s.text + "]")
				}
			}
			b.WriteString("/")
		}
		if got := b.String(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	check("a/b.go", "if x == 12.5 { // if\n\ts := `a\n2` /* 1\n2 */",
		"k[if]1[12.5]#[// if]/\"[`a]/\"[2`]#[/* 1]/#[2 */]/")
	check("b.py", "def f(): # 'no'\n  return \"\"\"x\ny\"\"\" or 'a\\'b'\n",
		"k[def]#[ # 'no']/k[return]\"[\"\"\"x]/\"[y\"\"\"]k[or]\"['a\\'b']//")
	check("run.sh", "echo $# a#b # c\nif [ 1 ]; then echo \"if\"; fi", "#[ # c]/k[if]1[1]k[then]\"[\"if\"]k[fi]/")
	check("x.json", `{"a": [1e3, true, "#"]}`, `"["a"]1[1e3]k[true]"["#"]/`)
	check("c.yaml", "a: yes # b\nc: \"d", "k[yes]#[ # b]//")
	check("q.sql", "SELECT 1 -- FROM", "k[SELECT]1[1]#[-- FROM]/")
	check("Makefile", "include a.mk # b", "k[include]#[ # b]/")
	check("notes", "if x", "")
	check("a.go", strings.Repeat("x", maxCode+1), "")
}

func TestBeside(t *testing.T) {
	both := func(a, b []final.Change) string {
		var out strings.Builder
		for _, p := range Beside(&final.State{Changes: a}, &final.State{Changes: b}) {
			fmt.Fprintf(&out, "%s same=%v\n", p.Path, p.Same)
			for _, r := range p.Rows {
				for _, l := range []*Line{r.Left, r.Right} {
					if l == nil {
						l = &Line{Mark: '.'}
					}
					fmt.Fprintf(&out, "%c%s|", l.Mark, l.Text)
				}
				out.WriteString("\n")
			}
		}
		return out.String()
	}
	got := both(
		[]final.Change{{Path: "f", Before: file("1\n2\n3\n"), After: file("1\ntwo\nzwei\n3\n")},
			{Path: "only", After: file("x\n")}, {Path: "eq", After: file("=\n")}},
		[]final.Change{{Path: "f", Before: file("1\n2\n3\n"), After: file("1\nTWO\n3\n")},
			{Path: "eq", After: file("=\n")}, {Path: "del", Before: file("d\n")}},
	)
	want := `del same=false
@line 1|@line 1|
-d|.|
eq same=true
f same=false
@line 1|@line 1|
 1| 1|
-two|+TWO|
-zwei|.|
 3| 3|
only same=false
@line 1|@line 1|
-x|.|
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestLargeFiles: what can't be read by people is not worked out.
func TestLargeFiles(t *testing.T) {
	var b strings.Builder
	for n := range 60_000 {
		fmt.Fprintf(&b, "%d\n", n)
	}
	files := Of(&final.State{Changes: []final.Change{{Path: "n.go", After: file(b.String())},
		{Path: "big", After: file(strings.Repeat("x", maxText+1))}}})
	if n := len(files[0].Lines); n > maxLines+1 {
		t.Errorf("%d lines", n)
	}
	if last := files[1].Lines[1].Text; !strings.Contains(last, "too many") {
		t.Error(last)
	}
}
