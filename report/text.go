package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report/stat"
)

// dash stands for what is unknown or undefined: it is not zero.
const dash = "-"

// visible is text.Visible: what models, tools and recipes wrote, on one line.
func visible(s string) string { return text.Visible(s) }

func width(s string) int { return text.Width(s) }

// shorten cuts s to at most max columns and keeps both its ends.
func shorten(s string, max int) string { return text.Middle(s, max) }

// cutEnd cuts s to at most max columns: titles differ at their beginning.
func cutEnd(s string, max int) string {
	switch {
	case width(s) <= max:
		return s
	case max < 1:
		return ""
	}
	return strings.TrimRight(text.Head(s, max-1), " ") + "…"
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
