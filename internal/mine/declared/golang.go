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
		typed := ""
		if spec.Type != nil {
			typed = " " + s.part(spec.Type)
		}
		for _, n := range spec.Names {
			s.add("."+n.Name, n.Name, d.Tok.String()+" "+n.Name+typed, spec.Doc, d.Doc, spec.Comment)
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
