package pattern

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPatternsCompile compiles every pattern of this program that stands there
// as a constant: nothing else looks at one before it is used.
func TestPatternsCompile(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // source of a test's fixture
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "New" {
				return true
			}
			if p, ok := f.X.(*ast.Ident); !ok || p.Name != "pattern" {
				return true
			}
			if expr, ok := constant(call.Args[0]); ok {
				found++
				if _, err := regexp.Compile(expr); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found < 50 {
		t.Errorf("%d patterns, %v", found, err)
	}
}

// constant gives the text of literals that are put together.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		x, ok := constant(e.X)
		y, too := constant(e.Y)
		return x + y, ok && too && e.Op == token.ADD
	}
	return "", false
}

// TestPattern is compiled once, and by whoever needs it first.
func TestPattern(t *testing.T) {
	p := New(`a(b+)`)
	if p.String() != `a(b+)` || p.re != nil {
		t.Error("compiled before it is used")
	}
	if m := p.FindStringSubmatch("xabb"); len(m) != 2 || m[1] != "bb" {
		t.Errorf("%q", m)
	}
	if again := p.Regexp(); again != p.re {
		t.Error("compiled twice")
	}
}
