package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"cookoff/report/stat"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// dash stands for what is unknown or undefined: it is not zero.
const dash = "-"

// visible makes text that a model, a tool or a recipe wrote safe for a terminal
// and keeps it on one line: whatever is not plainly printed (control characters,
// escape sequences, bidi overrides, zero-width and tag characters, bytes that
// are no UTF-8) is shown as Go writes it in a string.
func visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strconv.IsPrint(r):
			b.WriteString(s[i : i+n])
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		i += n
	}
	return b.String()
}

// width is the number of columns that s takes on a terminal.
func width(s string) int { return twwidth.WidthWithOptions(s, twwidth.Options{}) }

// shorten cuts s to at most max columns, keeping both ends: ids of one family
// differ at the end.
func shorten(s string, max int) string {
	if width(s) <= max {
		return s
	}
	if max < 2 {
		return strings.Repeat("…", max)
	}
	head, tail := (max-1+1)/2, (max-1)/2
	return takeWidth(s, head) + "…" + lastWidth(s, tail)
}

// cutEnd cuts s to at most max columns: titles differ at their beginning.
func cutEnd(s string, max int) string {
	switch {
	case width(s) <= max:
		return s
	case max < 1:
		return ""
	}
	return strings.TrimRight(takeWidth(s, max-1), " ") + "…"
}

func takeWidth(s string, max int) string {
	w := 0
	for i, r := range s {
		if w += width(string(r)); w > max {
			return s[:i]
		}
	}
	return s
}

func lastWidth(s string, max int) string {
	w := 0
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if w += width(string(r)); w > max {
			return s[i:]
		}
		i -= n
	}
	return s
}

// percent prints a rate without decimals; only all is 100%, and only none 0%.
func percent(x float64) string {
	switch {
	case math.IsNaN(x):
		return dash
	case x > 0 && x < 0.01:
		return "1%"
	case x < 1 && x > 0.99:
		return "99%"
	}
	return strconv.FormatFloat(100*x, 'f', 0, 64) + "%"
}

func interval(i stat.Interval) string {
	if !i.Defined() {
		return dash
	}
	return fmt.Sprintf("[%.0f-%.0f]", 100*i.Lo, 100*i.Hi)
}

// seconds prints a duration in the unit that people think in.
func seconds(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return dash
	case x < 0.0995:
		return strconv.FormatFloat(1000*x, 'f', 0, 64) + "ms"
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64) + "s"
	case x < 59.95: // or it would read 60.0s
		return strconv.FormatFloat(x, 'f', 1, 64) + "s"
	case x < 3599.5:
		n := int(math.Round(x))
		return fmt.Sprintf("%dm%02ds", n/60, n%60)
	}
	return fmt.Sprintf("%.1fh", x/3600)
}

// money prints USD with two figures where cents would say too little.
func money(x *float64) string {
	switch {
	case x == nil:
		return dash
	case *x == 0:
		return "$0"
	case *x < 0.0995 && *x > -0.0995: // or it would read $0.1
		return "$" + plain(strconv.FormatFloat(*x, 'g', 2, 64))
	}
	return "$" + strconv.FormatFloat(*x, 'f', 2, 64)
}

// plain takes a number out of exponent form.
func plain(s string) string {
	if !strings.ContainsRune(s, 'e') {
		return s
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func tokens(n int) string {
	switch {
	case n < 10_000:
		return strconv.Itoa(n)
	case n < 999_950: // or it would read 1000.0k
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func orDash(s string) string {
	if s == "" {
		return dash
	}
	return s
}
