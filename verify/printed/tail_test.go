package printed

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTail(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := Tail([]byte(in)); got != want {
			t.Errorf("Tail(%q) = %q, want %q", in, got, want)
		}
	}
	check("plain\n", "plain")
	check("a\x1b[31mred\x1b[0m\x1b]0;title\x07b\r\n", `a\x1b[31mred\x1b[0m\x1b]0;title\ab`)
	check("a\x00\u202eb\xff\u3164\tc", `a\x00\u202eb\xff\u3164`+"\tc")
	check("unended \x1b[31", `unended \x1b[31`)
	long := Tail([]byte(strings.Repeat("é", MaxTail)))
	if len(long) > MaxTail+len("…") || !strings.HasPrefix(long, "…é") {
		t.Errorf("%d bytes: %.20q", len(long), long)
	}
}

// What a report shows of an output is short, and controls nothing.
func FuzzTail(f *testing.F) {
	f.Add([]byte("a\x1b[31mred\x1b]0;t\x07\x1bPx\x1b\\\r\n\u202e\xff"))
	f.Fuzz(func(t *testing.T, out []byte) {
		got := Tail(out)
		if len(got) > MaxTail+len("…") || !utf8.ValidString(got) {
			t.Fatalf("%d bytes: %q", len(got), got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q in %q", r, got)
			}
		}
	})
}
