package lint

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// TestUndecided: commands of a check that are there to decide, and those that do.
func TestUndecided(t *testing.T) {
	for script, want := range map[string]string{
		"test -f a\ntest -f b":                            `"test -f a" decides nothing`,
		"test -f a &&\ntest -f b":                         "",
		"test -f a && grep -q x a\ntest -f b":             `"test -f a && grep -q x a" decides nothing`,
		"test -f a || test -f b\ntest -f c":               `"test -f a || test -f b" decides nothing`,
		"test -f a && rm a\ntest -f b":                    "",
		"test -f a || exit 1\ntest -f b":                  "",
		"{ test -f a; test -f b; } && ./x":                `"test -f a" decides nothing`,
		"(test -f a; ./x)":                                `"test -f a" decides nothing`,
		"ok() { test -f a; ./x; }\nok":                    `"test -f a" decides nothing`,
		"if ./x; then test -f a; ./y; fi":                 `"test -f a" decides nothing`,
		"if test -f a; then ./x; fi":                      "",
		"cd a && ./x\n./y":                                "",
		"ok() { test -f a && ./x; }\nok":                  "",
		"set -e\ntest -f a && grep -q x a\ntest -f b":     `"test -f a && grep -q x a" decides only by what stands last`,
		"set -e\ntest -f a || grep -q x b\ntest -f b":     "",
		"set -e\n! grep -q x a\ntest -f b":                `"! grep -q x a" decides nothing`,
		"set -e\ntest -f b\ntest -f a && grep -q x a":     "",
		"for f in a b; do test -f $f; done":               `"test -f $f" decides in the last round alone`,
		"for f in a b; do ! grep -q x $f; done":           `"! grep -q x $f" decides in the last round alone`,
		"for f in a b; do [ -f $f ]; done\ncat a >&2":     `"[ -f $f ]" decides nothing`,
		"for f in a b; do test -f $f || exit 1; done":     "",
		"for f in a b; do test -f $f && break; done":      "",
		"set -e; for f in a b; do test -f $f; done":       "",
		"until grep -q up log; do sleep 1; done\n./app":   "",
		"while read -r f; do test -s $f; done < list":     `"test -s $f" decides in the last round alone`,
		"test -f a\ncode=$?\ntest $code = 0":              "",
		"for f in a b; do test -f $f || bad=1; done\n./x": "",
	} {
		f, err := syntax.NewParser().Parse(strings.NewReader(script), "")
		if err != nil {
			t.Fatal(err)
		}
		fs := &Findings{}
		lintUndecided(fs, "after", script, f)
		got := ""
		for _, p := range fs.List {
			got += p.Msg
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q:\nsays %s\nwant %s", script, got, want)
		}
	}
}
