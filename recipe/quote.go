package recipe

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cookoff/recipe/source"
)

func showText(to *string) func() string {
	return func() string { return quoteUnless(*to, plainValue(*to)) }
}

// quoteUnless gives s as it is where that reads back as s, else quoted; the
// empty text stays empty.
func quoteUnless(s string, plain bool) string {
	if plain || s == "" {
		return s
	}
	return strings.ReplaceAll(literal(s), "<!--", `\u003c!--`)
}

// literal writes a text, number, boolean or list of texts as JSON and TOML
// both have it.
func literal(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // such a value always encodes
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// oneLine tells whether s can stand in a line of Markdown at all.
func oneLine(s string) bool {
	return s != "" && strings.Trim(s, " \t") == s && !strings.Contains(s, "<!--") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// unquotedAs tells whether a value that stands bare is read as itself.
func unquotedAs(s string) bool {
	p := newReader(source.Line(s))
	return p.unquote(source.Span{Text: s}).Text == s && len(p.problems) == 0
}

// plainValue tells whether s can be a value of a map unquoted.
func plainValue(s string) bool {
	return oneLine(s) && unquotedAs(s) && uncomment(source.Span{Text: s}).Text == s
}

// plainItem tells whether s can be a bullet unquoted.
func plainItem(s string) bool {
	c := strings.ToLower(s + " ")[0]
	return oneLine(s) && unquotedAs(s) && (c >= 'a' && c <= 'z' || c == '_' || c == '.' || c == '/')
}

// plainName tells whether s can be a heading unquoted.
func plainName(s string) bool {
	return oneLine(s) && unquotedAs(s) && !strings.Contains(s, "#")
}

func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		parts := split(source.Span{Text: s})
		quoted[i] = quoteUnless(s, plainValue(s) && len(parts) == 1 && !strings.ContainsAny(s, `"'()[]{}#`))
	}
	return strings.Join(quoted, ", ")
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func formatSize(n int64) string {
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
