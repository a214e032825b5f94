// Package number prints what a report counts: the same number reads the same in every
// format.
package number

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"cookoff/report/stat"
)

// Dash stands for what is unknown or undefined: it is not zero.
const Dash = "-"

// Percent prints a rate without decimals; only all is 100%, and only none 0%.
func Percent(x float64) string {
	switch {
	case math.IsNaN(x):
		return Dash
	case x > 0 && x < 0.01:
		return "1%"
	case x < 1 && x > 0.99:
		return "99%"
	}
	return strconv.FormatFloat(100*x, 'f', 0, 64) + "%"
}

// Interval prints the ends of an interval of rates in percent, "-" for an undefined one.
func Interval(i stat.Interval) string {
	if !i.Defined() {
		return Dash
	}
	return fmt.Sprintf("[%.0f-%.0f]", 100*i.Lo, 100*i.Hi)
}

// Seconds prints a duration in the unit that people think in.
func Seconds(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return Dash
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

// Money prints USD with two figures where cents would say too little.
func Money(x *float64) string {
	switch {
	case x == nil:
		return Dash
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

// Tokens prints a number of tokens.
func Tokens(n int) string {
	switch {
	case n < 10_000:
		return strconv.Itoa(n)
	case n < 999_950: // or it would read 1000.0k
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// OrDash is s, or a dash for nothing.
func OrDash(s string) string {
	if s == "" {
		return Dash
	}
	return s
}

// P prints a p value, "p<.001" for what is smaller.
func P(p float64) string {
	switch {
	case math.IsNaN(p):
		return "p=" + Dash
	case p < 0.001:
		return "p<.001"
	case p >= 0.995:
		return "p=1"
	case p < 0.01:
		return "p=" + strings.TrimPrefix(fmt.Sprintf("%.3f", p), "0")
	}
	return "p=" + strings.TrimPrefix(fmt.Sprintf("%.2f", p), "0")
}

// Points prints an interval of differences in points; "-" for an undefined one.
func Points(i stat.Interval) string {
	if !i.Defined() {
		return Dash
	}
	return fmt.Sprintf("[%+.0f, %+.0f]", 100*i.Lo, 100*i.Hi)
}
