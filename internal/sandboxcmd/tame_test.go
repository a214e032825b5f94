package sandboxcmd

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTame(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		for _, size := range []int{len(in) + 1, 1} { // at once, and byte by byte
			var b bytes.Buffer
			w := &tame{w: &b}
			for rest := []byte(in); len(rest) > 0; {
				n := min(size, len(rest))
				if got, err := w.Write(rest[:n]); got != n || err != nil {
					t.Fatal(got, err)
				}
				rest = rest[n:]
			}
			if b.String() != want {
				t.Errorf("%q became %q, want %q", in, b.String(), want)
			}
		}
	}
	// what a shell, a pager and an editor need
	for _, in := range []string{"text\r\n\tä€😀\b\a", "\x1b[1;31mred\x1b[0m", "\x1b[2J\x1b[H\x1b[10;20H",
		"\x1b[?1049h\x1b[?25l", "\x1b7\x1b8\x1bM\x1b=\x1b>", "\x1b(B\x1b)0", "\u00a0\u00e9"} {
		check(in, in)
	}
	// what would reach beyond the screen
	check("a\x1b]52;c;ZXZpbA==\x07b", "ab")
	check("a\x1b]0;title\x1b\\b", "ab")
	check("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb")
	check("a\x1bPq#0\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e", "abcde")
	check("a\x1b[6n\x1b[c\x1b[>c\x1b[21t\x1b[?1$p", "a\x1b[?1$p")
	check("a\x9b31mb\u009b31mc\x90d", "a?31mb?31mc?d")
	check("a\x05\x1bZb", "ab")
	check("\x1b["+strings.Repeat("1;", 100)+"mx", strings.Repeat("1;", 69)[1:]+"mx")
	check("a\xffb", "a\xffb")
}

// FuzzTame: no string for the terminal and no C1 control gets through.
func FuzzTame(f *testing.F) {
	f.Add([]byte("\x1b]52;c;x\x07"))
	f.Add([]byte("\x1b\x1b]0;x\x1b\\"))
	f.Add([]byte("\xc2\x9d52;c;x"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var b bytes.Buffer
		w := &tame{w: &b}
		_, _ = w.Write(in)
		out := b.Bytes()
		for _, bad := range []string{"\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1bZ", "\x05"} {
			if bytes.Contains(out, []byte(bad)) {
				t.Errorf("%q let %q through", in, bad)
			}
		}
		for len(out) > 0 {
			r, n := utf8.DecodeRune(out)
			if r >= 0x80 && r < 0xa0 {
				t.Errorf("%q let a C1 control through", in)
			}
			out = out[n:]
		}
	})
}
