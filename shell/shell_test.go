package shell

import (
	"os/exec"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// second gives the word behind the name of the only command of a script.
func second(src string) *syntax.Word {
	f, err := Parse(src)
	if err != nil || len(f.Stmts) != 1 {
		return nil
	}
	c, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) != 2 || len(c.Assigns)+len(f.Stmts[0].Redirs) > 0 || f.Stmts[0].Negated ||
		f.Stmts[0].Background {
		return nil
	}
	return c.Args[1]
}

func TestLiteral(t *testing.T) {
	check := func(word, want string, ok bool) {
		t.Helper()
		w := second(": " + word)
		if w == nil {
			t.Fatalf("%q is no word", word)
		}
		if got, is := Literal(w, "*?[]{}~"); got != want || is != ok {
			t.Errorf("%s: %q %v, want %q %v", word, got, is, want, ok)
		}
	}
	check(`su\do`, "sudo", true)
	check(`a\\b`, `a\b`, true)
	check(`'a\b'"c\d\"e"`, `a\bc\d"e`, true)
	check(`$'sudo'`, "", false)
	check(`$'s\x75do'`, "", false)
	check(`$"a"`, "", false)
	check(`"$a"`, "", false)
	check(`$(a)`, "", false)
	check(`*.go`, "", false)
	check(`'*.go'\*`, "*.go*", true)
	check(`~/a`, "", false)
	if s, ok := Literal(second(": *.go"), ""); s != "*.go" || !ok {
		t.Errorf("%q %v", s, ok)
	}
}

// FuzzLiteral holds every word that is said to be literal to what bash makes
// of it.
func FuzzLiteral(f *testing.F) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		f.Skip("bash is not installed")
	}
	for _, word := range []string{`a`, `a\ b`, `"a\$b\q"`, `'x'$'y'`, "a\\\nb", `""`, `\~`} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if strings.ContainsAny(word, "\x00\r") {
			return
		}
		w := second(": " + word)
		if w == nil {
			return
		}
		got, ok := Literal(w, "*?[]{}~")
		if !ok {
			return
		}
		cmd := exec.Command(bash, "--noprofile", "--norc", "-c", "printf %s. "+word)
		cmd.Dir, cmd.Env = t.TempDir(), []string{"LC_ALL=C"}
		if out, err := cmd.Output(); err == nil && string(out) != got+"." {
			t.Errorf("%q is %q, for bash %q", word, got, out)
		}
	})
}

// A program may be called "[", and "g[" as well: bash takes only what is set
// for an element of an array.
func TestProgramsWithBrackets(t *testing.T) {
	for src, want := range map[string]string{
		"[ --version":          "[",
		"g[ --version":         "g[",
		"/opt/bin/g[ -f x ]":   "/opt/bin/g[",
		"foo[1] --version":     "foo[1]",
		"foo[bar --version":    "foo[bar",
		"true; x86_64-g[ a":    "true",
		"a[1]=2; g[ --version": "",
	} {
		f, err := Parse(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got := ""
		if args := f.Stmts[0].Cmd.(*syntax.CallExpr).Args; len(args) > 0 {
			got, _ = Literal(args[0], "")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
	if _, err := Parse("g[ 'x"); err == nil {
		t.Error("a quote without an end is no error")
	}
}

func TestPrefixed(t *testing.T) {
	for command, want := range map[string]string{
		"go test":                             "go test",
		"env A=b -u HOME go test":             "go test",
		"env -C dir go test":                  "go test",
		"timeout -s KILL -k 5 60 go test":     "go test",
		"nice -n 10 timeout 5m sh -c x":       "sh -c x",
		"sudo -u nobody -H make":              "make",
		"stdbuf -oL -e 0 grep x":              "grep x",
		"time -o /tmp/t go build":             "go build",
		"env":                                 "env",
		"env A=b":                             "env A=b",
		"timeout 60":                          "timeout 60",
		"nohup env -u":                        "env -u",
		"/usr/bin/env python3 -m unittest -C": "python3 -m unittest -C",
	} {
		words := strings.Fields(command)
		if got := strings.Join(words[Prefixed(words):], " "); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
