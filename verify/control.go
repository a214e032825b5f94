package verify

import (
	"context"
	"errors"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/sandbox"
	"cookoff/trial"
)

// Bounds of a negative control.
const (
	maxControlled = 200     // directories or files that get a failing test
	maxSource     = 1 << 20 // bytes read of a source file
)

// control runs a held check on tests once more with a test that must fail put
// beside the others. Code that ends the test binary with status 0, or prints
// forged events, passes that too: then the first pass was forged. nil: the
// script runs no tests of a language that is known.
func (s *Start) control(ctx context.Context, p place, c script) (*trial.Verdict, error) {
	plant := planterFor(c.text)
	if plant == nil {
		return nil, nil
	}
	v := &trial.Verdict{Check: c.name + " control", Status: trial.Held}
	applied := false
	err := p.in(ctx, "", func(sb sandbox.Sandbox) (err error) {
		if applied, err = plant(ctx, sb.FS()); err != nil || !applied {
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

// planter puts tests that must fail into a project; false: there is no place
// for one. Errors are the sandbox's.
type planter func(ctx context.Context, fsys sandbox.FS) (bool, error)

// planterFor knows the tests that a script runs. nil: it runs none, none whose
// language is known, only chosen ones, or it may hide a failure.
func planterFor(src string) planter {
	f, err := parseShell(src)
	if err != nil || len(f.Stmts) != 1 {
		return nil
	}
	for _, words := range chained(f.Stmts[0]) {
		if len(words) == 0 {
			continue
		}
		prog, args := path.Base(words[0]), words[1:]
		switch {
		case prog == "go" && len(args) > 0 && args[0] == "test":
			if name, ok := goTestName(args[1:]); ok {
				return func(ctx context.Context, fsys sandbox.FS) (bool, error) { return plantGo(ctx, fsys, name) }
			}
			return nil
		case prog == "pytest" && only(args, pytestFlags):
			return plantPython
		case strings.HasPrefix(prog, "python") && len(args) > 1 && args[0] == "-m":
			if args[1] == "unittest" && only(args[2:], unittestFlags) || args[1] == "pytest" && only(args[2:], pytestFlags) {
				return plantPython
			}
			return nil
		case prog == "node" && len(args) > 0 && args[0] == "--test" && only(args[1:], nodeFlags):
			return plantNode
		}
	}
	return nil
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

// refused drops errors of a request: where nothing can be planted, there is no
// control.
func refused(err error) error {
	var bad *sandbox.FileError
	if errors.As(err, &bad) {
		return nil
	}
	return err
}
