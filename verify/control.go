package verify

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/sandbox"
	"cookoff/trial"
)

// Bounds of a negative control.
const (
	maxControlled = 200     // packages that get a failing test
	maxSource     = 1 << 16 // bytes of a file read for its package clause
)

// control runs a held check on tests once more with a test that must fail put
// beside the others. Code that ends the test binary with status 0, or prints
// forged events, passes that too: then the first pass was forged. nil: the
// script runs no tests of a language that is known.
func (s *Start) control(ctx context.Context, p place, c script) (*trial.Verdict, error) {
	name, ok := controlName(c.text)
	if !ok {
		return nil, nil
	}
	v := &trial.Verdict{Check: c.name + " control", Status: trial.Held}
	applied := false
	err := p.in(ctx, func(sb sandbox.Sandbox) (err error) {
		if applied, err = plant(ctx, sb.FS(), name); err != nil || !applied {
			return err
		}
		res, err := sb.Exec(ctx, sandbox.Cmd{Script: c.text, Env: p.env, Timeout: c.timeout})
		if err != nil {
			return err
		}
		v.Evidence = evidence(c.text, res)
		if res.OK() {
			v.Status, v.Detail = trial.NotHeld, "passes with a test that must fail: the tests don't decide its exit status"
		}
		return nil
	})
	if err != nil || !applied {
		return nil, err
	}
	return v, nil
}

// controlName finds the name of a test that "go test" as called in the script
// would run. ok is false where the script runs none, or may hide a failure.
func controlName(src string) (name string, ok bool) {
	f, err := parseShell(src)
	if err != nil || len(f.Stmts) != 1 {
		return "", false
	}
	for _, words := range chained(f.Stmts[0]) {
		if len(words) > 1 && path.Base(words[0]) == "go" && words[1] == "test" {
			return goTestName(words[2:])
		}
	}
	return "", false
}

// chained gives the words of simple commands joined by && alone, else nil.
func chained(s *syntax.Stmt) [][]string {
	if s.Negated || s.Background {
		return nil
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		var words []string
		for _, w := range commandWords(c) {
			words = append(words, lit(w))
		}
		return [][]string{words}
	case *syntax.BinaryCmd:
		x, y := chained(c.X), chained(c.Y)
		if c.Op == syntax.AndStmt && x != nil && y != nil {
			return append(x, y...)
		}
	}
	return nil
}

// goTestName makes a test's name that the flags of a go test select.
func goTestName(args []string) (string, bool) {
	name := "TestC" + strings.ToLower(rand.Text()[:10])
	for i, a := range args {
		flag, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		if !strings.HasPrefix(a, "-") {
			continue
		}
		if a == "-args" {
			break
		}
		if !has && i+1 < len(args) {
			value = args[i+1]
		}
		switch strings.TrimPrefix(flag, "test.") {
		case "c", "list", "n", "exec", "fuzz", "skip":
			return "", false
		case "run":
			top, _, _ := strings.Cut(value, "/")
			re, err := regexp.Compile(top)
			if err != nil || top == "" {
				return "", false
			}
			if !re.MatchString(name) {
				name = literalStart(top) + strings.TrimPrefix(name, "Test")
			}
			if !re.MatchString(name) || !strings.HasPrefix(name, "Test") {
				return "", false
			}
		}
	}
	return name, true
}

// literalStart is the text that what the first alternative of expr matches
// starts with.
func literalStart(expr string) string {
	expr, _, _ = strings.Cut(expr, "|")
	re, err := regexp.Compile(strings.TrimPrefix(strings.TrimPrefix(expr, "("), "^"))
	if err != nil {
		return ""
	}
	prefix, _ := re.LiteralPrefix()
	return prefix
}

// plant writes a failing test into every package of the project.
func plant(ctx context.Context, fsys sandbox.FS, name string) (bool, error) {
	files, _, err := fsys.Find(ctx, sandbox.FindQuery{Glob: "**/*.go", Max: 20_000})
	if err != nil {
		return false, refused(err)
	}
	chosen := map[string]string{} // directory -> the file whose package the test joins
	var order []string
	for _, f := range files {
		dir := path.Dir(f)
		if skipped(dir) {
			continue
		}
		if chosen[dir] == "" {
			order = append(order, dir)
		}
		if chosen[dir] == "" || strings.HasSuffix(f, "_test.go") && !strings.HasSuffix(chosen[dir], "_test.go") {
			chosen[dir] = f
		}
	}
	planted := false
	for _, dir := range order[:min(len(order), maxControlled)] {
		ch, err := fsys.Read(ctx, chosen[dir], 0, maxSource)
		if err != nil {
			if err = refused(err); err != nil {
				return false, err
			}
			continue
		}
		pkg := packageName(string(ch.Data))
		if pkg == "" {
			continue
		}
		text := fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc %s(t *testing.T) { t.Fatal(\"must fail\") }\n", pkg, name)
		if err := fsys.Write(ctx, path.Join(dir, strings.ToLower(name)+"_test.go"), []byte(text)); err != nil {
			return false, refused(err)
		}
		planted = true
	}
	return planted, nil
}

// refused drops errors of a request: where nothing can be planted, there is no
// control.
func refused(err error) error {
	var bad *sandbox.FileError
	if errors.As(err, &bad) {
		return nil
	}
	return err
}

// skipped knows the directories that ./... leaves out.
func skipped(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "vendor" || part == "testdata" || part != "." && strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}

// packageName finds a Go file's package clause; "" where there is none.
func packageName(src string) string {
	comment := false
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if comment {
			_, rest, ended := strings.Cut(line, "*/")
			if !ended {
				continue
			}
			comment, line = false, strings.TrimSpace(rest)
		}
		if strings.HasPrefix(line, "/*") {
			_, _, ended := strings.Cut(line, "*/")
			comment = !ended
			continue
		}
		if name, ok := strings.CutPrefix(line, "package "); ok {
			name, _, _ = strings.Cut(name, "//")
			name, _, _ = strings.Cut(name, ";")
			return strings.TrimSpace(name)
		}
		if line != "" && !strings.HasPrefix(line, "//") {
			return ""
		}
	}
	return ""
}
