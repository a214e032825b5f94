package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/ui/text"
)

// written writes lines with what they are in angle brackets.
func written(lines []Line) string {
	names := map[Style]string{Heading: "h", Strong: "b", Emphasis: "i", Code: "c", Block: "pre"}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.First)
		for _, s := range l.Spans {
			if n := names[s.Style]; n != "" {
				fmt.Fprintf(&b, "<%s>%s</%[1]s>", n, s.Text)
			} else {
				b.WriteString(s.Text)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestParse(t *testing.T) {
	check := func(words, want string) {
		t.Helper()
		if d := cmp.Diff(want, written(Parse(strings.Split(words, "\n")))); d != "" {
			t.Errorf("%q (-want +got):\n%s", words, d)
		}
	}
	check("**a**\n"+strings.Repeat(">", 65)+" b", "**a**\n"+strings.Repeat(">", 65)+" b\n")
	check("plain\nlines, 2 * 3 * 4 and snake_case_name", "plain\nlines, 2 * 3 * 4 and snake_case_name\n")
	check("## Done\n\nIt is **fixed**, *really*: `go test` is green.",
		"<h>Done</h>\n\nIt is <b>fixed</b>, <i>really</i>: <c>go test</c> is green.\n")
	check("Done\n====\ntext\n\n---\nmore", "<h>Done</h>\ntext\n\n───\nmore\n")
	check("# A *b* `c`", "<h>A b </h><c>c</c>\n")
	check("***all*** **a *b* c**", "<b>all</b> <b>a b c</b>\n")
	check("- one\n- **two**\n  more\n  - deep\n\n- last", "• one\n• <b>two</b>\n  more\n  • deep\n\n• last\n")
	check("9. nine\n10. ten\n    and on", "9. nine\n10. ten\n    and on\n")
	check("1) a\n2) b", "1) a\n2) b\n")
	check("- \n- x", "• \n• x\n")
	check("> quoted\n> more\n\nnot", "│ quoted\n│ more\n\nnot\n")
	check("```go\nif a {\n  **b**\n}\n```\nafter", "  <pre>if a {</pre>\n  <pre>  **b**</pre>\n  <pre>}</pre>\nafter\n")
	check("text:\n\n    indented *code*", "text:\n\n  <pre>indented *code*</pre>\n")
	check("- x\n\n  ```\n  a\n\n  ```\n\n  y", "• x\n  \n    <pre>a</pre>\n    \n  \n  y\n")
	check("~~~\nnever closed", "  <pre>never closed</pre>\n")
	check(`\*no emphasis\* and \x1b[2J`, `*no emphasis* and \x1b[2J`+"\n")
	check("[text](http://x.example/_a_) <b>html</b> &#27;[2J &amp;\n<script>\n</script>",
		"[text](http://x.example/_a_) <b>html</b> &#27;[2J &amp;\n<script>\n</script>\n")
	check("__init__.py, _a_ and *b*", "__init__.py, _a_ and <i>b</i>\n")
	check("[a]: http://x.example", "[a]: http://x.example\n")
	check("**unclosed and `so on", "**unclosed and `so on\n")
	check("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |\n")
	check("e**\u0301\u0301** *\u0301a*", "e <i>a</i>\n")
}

// deep are texts that nest, or open what nothing closes, as often as a line has room for.
func deep(n int) map[string]string {
	return map[string]string{
		"quotations": strings.Repeat(">", n), "lists": strings.Repeat("- ", n/2), "numbers": strings.Repeat("1. ", n/3),
		"emphasis": strings.Repeat("*a ", n/3), "stars": strings.Repeat("*", n), "mixed": strings.Repeat("*_", n/2),
		"code": strings.Repeat("`a``b```", n/8), "fences": strings.Repeat("```\n~~~\n", n/8),
		"headings": strings.Repeat("a\n=\n", n/4), "runs": strings.Repeat("**a* ", n/5),
		"brackets": strings.Repeat("[", n),
	}
}

// TestDeepTextKeepsItsPlace: however deep a model nests, its text begins on the left.
func TestDeepTextKeepsItsPlace(t *testing.T) {
	for name, line := range deep(4 << 10) {
		for _, l := range Parse(strings.Split(strings.Repeat(line+"\n", 8), "\n")) {
			if text.Width(l.First) > 3*deepest || text.Width(l.Rest) > 3*deepest {
				t.Fatalf("%s: a line begins behind %q and %q", name, l.First, l.Rest)
			}
		}
	}
}

// BenchmarkParse takes apart the most that is kept of a reply, as a person writes and as
// nobody does. The aim is less than 2 µs a byte.
func BenchmarkParse(b *testing.B) {
	texts := deep(4 << 10)
	texts["prose"] = strings.Repeat("- It is **fixed**: `go test` is green, and I would look at the file.\n", 60)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b.Run(name, func(b *testing.B) {
			lines := strings.Split(strings.Repeat(texts[name]+"\n", 8), "\n")
			b.SetBytes(32 << 10)
			for b.Loop() {
				Parse(lines)
			}
		})
	}
}

// FuzzParse: of harmless text nothing but harmless text is made, and letters stay.
func FuzzParse(f *testing.F) {
	for _, s := range deep(64) {
		f.Add(s)
	}
	f.Add("## Done\n\n- **a** `b`\n> c\n```\nd\x1b[2J\n```\n1. &#27;\\\x1b e")
	f.Fuzz(func(t *testing.T, s string) {
		var lines []string
		for line := range strings.SplitSeq(s, "\n") {
			lines = append(lines, text.Cell(strings.ReplaceAll(line, "\t", "    ")))
		}
		letters := func(s string) (n int) {
			for _, r := range s {
				if r >= 'a' && r <= 'w' {
					n++
				}
			}
			return n
		}
		all := ""
		for _, l := range Parse(lines) {
			line := l.First + l.Rest
			for _, s := range l.Spans {
				line += s.Text
				all += s.Text
			}
			if clean := text.Cell(line); clean != line {
				t.Errorf("of %q a line is %q, and not %q", s, line, clean)
			}
		}
		if strings.Contains(s, "```") || strings.Contains(s, "~~~") {
			return // a fence names the language
		}
		if want := letters(strings.Join(lines, "")); letters(all) != want {
			t.Errorf("of %d letters of %q %d are left: %q", want, s, letters(all), all)
		}
	})
}
