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
	"recipe":                  {"internal/pattern"},
	"internal/pattern":        {},
	"shell":                   {"internal/pattern"},
	"model":                   {},
	"model/openai":            {"model", "internal/pattern"},
	"model/openai/openaitest": {"model"},
	"model/baseline":          {"model"},
	"model/scripted":          {"model"},
	"model/replay":            {"model"},
	"examples/scripted":       {"model", "model/openai/openaitest"},
	"sandbox":                 {},
	"sandbox/gate":            {},
	"sandbox/guest":           {"sandbox"},
	"sandbox/builds":          {},
	"sandbox/native":          {"sandbox", "sandbox/guest"},
	"sandbox/sandboxtest":     {"sandbox", "internal/pattern"},
	"hooks":                   {"sandbox"},
	"trial":                   {"model", "internal/pattern"},
	"tools":                   {"model", "sandbox", "sandbox/gate", "recipe", "shell", "internal/pattern"},
	"tools/mcp":               {"tools", "model", "sandbox", "internal/pattern"},
	"tools/probe":             {"tools", "model", "sandbox", "internal/pattern"},
	"tools/repair":            {"tools", "model", "sandbox", "recipe", "shell", "internal/pattern"},
	"verify":                  {"recipe", "sandbox", "trial", "shell", "verify/traps", "internal/pattern"},
	"verify/traps":            {"sandbox", "internal/pattern"},
	"runner/clock":            {},
	"runner/traffic":          {"model", "runner/clock"},
	"runner/budget":           {"trial"},
	"runner/record":           {"hooks", "model", "sandbox", "sandbox/gate", "tools", "trial", "runner/clock", "internal/pattern"},
	"runner":                  {"runner/clock", "runner/record", "runner/budget", "runner/traffic", "recipe", "model", "model/baseline", "sandbox", "sandbox/gate", "hooks", "trial", "tools", "tools/mcp", "tools/probe", "tools/repair", "verify", "internal/pattern"},
	"report":                  {"trial", "model", "report/stat", "internal/pattern"},
	"report/stat":             {},
	"report/forecast":         {"trial", "model"},
	"report/html":             {"report", "trial", "model"},

	"internal/apply":             {"trial"},
	"internal/cli":               {"internal/config", "internal/screen", "recipe"},
	"internal/cli/kept":          {"internal/cli", "internal/cli/reports", "internal/screen", "runner", "trial"},
	"internal/cli/reports":       {"internal/cli", "internal/files", "internal/screen", "report", "report/html", "trial"},
	"internal/files":             {},
	"internal/runs":              {"internal/files", "report", "trial"},
	"internal/ui/table":          {"internal/screen", "internal/shootout/draw"},
	"internal/config":            {"internal/pattern", "model", "model/openai", "recipe", "sandbox/native"},
	"internal/contract":          {"internal/pattern", "recipe", "sandbox", "tools", "tools/repair", "trial", "verify"},
	"internal/litellm":           {"model"},
	"internal/mend":              {"sandbox", "tools", "tools/probe", "tools/repair"},
	"internal/progress":          {"internal/screen", "internal/shootout/board", "trial"},
	"internal/propose":           {"internal/pattern"},
	"internal/sandboxcmd":        {"sandbox", "sandbox/gate"},
	"internal/screen":            {},
	"internal/shootout":          {"internal/screen", "internal/shootout/board", "internal/shootout/diffs", "internal/shootout/draw", "internal/shootout/panes", "internal/shootout/prefs", "internal/shootout/prompt", "internal/shootout/session", "internal/shootout/tty", "recipe", "runner", "trial"},
	"internal/shootout/board":    {"internal/screen", "trial"},
	"internal/shootout/diffs":    {"internal/screen", "trial"},
	"internal/shootout/draw":     {"internal/screen", "internal/shootout/board", "report/stat", "trial"},
	"internal/shootout/panes":    {"internal/shootout/board", "internal/shootout/draw"},
	"internal/shootout/plain":    {"internal/screen", "internal/shootout/board", "trial"},
	"internal/shootout/prefs":    {"internal/screen", "report/stat"},
	"internal/shootout/prompt":   {"internal/pattern", "internal/screen"},
	"internal/shootout/session":  {"internal/apply", "internal/shootout/board", "internal/shootout/prefs", "recipe", "runner", "trial"},
	"internal/shootout/tty":      {"internal/screen"},
	"internal/shootout/watching": {"internal/screen", "internal/shootout/board", "internal/shootout/draw", "internal/shootout/panes", "internal/shootout/plain", "internal/shootout/tty", "internal/tail", "trial"},
	"internal/tail":              {"trial"},
	"internal/toolchain":         {"internal/pattern"},
	"internal/verifycmd":         {"recipe", "sandbox", "trial", "verify"},
	"internal/view":              {"internal/tail", "report", "report/html", "trial"},
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

// mayRun are the packages that start programs on the host, and what they
// start. None of it ever has the files of an agent for its directory or its
// configuration: a repository that an agent wrote would run its hooks.
var mayRun = map[string]string{
	"sandbox/native":     "the sandbox",
	"recipe":             "git, on repositories of recipes",
	"cmd/cookoff":        "go and git, to find tool chains",
	"internal/apply":     "git, in the user's own project",
	"internal/mend":      "repairs that the user asked for",
	"internal/shootout":  "the user's editor, on a recipe",
	"internal/toolchain": "version managers, to find what their shims lead to",
	"examples/scripted":  "cookoff",
}

// TestProgramsOnTheHost: whoever starts a program is known.
func TestProgramsOnTheHost(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		pkg := strings.TrimPrefix(f[0], "cookoff/")
		if slices.Contains(f[1:], "os/exec") && mayRun[pkg] == "" {
			t.Errorf("%s starts programs on the host: say in mayRun which, and that none meets files of an agent", pkg)
		}
	}
}
