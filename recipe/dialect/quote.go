package dialect

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cookoff/recipe/source"
)

func ShowText(to *string) func() string {
	return func() string { return QuoteUnless(*to, PlainValue(*to)) }
}

// QuoteUnless gives s as it is where that reads back as s, else quoted; the
// empty text stays empty.
func QuoteUnless(s string, plain bool) string {
	if plain || s == "" {
		return s
	}
	return strings.ReplaceAll(Literal(s), "<!--", `\u003c!--`)
}

// Literal writes a text, number, boolean or list of texts as JSON and TOML
// both have it.
func Literal(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // such a value always encodes
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// OneLine tells whether s can stand in a line of Markdown at all.
func OneLine(s string) bool {
	return s != "" && strings.Trim(s, " \t") == s && !strings.Contains(s, "<!--") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// UnquotedAs tells whether a value that stands bare is read as itself.
func UnquotedAs(s string) bool {
	p := NewReader(source.Line(s))
	return p.Unquote(source.Span{Text: s}).Text == s && len(p.Problems) == 0
}

// PlainValue tells whether s can be a value of a map unquoted.
func PlainValue(s string) bool {
	return OneLine(s) && UnquotedAs(s) && Uncomment(source.Span{Text: s}).Text == s
}

// PlainItem tells whether s can be a bullet unquoted.
func PlainItem(s string) bool {
	c := strings.ToLower(s + " ")[0]
	return OneLine(s) && UnquotedAs(s) && (c >= 'a' && c <= 'z' || c == '_' || c == '.' || c == '/')
}

// PlainName tells whether s can be a heading unquoted.
func PlainName(s string) bool {
	return OneLine(s) && UnquotedAs(s) && !strings.Contains(s, "#")
}

func QuoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		parts := Split(source.Span{Text: s})
		quoted[i] = QuoteUnless(s, PlainValue(s) && len(parts) == 1 && !strings.ContainsAny(s, `"'()[]{}#`))
	}
	return strings.Join(quoted, ", ")
}

func FormatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func FormatSize(n int64) string {
	if n == 0 {
		return ""
	}
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if size := int64(1) << (30 - 10*i); n%size == 0 {
			return fmt.Sprintf("%d%s", n/size, unit)
		}
	}
	return strconv.FormatInt(n, 10)
}
