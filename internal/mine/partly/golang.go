// Package partly leaves out of tests what can't be built without a fix, so that the others of their package run.
package partly

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/pattern"
)

// goTests are tests of Go's from which declarations are taken.
type goTests struct {
	path string
	text []byte
	set  *token.FileSet
	file *ast.File
}

// Go gives files of tests of Go's, by path, without what names one of these, and without what needs that. Lines keep
// their numbers. Files that stay as they are, or can't be read, are not in it.
func Go(files map[string]string, names []string) map[string]string {
	var list []*goTests
	for p, text := range files {
		t := &goTests{path: p, text: []byte(text), set: token.NewFileSet()}
		var err error
		if t.file, err = parser.ParseFile(t.set, p, text, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			list = append(list, t)
		}
	}
	gone := map[string]bool{}
	for _, n := range names {
		gone[n] = true
	}
	out := map[string]string{}
	for found := true; found; {
		found = false
		for _, t := range list {
			if t.leaveOut(gone) {
				found = true
			}
		}
	}
	for _, t := range list {
		if string(t.text) != files[t.path] {
			t.imports()
			out[t.path] = string(t.text)
		}
	}
	return out
}

// leaveOut takes out what names one of gone, to which it adds what was declared there; false: nothing does.
func (t *goTests) leaveOut(gone map[string]bool) bool {
	n := len(t.file.Decls)
	t.file.Decls = slices.DeleteFunc(t.file.Decls, func(d ast.Decl) bool {
		if g, is := d.(*ast.GenDecl); is && g.Tok == token.IMPORT || !uses(d, gone) {
			return false
		}
		doc := (*ast.CommentGroup)(nil)
		switch d := d.(type) {
		case *ast.FuncDecl:
			if doc = d.Doc; d.Recv == nil {
				gone[d.Name.Name] = true
			}
		case *ast.GenDecl:
			doc = d.Doc
			for _, s := range d.Specs {
				declares(s, gone)
			}
		}
		from := d.Pos()
		if doc != nil {
			from = doc.Pos()
		}
		t.blank(from, d.End())
		return true
	})
	return len(t.file.Decls) < n
}

// declares adds the names that a part of a declaration declares.
func declares(s ast.Spec, names map[string]bool) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		names[s.Name.Name] = true
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.Name != "_" {
				names[n.Name] = true
			}
		}
	}
}

// uses reports whether a declaration has one of the names.
func uses(d ast.Decl, names map[string]bool) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		id, is := n.(*ast.Ident)
		found = found || is && names[id.Name]
		return !found
	})
	return found
}

// blank has blanks in place of a piece of a source.
func (t *goTests) blank(from, to token.Pos) {
	f := t.set.File(t.file.FileStart)
	for i := f.Offset(from); i < f.Offset(to); i++ {
		if t.text[i] != '\n' {
			t.text[i] = ' '
		}
	}
}

// version ends the path of a package whose name stands before it.
var version = pattern.New(`^v\d+$`)

// imports has packages that nothing names any more imported for nothing.
func (t *goTests) imports() {
	named := map[string]bool{}
	for _, d := range t.file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if s, is := n.(*ast.SelectorExpr); is {
				if x, is := s.X.(*ast.Ident); is {
					named[x.Name] = true
				}
			}
			return true
		})
	}
	f := t.set.File(t.file.FileStart)
	for _, s := range slices.Backward(t.file.Imports) {
		if s.Name != nil && (s.Name.Name == "_" || s.Name.Name == "." || named[s.Name.Name]) ||
			s.Name == nil && slices.ContainsFunc(packageNames(s.Path), func(n string) bool { return named[n] }) {
			continue
		}
		from, to := f.Offset(s.Pos()), f.Offset(s.End())
		t.text = slices.Replace(t.text, from, to, []byte("_ "+s.Path.Value)...)
	}
}

// packageNames are the names that the package of an import path may have.
func packageNames(lit *ast.BasicLit) []string {
	p, err := strconv.Unquote(lit.Value)
	if err != nil {
		return nil
	}
	base := path.Base(p)
	if version.MatchString(base) {
		base = path.Base(path.Dir(p))
	}
	base, _, _ = strings.Cut(base, ".")
	short := strings.TrimSuffix(strings.TrimPrefix(base, "go-"), "-go")
	return []string{base, short, strings.ReplaceAll(short, "-", "_"), strings.ReplaceAll(short, "-", "")}
}
