package html

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every colour of the page is held to WCAG 2 AA against what it stands on, in
// light and in dark: 4.5 for text, 3 for lines and marks that mean something.
func TestContrast(t *testing.T) {
	palette := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`).
		FindAllStringSubmatch(style(), -1) {
		palette[m[1]] = [2]string{m[2], m[3]}
	}
	used := map[string]bool{}
	check := func(least float64, front string, backs ...string) {
		t.Helper()
		for _, back := range backs {
			a, b := palette[front], palette[back]
			used[front], used[back] = true, true
			for i, theme := range []string{"light", "dark"} {
				if got := contrast(t, a[i], b[i]); got < least {
					t.Errorf("%s: %s (%s) on %s (%s) has a contrast of %.2f, want %.1f", theme, front, a[i], back,
						b[i], got, least)
				}
			}
		}
	}
	for _, text := range []string{"text", "muted", "accent", "pass", "fail", "void"} {
		check(4.5, text, "bg", "card", "sunk")
	}
	check(4.5, "warn", "warn-bg")
	for _, s := range []string{"s0", "s1", "s2", "s3", "s4"} {
		check(4.5, "on-"+s, s)
	}
	for _, d := range []string{"add", "del"} {
		check(4.5, "on-"+d, d)
	}
	check(3, "edge", "bg", "card") // of controls and points
	check(3, "s4", "card", "s3")   // the rate on its interval
	check(1, "line", "card")       // only decorates
	for name := range palette {
		if !used[name] {
			t.Errorf("--%s is checked against nothing", name)
		}
	}
	rules := style()[strings.Index(style(), "}\n"):]
	if m := regexp.MustCompile(`(color|background|fill|stroke):[^;]*#[0-9a-f]+`).FindAllString(rules,
		-1); len(m) > 1 { // white paper
		t.Errorf("colours outside the palette: %q", m)
	}
}

// contrast is the ratio that WCAG 2 defines.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) != 7 {
		t.Fatalf("the colour %q is not in the palette", hex)
	}
	l := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}

func TestContrastIsMeasuredAsDefined(t *testing.T) {
	for _, x := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#777777", "#ffffff", 4.478}, {"#ff0000", "#0000ff", 2.149}} {
		if got := contrast(t, x.a, x.b); math.Abs(got-x.want) > 0.001 {
			t.Errorf("%s on %s: %.4f, want %.3f", x.a, x.b, got, x.want)
		}
	}
}
