package lines

import (
	"strings"
	"testing"
)

// TestComposites: what a fix puts together of a text that it brings and of what it computes, as a test demands it.
func TestComposites(t *testing.T) {
	for _, c := range []struct{ lang, fix, gone, test, want string }{
		{"python", `return "untitled" + sep + str(n)`, ``, `assert f() == "untitled-0"`, "untitled-0"},
		{"python", `return f"v{n}"`, `return str(n)`, `ok = f(3) == "v3"`, "v3"},
		{"python", `return f"v{n + 1}"`, `return f"v{n}"`, `ok = f(3) == "v4"`, ""},
		{"python", `return "-" + size(-n)`, ``, `ok = size(-3) == "-3 B"`, ""},
		{"python", `x = "to" + y`, ``, `ok = f() == "total"`, ""},
		{"python", `x = "item"`, ``, `ok = f("item") == "item 3"`, ""},
		{"go", `fmt.Sprintf("%s-%d.bak", name, n)`, ``, `ok := f("a") == "a-1.bak"`, "a-1.bak"},
		{"go", `"x" + strconv.Itoa(n)`, ``, "ok := f(7) == `x7`", "x7"},
		{"javascript", "return `id${n}`", ``, `ok(f(4) === 'id4')`, "id4"},
		{"python", `return "  ".join(cells)`, ``, `assert f() == "1  2"`, "1  2"},
		{"python", `return ", ".join(cells)`, ``, `assert f() == "1, 2"`, ""},
		{"python", `return " | ".join(cells)`, ``, `assert f(" | ") == "1 | 2"`, ""},
		{"javascript", `return n + "px"`, ``, `ok(f(4) === '4px')`, "4px"},
	} {
		var got []string
		for _, v := range Composites(c.lang, c.fix, c.gone, c.lang, c.test) {
			got = append(got, v.Text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s, %s: %q, want %q", c.fix, c.test, got, c.want)
		}
	}
}

func TestCompositeIsSaid(t *testing.T) {
	for _, c := range []struct {
		text, part, said string
		want             bool
	}{
		{"v3", "v", "Number them v1, v2", true}, {"v3", "v", "Tag as vN", true}, {"v3", "v", "Give versions", false},
		{"v3", "v", "rev3 is odd", false}, {"untitled-0", "untitled", "call it untitled", true},
		{"untitled-0", "untitled", "slugs are not empty", false}, {"4px", "px", "in px", true},
		{"id4", "id", "did not work", false},
		{"v3", "v", "write v{n}", true}, {"k_3", "k_", "as k_<id>", true}, {"[3]", "[a", "[", false},
		{"1  2", "  ", "columns have two blanks between them", true}, {"1  2", "  ", "columns:\n    are aligned", false},
		{"1  2", "  ", "got 1 2, want 1  2", true},
		{"1 | 2", " | ", "cells stand between bars", false}, {"1 | 2", " | ", "write a | b", true},
	} {
		if got := (Composite{c.text, c.part}).Said(c.said); got != c.want {
			t.Errorf("%q, %q: %v", c.text, c.said, got)
		}
	}
}

// TestCompositeIsKnown: code that puts such texts together tells how; a letter, or signs, do not.
func TestCompositeIsKnown(t *testing.T) {
	for _, c := range []struct {
		text, part, before string
		want               bool
	}{
		{"Kind(7)", "Kind(", `return fmt.Sprintf("Kind(%d)", k)`, true},
		{"Kind(7)", "Kind(", `{2, "Kind(2)"}`, true},
		{"Kind(7)", "Kind(", `return fmt.Sprintf("Color(%d)", k)`, false},
		{"Kind(7)", "Kind(", `k := Kind(7)`, false},
		{"v3", "v", `"v" + n`, false}, {"1 | 2", " | ", `strings.Join(cells, " | ")`, false},
		{"user-3", "user-", `log("no user")`, false},
	} {
		if got := (Composite{c.text, c.part}).Known("go", c.before); got != c.want {
			t.Errorf("%q, %q: %v", c.text, c.before, got)
		}
	}
}
