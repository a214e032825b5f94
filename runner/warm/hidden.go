package warm

import (
	"bytes"
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cookoff/sandbox"
)

// Stand is a test of Go that imports what one of the judge's does, and tests nothing.
type Stand struct{ Path, Text string }

// StandIns gives one for each test of Go that only the judge sees, so that what such tests
// import is compiled before as well. Nothing else of them is in it; an import of the project's
// own module is left out, as the start may lack it. dir is the start's project on the host.
func StandIns(dir string, judges []sandbox.Item) (list []Stand) {
	for _, it := range judges {
		if !it.Mode.IsRegular() || !strings.HasSuffix(it.Path, "_test.go") {
			continue
		}
		text := standIn(it.Data, ownModule(dir, path.Dir(it.Path)))
		if text == "" {
			continue
		}
		at := path.Join(path.Dir(it.Path), fmt.Sprintf("cookoff_warm_%d_test.go", len(list)+1))
		list = append(list, Stand{at, text})
	}
	return list
}

// standIn is the text of one; "": the test can't be read.
func standIn(src []byte, own string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "x_test.go", src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				b.WriteString(c.Text + "\n\n")
			}
		}
	}
	fmt.Fprintf(&b, "package %s\n\n", f.Name.Name)
	var imports []string
	for _, i := range f.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil || name == "C" || own != "" && (name == own || strings.HasPrefix(name, own+"/")) {
			continue
		}
		imports = append(imports, fmt.Sprintf("import _ %q\n", name))
	}
	slices.Sort(imports)
	b.WriteString(strings.Join(slices.Compact(imports), ""))
	return b.String()
}

// ownModule is the path of the module that a directory of a project lies in; "": of none.
func ownModule(project, dir string) string {
	root, err := os.OpenRoot(project) // a link that leads out of the project leads nowhere
	if err != nil {
		return ""
	}
	defer root.Close()
	for ; ; dir = path.Dir(dir) {
		if text, err := root.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			for line := range bytes.Lines(text) {
				if words := strings.Fields(string(line)); len(words) >= 2 && words[0] == "module" {
					return strings.Trim(words[1], "\"`")
				}
			}
			return ""
		}
		if dir == "." {
			return ""
		}
	}
}

// laying is a script that lays them.
func laying(list []Stand) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "mkdir -p %s && cat > %s <<'STAND IN ENDS'\n%sSTAND IN ENDS\n", quoted(path.Dir(s.Path)),
			quoted(s.Path), s.Text)
	}
	return b.String()
}

func quoted(s string) string { return "'" + strings.ReplaceAll("./"+s, "'", `'\''`) + "'" }
