package declared

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// goSource is a source of Go that is read.
type goSource struct {
	path, text string
	file       *token.File
	out        []Declaration
}

// inGo gives what a source of Go declares at its top; of one that is not Go's, what of it is.
func inGo(path, text string) []Declaration {
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	s := &goSource{path: path, text: text, file: set.File(file.FileStart)}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.function(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s.spec(d, spec)
			}
		}
	}
	return s.out
}

func (s *goSource) add(key, name, text string, docs ...*ast.CommentGroup) {
	doc := ""
	for _, d := range docs {
		if doc = strings.TrimSpace(d.Text()); doc != "" {
			break
		}
	}
	s.out = append(s.out, Declaration{Path: s.path, Name: name, Text: text, Doc: doc, key: key})
}

// written is a piece of a source as it stands there, in one line; "": there is none.
func (s *goSource) written(from, to token.Pos) string {
	if !from.IsValid() || to <= from {
		return ""
	}
	return strings.Join(strings.Fields(s.text[s.file.Offset(from):s.file.Offset(to)]), " ")
}

// part is a node as it stands in the source.
func (s *goSource) part(node ast.Node) string { return s.written(node.Pos(), node.End()) }

func (s *goSource) function(d *ast.FuncDecl) {
	of := ""
	if d.Recv != nil && len(d.Recv.List) > 0 {
		of = strings.TrimPrefix(s.part(d.Recv.List[0].Type), "*")
	}
	s.add(of+"."+d.Name.Name, d.Name.Name, s.written(d.Type.Pos(), d.Type.End()), d.Doc)
}

func (s *goSource) spec(d *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		s.typed(d, spec)
	case *ast.ValueSpec:
		for i, n := range spec.Names {
			text := d.Tok.String() + " " + n.Name
			switch {
			case spec.Type != nil:
				text += " " + s.part(spec.Type)
			case d.Tok == token.VAR && i < len(spec.Values):
				text = strings.TrimRight(text+" "+s.typeOf(spec.Values[i]), " ")
			}
			s.add("."+n.Name, n.Name, text, spec.Doc, d.Doc, spec.Comment)
		}
	}
}

// typed adds a type and, of a struct, its fields, which tests may name.
func (s *goSource) typed(d *ast.GenDecl, spec *ast.TypeSpec) {
	name := spec.Name.Name
	fields, is := spec.Type.(*ast.StructType)
	if !is {
		s.add("type "+name, name, "type "+s.part(spec), spec.Doc, d.Doc)
		return
	}
	s.add("type "+name, name, "type "+name+" struct", spec.Doc, d.Doc)
	for _, f := range fields.Fields.List {
		for _, n := range f.Names {
			text := "type " + name + " struct { " + n.Name + " " + s.part(f.Type) + " }"
			s.add("field "+name+"."+n.Name, n.Name, text, f.Doc, f.Comment)
		}
	}
}

// literals are the types of variables that begin with a literal.
var literals = map[token.Token]string{token.INT: "int", token.FLOAT: "float64", token.IMAG: "complex128",
	token.CHAR: "rune", token.STRING: "string"}

// typeOf is the type of a variable that begins with a value; "": it can't be told from that alone.
func (s *goSource) typeOf(value ast.Expr) string {
	switch v := value.(type) {
	case *ast.BasicLit:
		return literals[v.Kind]
	case *ast.Ident:
		if v.Name == "true" || v.Name == "false" {
			return "bool"
		}
	case *ast.CompositeLit:
		if a, is := v.Type.(*ast.ArrayType); v.Type != nil && (!is || !isEllipsis(a.Len)) {
			return s.part(v.Type)
		}
	case *ast.UnaryExpr:
		if of, is := v.X.(*ast.CompositeLit); is && v.Op == token.AND {
			return strings.TrimSuffix("*"+s.typeOf(of), "*")
		}
		if v.Op == token.SUB || v.Op == token.NOT {
			return s.typeOf(v.X)
		}
	case *ast.FuncLit:
		return s.part(v.Type)
	case *ast.CallExpr:
		if f := s.part(v.Fun); f == "errors.New" || f == "fmt.Errorf" {
			return "error"
		}
	}
	return ""
}

// isEllipsis reports whether the length of an array is to be counted.
func isEllipsis(length ast.Expr) bool {
	_, is := length.(*ast.Ellipsis)
	return is
}
