package cookoff

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed is the architecture: which of our packages each may import. A new
// edge is a decision, not an accident.
var allowed = map[string][]string{
	"recipe":                  {},
	"model":                   {},
	"model/openai":            {"model"},
	"model/openai/openaitest": {"model"},
	"model/baseline":          {"model"},
	"model/scripted":          {"model"},
	"model/replay":            {"model"},
	"examples/scripted":       {"model", "model/openai/openaitest"},
	"sandbox":                 {},
	"sandbox/gate":            {},
	"sandbox/guest":           {"sandbox"},
	"sandbox/native":          {"sandbox", "sandbox/guest"},
	"sandbox/sandboxtest":     {"sandbox"},
	"hooks":                   {"sandbox"},
	"trial":                   {"model"},
	"tools":                   {"model", "sandbox", "sandbox/gate", "recipe"},
	"tools/mcp":               {"tools", "model", "sandbox"},
	"tools/probe":             {"tools", "model", "sandbox"},
	"tools/repair":            {"tools", "model", "sandbox", "recipe"},
	"verify":                  {"recipe", "sandbox", "trial"},
	"runner":                  {"recipe", "model", "model/baseline", "sandbox", "sandbox/gate", "hooks", "trial", "tools", "tools/mcp", "tools/probe", "tools/repair", "verify"},
	"report":                  {"trial", "model", "report/stat"},
	"report/stat":             {},
	"report/forecast":         {"trial", "model"},
	"report/html":             {"report", "trial", "model"},
}

// TestImports holds the packages to the table above; cmd may import anything.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		pkg := strings.TrimPrefix(f[0], "cookoff/")
		if pkg == "cookoff" || strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "examples/") {
			continue
		}
		may, known := allowed[pkg]
		if !known {
			t.Errorf("package %s is not in the table of architecture: add it with what it may import", pkg)
			continue
		}
		for _, imp := range f[1:] {
			if p, ours := strings.CutPrefix(imp, "cookoff/"); ours && !slices.Contains(may, p) {
				t.Errorf("%s imports %s, which the architecture does not allow", pkg, p)
			}
		}
	}
}
