package mutants

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// swaps are what stands for an operator of Go.
var swaps = map[token.Token][]struct{ to, kind string }{
	token.EQL: {{"!=", "comparison"}}, token.NEQ: {{"==", "comparison"}},
	token.LSS: {{"<=", "boundary"}, {">", "comparison"}}, token.LEQ: {{"<", "boundary"}, {">", "comparison"}},
	token.GTR: {{">=", "boundary"}, {"<", "comparison"}}, token.GEQ: {{">", "boundary"}, {"<", "comparison"}},
	token.ADD: {{"-", "arithmetic"}}, token.SUB: {{"+", "arithmetic"}}, token.MUL: {{"+", "arithmetic"}},
	token.QUO: {{"*", "arithmetic"}},
	token.REM: {{"+", "arithmetic"}}, token.SHL: {{">>", "arithmetic"}}, token.SHR: {{"<<", "arithmetic"}},
	token.LAND: {{"||", "logic"}}, token.LOR: {{"&&", "logic"}}, token.AND: {{"|", "logic"}},
	token.OR:         {{"&", "logic"}},
	token.ADD_ASSIGN: {{"-=", "arithmetic"}, {"=", "assignment"}}, token.SUB_ASSIGN: {{"+=", "arithmetic"}},
	token.OR_ASSIGN: {{"=", "assignment"}},
	token.INC:       {{"--", "arithmetic"}}, token.DEC: {{"++", "arithmetic"}},
	token.BREAK: {{"continue", "flow"}}, token.CONTINUE: {{"break", "flow"}},
}

// goFaults collects faults of a file of Go.
type goFaults struct {
	fset *token.FileSet
	list []Edit
}

// goEdits gives faults by the syntax tree; none of a file that can't be parsed.
func goEdits(text string) []Edit {
	g := &goFaults{fset: token.NewFileSet()}
	f, err := parser.ParseFile(g.fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			ast.Inspect(fn.Body, g.visit)
		}
	}
	return g.list
}

func (g *goFaults) at(pos token.Pos, n int, to, kind string) {
	from := g.fset.Position(pos).Offset
	g.list = append(g.list, Edit{From: from, To: from + n, New: to, Operator: kind})
}

func (g *goFaults) swap(pos token.Pos, t token.Token) {
	for _, s := range swaps[t] {
		g.at(pos, len(t.String()), s.to, s.kind)
	}
}

// visit notes the faults that can be planted at one node of a Go file: another operator, a
// condition turned round, another constant. It reports whether the nodes below are to be
// visited.
func (g *goFaults) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op != token.ADD || !isText(n.X) && !isText(n.Y) {
			g.swap(n.OpPos, n.Op)
		}
	case *ast.AssignStmt:
		g.swap(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		g.swap(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		if n.Label == nil {
			g.swap(n.TokPos, n.Tok)
		}
	case *ast.IfStmt:
		g.negate(n.Cond)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			g.at(n.OpPos, 1, "", "negation")
		}
	case *ast.Ident:
		if to := map[string]string{"true": "false", "false": "true"}[n.Name]; to != "" {
			g.at(n.Pos(), len(n.Name), to, "constant")
		}
	case *ast.BasicLit:
		g.number(n)
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "min" || f.Name == "max") {
			g.at(f.Pos(), 3, map[string]string{"min": "max", "max": "min"}[f.Name], "choice")
		}
	case *ast.ImportSpec:
		return false
	}
	return true
}

// negate turns a condition round that is no comparison: those are swapped.
func (g *goFaults) negate(cond ast.Expr) {
	switch c := cond.(type) {
	case *ast.CallExpr, *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		g.at(c.Pos(), 0, "!", "negation")
	}
}

func (g *goFaults) number(n *ast.BasicLit) {
	if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
		g.at(n.Pos(), len(n.Value), strconv.Itoa(v+1), "constant")
		if v > 1 {
			g.at(n.Pos(), len(n.Value), strconv.Itoa(v-1), "constant")
		}
	}
}

// isText reports whether an expression is a text by its form.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return isText(e.X) || isText(e.Y)
	}
	return false
}
