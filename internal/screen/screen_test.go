package screen

import (
	"bytes"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestColour(t *testing.T) {
	check := func(env map[string]string, off, want bool) {
		t.Helper()
		s := New(new(bytes.Buffer), func(k string) string { return env[k] }, off)
		if s.Color != want {
			t.Errorf("%v, off %v: colour %v, want %v", env, off, s.Color, want)
		}
		if got := s.Paint(Red, "x"); (got != "x") != want {
			t.Errorf("%v, off %v: painted %q", env, off, got)
		}
	}
	check(nil, false, false) // no terminal
	check(map[string]string{"FORCE_COLOR": "1"}, false, true)
	check(map[string]string{"CLICOLOR_FORCE": "1"}, false, true)
	check(map[string]string{"FORCE_COLOR": "0"}, false, false)
	check(map[string]string{"FORCE_COLOR": "1", "NO_COLOR": "1"}, false, false)
	check(map[string]string{"FORCE_COLOR": "1", "NO_COLOR": ""}, false, true)
	check(map[string]string{"FORCE_COLOR": "1"}, true, false)
}

func TestClean(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	check("plain, größe, 日本", "plain, größe, 日本")
	check("\x1b[2Jgone", `\x1b[2Jgone`)
	check("\x1b]52;c;aGk=\x07", `\x1b]52;c;aGk=\x07`)
	check("two\nlines\tand\ra return", "two lines and a return")
	check("\u202egnp.exe", `\u202egnp.exe`)
	check("\u009b31m", `\u009b31m`)
	check("bad \xff byte", `bad \xff byte`)
	check("honest \uFFFD", "honest \uFFFD")
}

func TestFit(t *testing.T) {
	for n := range 12 {
		for _, s := range []string{"", "abc", "日本語の名前", "a̐éö̲ and more text", "👩‍👩‍👧 family"} {
			if w := Width(Fit(s, n)); w != n {
				t.Errorf("Fit(%q, %d) is %d wide", s, n, w)
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m\xc2\x9b\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Clean(%q) = %q is no UTF-8", s, got)
		}
		for _, r := range got {
			if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) {
				t.Fatalf("Clean(%q) = %q holds %U", s, got, r)
			}
		}
	})
}
