package text

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func is(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestVisible(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		is(t, "Visible", Visible(in), want)
	}
	check("plain ✓ 漢字 é größe", "plain ✓ 漢字 é größe")
	check("a\x1b[31mb\r\n\tc", `a\x1b[31mb\r\n\tc`)
	check("\x1b]52;c;aGk=\x07", `\x1b]52;c;aGk=\a`)
	check("\u202e\u200b\u009b\U000e0041\x7f", `\u202e\u200b\u009b\U000e0041\x7f`)
	check("it's \xff", `it's \xff`)
	check("honest \uFFFD", "honest \uFFFD")
	check("\u00a0", `\u00a0`)
	check("全角\u3000空白", "全角\u3000空白")
	check("fillers\u3164\u115f\u1160\u034f\uffa0\u17b4\u2800", `fillers\u3164\u115f\u1160\u034f\uffa0\u17b4\u2800`)
	check("heart ❤️ key 1️⃣", "heart ❤️ key 1️⃣")
	check("smuggled ❤️️ a️ \ufe01\U000e0101", `smuggled ❤️\ufe0f a\ufe0f \ufe01\U000e0101`)
	check("joined 👩‍👩‍👧 👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈 🐈‍⬛ 🙂‍↔️",
		"joined 👩‍👩‍👧 👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈 🐈‍⬛ 🙂‍↔️")
	check("a\u200db 👩\u200d 👩\u200d\u200d👩", `a\u200db 👩\u200d 👩\u200d\u200d👩`)
	check("\u200d👩 1\u200d👩 漢\u200d👩 👩\u200dx", `\u200d👩 1\u200d👩 漢\u200d👩 👩\u200dx`)
	check("👩\u200d\U0001fffe 👩\ufe0e\u200d👩 👩\x1b\u200d👩 👩\u200d\xff",
		"👩\\u200d\\U0001fffe 👩\ufe0e\\u200d👩 👩\\x1b\\u200d👩 👩\\u200d\\xff")
	check("क्\u200dष", `क्\u200dष`)
	check("new \U0001fffe", `new \U0001fffe`)
}

func TestLine(t *testing.T) {
	is(t, "Line", Line("two\nlines\tand\ra\u00a0return\x1b[2J"), `two lines and a return\x1b[2J`)
	is(t, "Line", Line("\u202egnp.exe \u3164 \xff"), `\u202egnp.exe \u3164 \xff`)
	is(t, "Lines", Lines("a\tb\r\nc\rd\n\x1b[m"), "a\tb\nc\\rd\n\\x1b[m")
	is(t, "Lines", Lines("no break \x07"), `no break \a`)
	is(t, "Cell", Cell("e\u0301\u0301\u0301\u0301\u0301 🇩🇪 👍🏽 ❤️ \u1169\r"),
		"e\u0301\u0301\u0301 DE 👍 ❤ \uFFFD")
	is(t, "Cell", Cell("👩‍👩‍👧 ❤️‍🔥 a\u200db"), `👩👩👧 ❤🔥 a\u200db`)
}

func TestJSON(t *testing.T) {
	got := JSON([]byte("{\n \"a\": \"\u202e\U000e0041\u3164 ü\"\n}"))
	is(t, "JSON", string(got), "{\n \"a\": \"\\u202e\\udb40\\udc41\\u3164 ü\"\n}")
}

func TestWidths(t *testing.T) {
	for n := range 12 {
		for _, s := range []string{"", "abc", "日本語の名前", "a̐éö̲ and more text", "👩‍👩‍👧 family"} {
			if w := Width(Fit(s, n)); w != n {
				t.Errorf("Fit(%q, %d) is %d wide", s, n, w)
			}
			if m := Middle(s, n); Width(m) > n {
				t.Errorf("Middle(%q, %d) = %q is %d wide", s, n, m, Width(m))
			}
		}
	}
	is(t, "Middle", Middle("openai/gpt-5-mini", 9), "open…mini")
	is(t, "Middle", Middle("openai/gpt-5-mini", 1), "…")
	is(t, "Middle", Middle("漢字漢字", 6), "漢…字")
	is(t, "Middle", Middle("x", 0), "")
	is(t, "Sentences", Sentences("First one. Second one is longer.", 20), "First one. …")
	is(t, "Sentences", Sentences("First one. Second", 12), "First one. …")
	is(t, "Sentences", Sentences("A. Second one is longer.", 20), "A. Second one is lo…")
	is(t, "Sentences", Sentences("Short.", 20), "Short.")
	is(t, "Cut", Cut("bin/deploy lost", 10), "bin/deplo…")
	is(t, "Wrap", strings.Join(Wrap("one two three", 8), "|"), "one two|three")
	is(t, "Wrap", strings.Join(Wrap("漢字漢字x", 5), "|"), "漢字|漢字x")
}

func TestNumbers(t *testing.T) {
	is(t, "Count", Count(1, "task")+Count(0, "task"), "1 task0 tasks")
	is(t, "Bytes", strings.Join([]string{Bytes(1), Bytes(1023), Bytes(1536), Bytes(3 << 20)}, ", "),
		"1 byte, 1023 bytes, 1.5 KiB, 3.0 MiB")
	is(t, "Clock", strings.Join([]string{Clock(-1), Clock(7 * time.Second), Clock(125 * time.Second),
		Clock(62 * time.Minute)}, ", "), "0s, 7s, 2m05s, 1h02m")
}

// between reports whether a joiner stands between two characters that are wide or chosen
// to be drawn as emoji.
func between(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s[:at], "\ufe0f🏻🏼🏽🏾🏿"))
	after, _ := utf8.DecodeRuneInString(s[at+len("\u200d"):])
	return unicode.In(before, unicode.So, unicode.Sm, unicode.P) && unicode.In(after, unicode.So, unicode.Sm, unicode.P)
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m\xc2\x9b\u2028\u3164\u034f\U000e0041 ❤️")
	f.Add("👩\u200d👩🏽\u200d🚀 ❤️\u200d🔥\u200d\u200dx")
	f.Add("\x1b00\ufe0f0")
	f.Add("000000\u0364\ufe0f0")
	f.Fuzz(func(t *testing.T, s string) {
		if v := Visible(s); Visible(v) != v || strings.ContainsAny(v, "\n\t") {
			t.Errorf("Visible(%q) = %q changes again, or is several lines", s, v)
		}
		for name, got := range map[string]string{"Visible": Visible(s), "Line": Line(s), "Lines": Lines(s),
			"Cell": Cell(s)} {
			if !utf8.ValidString(got) {
				t.Errorf("%s(%q) = %q is no UTF-8", name, s, got)
			}
			for at, r := range got {
				if r == joiner && name != "Cell" && between(got, at) {
					continue
				}
				if Hidden(r) && r != '\ufe0e' && r != '\ufe0f' && !(name == "Lines" && (r == '\n' || r == '\t')) {
					t.Errorf("%s(%q) = %q holds %U", name, s, got, r)
				}
			}
		}
		for _, n := range []int{0, 1, 2, 7} {
			clean := Line(s)
			for _, cut := range append(Wrap(clean, max(n, 2)), Cut(clean, n), Middle(clean, n), Fit(clean, n),
				Sentences(clean, n)) {
				if w := Width(cut); w > max(n, 2) {
					t.Errorf("%q of %q is %d columns wide, more than %d", cut, s, w, n)
				}
			}
		}
		doc, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var was, is string
		if err := json.Unmarshal(doc, &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(JSON(doc), &is); err != nil || is != was {
			t.Errorf("JSON of %q: %q, %v", s, is, err)
		}
	})
}
