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
	"recipe":                  {"internal/pattern", "recipe/gitsource", "internal/places", "contestant", "internal/nearest"},
	"recipe/gitsource":        {"internal/pattern", "internal/temporary"},
	"internal/pattern":        {},
	"internal/ui/text":        {},
	"shell":                   {"internal/pattern"},
	"model":                   {},
	"model/openai":            {"model", "model/wire", "model/endpoint", "model/wire/chat"},
	"model/openai/openaitest": {"model"},
	"model/baseline":          {"model"},
	"model/scripted":          {"model"},
	"model/replay":            {"internal/hint", "model", "model/wire"},
	"model/wire":              {},
	"model/wire/chat":         {"model", "model/wire"},
	"model/wire/messages":     {"model", "model/wire"},
	"model/wire/responses":    {"model", "model/wire"},
	"contestant/gateway":      {"contestant/gateway/blame", "contestant/gateway/conn", "contestant/gateway/document", "contestant/gateway/meter", "contestant/gateway/request", "contestant/gateway/tally", "contestant/gateway/translate", "internal/pattern", "model", "model/endpoint", "model/wire", "runner/clock", "runner/traffic", "trial"},
	"examples/scripted":       {"model", "model/openai/openaitest"},
	"sandbox":                 {"internal/temporary"},
	"sandbox/gate":            {},
	"sandbox/wire":            {"sandbox"},
	"sandbox/client":          {"sandbox", "sandbox/wire"},
	"sandbox/guest":           {"sandbox", "sandbox/wire", "sandbox/guest/files", "sandbox/guest/proc", "sandbox/guest/stream"},
	"sandbox/guest/files":     {"sandbox", "sandbox/wire", "sandbox/guest/proc", "sandbox/noted"},
	"sandbox/noted":           {"sandbox"},
	"sandbox/guest/proc":      {"sandbox/wire"},
	"sandbox/guest/stream":    {"sandbox", "sandbox/wire"},
	"sandbox/builds":          {},
	"sandbox/plan":            {"sandbox", "sandbox/wire"},
	"sandbox/linux":           {"sandbox", "sandbox/wire", "sandbox/plan"},
	"sandbox/cgroup":          {"sandbox", "sandbox/wire", "sandbox/plan"},
	"sandbox/trees":           {},
	"sandbox/native":          {"sandbox", "sandbox/trees", "sandbox/wire", "sandbox/plan", "sandbox/linux", "sandbox/cgroup", "sandbox/client", "sandbox/guest", "sandbox/wake", "internal/places", "sandbox/bwrap", "sandbox/container", "sandbox/gvisor", "sandbox/launch", "sandbox/layers", "sandbox/scratch", "sandbox/shipped", "sandbox/users", "internal/temporary"},
	"sandbox/sandboxtest":     {"sandbox", "internal/pattern"},
	"hooks":                   {"sandbox"},
	"trial":                   {"model", "internal/pattern", "internal/files", "internal/temporary"},
	"trial/trialtest":         {"model", "trial"},
	"tools":                   {"model", "sandbox", "sandbox/gate", "recipe", "shell", "internal/pattern"},
	"tools/mcp":               {"internal/hint", "tools", "model", "sandbox", "internal/pattern"},
	"tools/probe":             {"tools", "model", "sandbox", "internal/pattern"},
	"tools/repair":            {"tools", "model", "sandbox", "recipe", "shell", "internal/pattern"},
	"verify":                  {"recipe", "internal/ui/text", "sandbox", "trial", "verify/traps", "verify/lint", "verify/tree", "verify/versions", "verify/footprint", "verify/distrust/git", "verify/distrust/tools", "verify/printed", "verify/checks", "verify/patch", "verify/services", "verify/standins", "verify/needs", "verify/verdict", "verify/control", "verify/lessons", "verify/witness"},
	"verify/traps":            {"sandbox", "shell", "internal/pattern"},
	"verify/checks":           {"recipe", "sandbox", "shell", "trial", "verify/lint", "verify/tree"},
	"verify/cheat":            {"internal/pattern", "sandbox", "shell", "trial", "verify", "verify/checks", "verify/distrust/tools", "verify/footprint", "verify/lint", "verify/tree", "verify/versions", "verify/verdict"},
	"verify/printed":          {"internal/ui/text", "sandbox", "internal/pattern"},
	"verify/distrust/tools":   {"verify/distrust", "verify/distrust/git", "verify/distrust/golang", "verify/distrust/make", "verify/distrust/npm", "verify/distrust/python"},
	"verify/distrust/python":  {"sandbox", "shell", "verify/distrust"},
	"verify/distrust/npm":     {"verify/distrust"},
	"verify/distrust/make":    {"verify/distrust"},
	"verify/distrust/golang":  {"verify/distrust"},
	"verify/distrust/git":     {"internal/pattern", "internal/ui/text", "sandbox", "trial", "verify/distrust", "verify/printed", "verify/testrun", "verify/tree"},
	"verify/distrust":         {"sandbox", "shell", "verify/tree"},
	"verify/footprint":        {"internal/ui/text", "sandbox", "trial", "verify/traps", "verify/tree", "internal/pattern", "verify/alike", "verify/stores"},
	"verify/versions":         {"recipe"},
	"verify/tree":             {"internal/pattern", "sandbox"},
	"verify/testrun":          {"internal/pattern", "sandbox", "shell"},
	"verify/lint":             {"internal/pattern", "recipe", "shell", "verify/testrun", "verify/tree", "verify/versions", "verify/distrust/tools"},

	"bench":           {"trial", "trial/trialtest"},
	"runner/clock":    {},
	"runner/cores":    {},
	"runner/traffic":  {"model", "runner/clock", "contestant"},
	"runner/budget":   {"model", "model/baseline", "trial", "contestant", "report/stat"},
	"runner/v1":       {"model", "recipe"},
	"runner/reminder": {},
	"runner/toolset":  {"hooks", "model", "recipe", "sandbox/gate", "tools", "tools/mcp", "tools/probe", "tools/repair", "runner/v1"},
	"runner/record":   {"hooks", "model", "sandbox", "sandbox/gate", "tools", "trial", "runner/clock", "internal/pattern"},
	"runner/project":  {"recipe", "sandbox", "verify", "internal/pattern", "verify/tree", "internal/history", "internal/places", "runner/copies", "sandbox/roots", "internal/gitindex"},
	"runner/resolve":  {"hooks", "internal/hint", "model", "model/baseline", "recipe", "runner/budget", "runner/project", "runner/reminder", "runner/toolset", "runner/v1", "sandbox/gate", "tools", "tools/mcp", "tools/probe", "tools/repair", "trial", "verify", "verify/lint", "internal/history", "contestant", "contestant/agents", "contestant/gateway/translate", "model/wire", "verify/services", "sandbox"},
	"runner/loop":     {"hooks", "model", "model/baseline", "recipe", "runner/budget", "runner/clock", "runner/cores", "runner/record", "runner/reminder", "runner/toolset", "runner/traffic", "runner/v1", "sandbox", "sandbox/gate", "tools", "trial"},
	"runner":          {"contestant", "model", "model/baseline", "recipe", "runner/budget", "runner/clock", "runner/cores", "runner/loop", "runner/project", "runner/record", "runner/reminder", "runner/resolve", "runner/toolset", "runner/traffic", "runner/v1", "sandbox", "sandbox/gate", "tools", "tools/mcp", "tools/repair", "trial", "verify", "verify/lint", "verify/tree", "verify/cheat", "verify/leaks", "runner/losing", "contestant/acp", "contestant/agents", "runner/agent", "internal/hint", "runner/prepare", "runner/warm", "runner/lend", "runner/seats", "internal/ui/text", "verify/verdict", "internal/temporary"},

	"report":              {"trial", "internal/ui/text", "model", "report/stat", "internal/pattern", "report/parts", "report/number"},
	"report/stat":         {},
	"report/stat/anytime": {},
	"report/decide":       {"report/stat/anytime", "trial"},
	"report/history":      {"report", "report/stat", "trial"},
	"report/plan":         {"report", "report/stat", "trial"},
	"interop/sarif":       {"recipe"},
	"report/forecast":     {"trial", "model", "report/stat", "contestant"},
	"report/html":         {"report", "internal/ui/text", "trial", "model", "report/number"},

	"internal/apply":               {"trial", "internal/temporary"},
	"internal/changes":             {"internal/pattern"},
	"internal/cli":                 {"internal/config", "internal/files", "internal/host", "internal/sources", "internal/ui/screen", "internal/ui/text", "interop/sarif", "internal/version", "recipe", "sandbox"},
	"internal/cli/machine":         {"internal/ceilings", "internal/cli", "internal/config", "internal/host", "internal/leftovers", "internal/litellm", "internal/pattern", "internal/preflight", "internal/sandboxcmd", "internal/toolchain", "internal/ui/screen", "internal/ui/table", "internal/ui/text", "internal/version", "model", "sandbox", "sandbox/builds", "sandbox/native", "contestant/agents", "internal/hint", "runner/agent", "internal/remote", "sandbox/container", "internal/temporary"},
	"internal/cli/recipes":         {"internal/cli", "internal/cli/reports", "internal/files", "internal/repairdirs", "internal/sources", "internal/ui/table", "internal/ui/text", "recipe", "recipe/gitsource", "trial", "internal/ui/screen", "interop/harbor/tasks", "internal/cards", "interop/harbor/export", "runner/project", "recipe/convert"},
	"internal/cli/repairs":         {"internal/cli", "internal/contract", "internal/files", "internal/host", "internal/mend", "internal/repairdirs", "internal/ui/screen", "internal/ui/table", "internal/ui/text", "internal/verifycmd", "recipe", "sandbox", "tools/probe", "tools/repair", "verify/lint"},
	"internal/leftovers":           {"sandbox", "trial", "runner/copies", "sandbox/scratch", "internal/ui/text", "internal/temporary"},
	"internal/cli/help":            {"internal/cli"},
	"internal/cli/report":          {"internal/cli", "internal/cli/reports", "internal/files", "internal/runs", "internal/ui/screen", "internal/ui/table", "internal/ui/text", "internal/ui/tty", "internal/view", "internal/watching", "report", "report/history", "report/html", "report/plan", "report/stat", "trial", "report/formats", "report/number"},
	"internal/cli/reports":         {"internal/cli", "internal/files", "internal/runs", "internal/ui/screen", "internal/ui/text", "report", "report/html", "trial", "internal/version", "interop/harbor/jobs", "interop/inspect", "interop/otel", "interop/transcript", "report/formats", "internal/temporary"},
	"internal/hint":                {},
	"internal/ceilings":            {},
	"internal/files":               {"internal/temporary"},
	"internal/runs":                {"internal/faults", "internal/files", "internal/version", "report", "trial"},
	"internal/ui/table":            {"internal/ui/screen", "internal/ui/text"},
	"internal/repairdirs":          {"internal/files", "recipe", "tools/probe", "tools/repair"},
	"internal/sources":             {"sandbox", "sandbox/roots", "internal/files", "internal/host", "internal/ui/text", "recipe", "recipe/gitsource", "interop/harbor/tasks", "internal/temporary", "sandbox/container"},
	"internal/version":             {"recipe", "trial"},
	"internal/host":                {"internal/config", "internal/files", "internal/pattern", "internal/shootout/prefs", "internal/toolchain", "internal/ui/text", "internal/version", "recipe", "sandbox", "sandbox/builds", "sandbox/native", "contestant/agents", "internal/hint", "runner/prepare", "runner/warm", "internal/temporary"},
	"internal/cli/door":            {"cookoff", "internal/cli", "internal/config", "internal/faults", "internal/host", "internal/propose", "internal/ui/text", "recipe", "runner", "trial"},
	"internal/cli/initialize":      {"cookoff", "internal/cli", "internal/cli/door", "internal/pattern", "internal/propose", "internal/ui/text", "recipe", "sandbox", "verify/testrun"},
	"internal/cli/run":             {"cookoff", "internal/apply", "internal/cli", "runner/project", "internal/changes", "internal/cli/door", "internal/cli/reports", "internal/kept", "internal/leftovers", "internal/played", "internal/progress", "internal/runs", "internal/sandboxcmd", "internal/ui/screen", "internal/ui/table", "internal/ui/text", "recipe", "report", "report/decide", "report/forecast", "runner", "sandbox", "trial", "verify/lint", "report/failures", "hosts/engine", "report/formats", "report/number"},
	"internal/cli/shoot":           {"cookoff", "internal/cli", "internal/cli/door", "internal/cli/reports", "internal/host", "internal/shootout", "internal/shootout/prefs", "internal/shootout/session", "internal/ui/live/plain", "internal/ui/screen", "internal/ui/table", "internal/ui/text", "internal/ui/tty", "model", "recipe", "runner", "tools", "trial"},
	"internal/faults":              {},
	"internal/kept":                {"internal/faults", "internal/runs", "internal/ui/text", "runner", "trial"},
	"internal/played":              {"internal/faults", "internal/hint", "internal/ui/text", "model", "model/replay", "runner", "tools/mcp", "trial"},
	"internal/preflight":           {"internal/config", "internal/host", "internal/nearest", "internal/ui/text", "model", "report", "runner", "report/number"},
	"internal/trust":               {"internal/faults", "internal/files", "internal/host", "internal/repairdirs", "internal/ui/text", "recipe", "sandbox"},
	"cookoff":                      {"internal/ceilings", "internal/config", "internal/faults", "internal/host", "internal/kept", "internal/played", "internal/preflight", "internal/repairdirs", "internal/runs", "internal/sources", "internal/trust", "internal/ui/text", "internal/version", "model", "model/baseline", "model/replay", "recipe", "report", "report/decide", "report/forecast", "runner", "runner/traffic", "sandbox", "trial", "internal/pressure", "contestant", "runner/prepare", "internal/remote", "internal/plant", "report/number", "internal/standstill", "internal/temporary"},
	"internal/config":              {"internal/hint", "internal/pattern", "internal/places", "model", "model/openai", "recipe", "sandbox/native", "model/wire", "contestant/agents", "model/endpoint", "model/messages", "model/responses", "hosts/engine", "hosts/program"},
	"internal/contract":            {"internal/pattern", "recipe", "sandbox", "tools", "tools/repair", "trial", "verify"},
	"internal/litellm":             {"internal/pattern", "model"},
	"internal/mend":                {"sandbox", "tools", "tools/probe", "tools/repair"},
	"internal/progress":            {"internal/ui/live/board", "internal/ui/screen", "internal/ui/text", "trial"},
	"internal/propose":             {"internal/pattern", "shell"},
	"internal/sandboxcmd":          {"sandbox", "sandbox/gate"},
	"internal/ui/screen":           {},
	"internal/shootout":            {"internal/shootout/diffs", "internal/shootout/prefs", "internal/shootout/prompt", "internal/shootout/session", "internal/ui/live/board", "internal/ui/live/draw", "internal/ui/live/panes", "internal/ui/screen", "internal/ui/text", "internal/ui/tty", "recipe", "runner", "trial"},
	"internal/ui/live/board":       {"internal/ui/markdown", "internal/ui/text", "trial"},
	"internal/ui/markdown":         {},
	"internal/shootout/diffs":      {"internal/ui/screen", "internal/ui/text", "trial"},
	"internal/ui/live/draw":        {"internal/ui/live/board", "internal/ui/markdown", "internal/ui/screen", "internal/ui/text", "report/stat", "trial"},
	"internal/ui/live/panes":       {"internal/ui/live/board", "internal/ui/live/draw"},
	"internal/ui/live/plain":       {"internal/ui/live/board", "internal/ui/text", "trial"},
	"internal/shootout/prefs":      {"internal/ui/text", "report/stat"},
	"internal/shootout/prompt":     {"internal/pattern", "internal/ui/screen", "internal/ui/text"},
	"internal/shootout/session":    {"internal/apply", "internal/shootout/prefs", "internal/ui/live/board", "recipe", "runner", "trial"},
	"internal/ui/tty":              {"internal/ui/screen"},
	"internal/watching":            {"internal/tail", "internal/ui/live/board", "internal/ui/live/draw", "internal/ui/live/panes", "internal/ui/live/plain", "internal/ui/screen", "internal/ui/tty", "trial"},
	"internal/tail":                {"trial"},
	"internal/toolchain":           {"internal/pattern"},
	"internal/verifycmd":           {"internal/pattern", "recipe", "sandbox", "trial", "verify", "verify/lint", "verify/versions"},
	"internal/view":                {"internal/tail", "report", "report/html", "trial"},
	"runner/losing":                {"runner/lend", "recipe", "runner/record", "runner/resolve", "runner/toolset", "sandbox", "tools", "trial", "verify", "verify/tree", "verify/verdict"},
	"report/failures":              {"internal/pattern", "trial"},
	"sandbox/wake":                 {},
	"internal/history":             {"internal/hint", "internal/pattern", "internal/temporary"},
	"interop/interoptest":          {"interop/transcript", "report", "trial"},
	"interop/transcript":           {"model", "report", "trial"},
	"interop/atif":                 {"interop/transcript", "model", "trial"},
	"interop/inspect":              {"interop/transcript", "model", "report", "trial", "interop/imported"},
	"interop/otel":                 {"interop/transcript", "model", "report", "trial"},
	"interop/harbor/jobs":          {"interop/atif", "interop/transcript", "report", "trial", "interop/imported", "model"},
	"internal/places":              {},
	"internal/pressure":            {"trial"},
	"contestant/gateway/translate": {"model", "model/wire", "model/wire/chat", "model/wire/messages", "model/wire/responses"},
	"verify/leaks":                 {"internal/pattern", "sandbox", "verify", "verify/lint", "verify/tree"},
	"interop/imported":             {"model", "trial"},
	"contestant":                   {},
	"contestant/acp":               {},
	"contestant/acp/acptest":       {},
	"contestant/agents":            {"contestant", "internal/hint", "internal/pattern", "internal/toolchain", "sandbox"},
	"runner/agent":                 {"contestant/acp", "contestant/agents", "contestant/gateway", "contestant/gateway/tally", "internal/hint", "model", "model/wire", "runner/budget", "runner/clock", "runner/cores", "runner/loop", "runner/record", "runner/traffic", "runner/v1", "sandbox", "sandbox/gate", "trial"},
	"runner/copies":                {"sandbox/trees", "internal/temporary"},
	"internal/profile":             {},
	"model/endpoint":               {"model", "model/wire", "internal/ui/text", "internal/pattern"},
	"model/endpoint/endpointtest":  {},
	"model/messages":               {"model", "model/endpoint", "model/wire", "model/wire/messages", "internal/pattern"},
	"model/responses":              {"model", "model/endpoint", "model/wire", "model/wire/responses"},
	"interop/harbor/tasks":         {"internal/pattern", "internal/places", "interop/imported", "recipe", "internal/toolchain", "verify/testrun"},
	"sandbox/roots":                {"sandbox", "sandbox/guest/files", "sandbox/noted", "sandbox/trees", "internal/temporary"},
	"runner/prepare":               {"internal/hint", "sandbox", "sandbox/trees", "verify/printed", "internal/pattern", "internal/temporary"},
	"internal/cards":               {"internal/ui/text", "recipe"},
	"verify/patch":                 {"sandbox", "verify/tree"},
	"contestant/gateway/request":   {"contestant/gateway/document", "internal/pattern", "model/wire"},
	"contestant/gateway/meter":     {"contestant/gateway/document", "model", "model/wire", "model/wire/chat", "model/wire/messages", "model/wire/responses"},
	"contestant/gateway/conn":      {},
	"contestant/gateway/blame":     {"internal/pattern", "model", "model/endpoint"},
	"contestant/gateway/tally":     {"model", "trial"},
	"contestant/gateway/document":  {},
	"internal/mine":                {"internal/files", "internal/history", "internal/pattern", "recipe", "sandbox", "shell", "verify/testrun", "verify/leaks", "internal/temporary"},
	"internal/cli/mine":            {"cookoff", "internal/cli", "internal/cli/door", "internal/files", "internal/history", "internal/mine", "internal/propose", "internal/ui/screen", "internal/ui/table", "internal/ui/text", "recipe", "sandbox", "internal/plant", "internal/config", "internal/describe", "model", "report/number", "internal/temporary"},
	"interop/harbor/export":        {"recipe", "sandbox"},
	"runner/warm":                  {"internal/hint", "runner/prepare", "sandbox", "sandbox/trees", "shell", "verify/printed", "internal/temporary"},
	"verify/services":              {"recipe", "sandbox", "verify/printed"},
	"internal/plant":               {"internal/mine", "internal/pattern", "recipe", "sandbox", "verify/testrun", "internal/history"},
	"runner/lend":                  {"sandbox", "internal/gitindex"},
	"hosts":                        {"hosts/link", "hosts/talk", "hosts/tree", "sandbox", "sandbox/client", "sandbox/wire"},
	"hosts/hand":                   {"hosts/link", "hosts/talk", "hosts/tree", "sandbox", "sandbox/wire"},
	"hosts/link":                   {},
	"hosts/talk":                   {"sandbox", "sandbox/wire"},
	"hosts/tree":                   {"sandbox", "sandbox/noted", "sandbox/trees", "sandbox/wire", "internal/temporary"},
	"internal/remote":              {"hosts", "hosts/hand", "hosts/talk", "hosts/tree", "internal/config", "internal/host", "internal/pattern", "internal/ui/text", "internal/version", "recipe", "runner/seats", "sandbox", "hosts/engine", "hosts/program"},
	"internal/cli/hosts":           {"hosts/hand", "hosts/link", "internal/cli", "internal/remote", "hosts", "internal/ui/screen", "internal/ui/table", "internal/ui/text", "hosts/shards"},
	"runner/seats":                 {"sandbox"},
	"report/parts":                 {"internal/ui/text", "trial"},
	"hosts/engine":                 {"internal/hint"},
	"hosts/program":                {"hosts", "sandbox/wire"},
	"hosts/shards":                 {"shell"},
	"internal/gitindex":            {},
	"verify/standins":              {"sandbox", "verify/tree"},
	"sandbox/users":                {},
	"sandbox/launch":               {"sandbox", "sandbox/cgroup", "sandbox/plan", "sandbox/trees", "sandbox/users", "sandbox/wire"},
	"sandbox/bwrap":                {"sandbox", "sandbox/launch", "sandbox/plan", "sandbox/users", "sandbox/wire"},
	"sandbox/scratch":              {"sandbox/cgroup", "sandbox/trees", "internal/temporary"},
	"sandbox/shipped":              {"sandbox/plan", "sandbox/scratch", "sandbox/wire"},
	"sandbox/container":            {"sandbox/launch", "sandbox/plan", "sandbox/shipped", "sandbox/users", "sandbox/wire"},
	"sandbox/gvisor":               {"sandbox", "sandbox/launch", "sandbox/plan", "sandbox/shipped", "sandbox/users", "sandbox/wire"},
	"sandbox/whole":                {"sandbox", "sandbox/plan", "sandbox/trees", "sandbox/users"},
	"sandbox/layers":               {"sandbox", "sandbox/plan", "sandbox/scratch", "sandbox/trees", "sandbox/users", "sandbox/whole"},
	"hosts/deaths":                 {},
	"internal/describe":            {"internal/files", "model"},
	"verify/alike":                 {"internal/pattern"},
	"report/formats":               {"internal/ui/text", "report", "report/number", "report/stat", "trial"},
	"report/number":                {"report/stat"},
	"report/reporttest":            {"model", "report", "trial"},
	"internal/standstill":          {},
	"internal/temporary":           {},
	"internal/daily":               {},
	"verify/needs":                 {"internal/pattern", "internal/propose", "sandbox", "shell", "trial", "verify/checks", "verify/printed", "verify/testrun"},
	"verify/verdict":               {"trial"},
	"verify/witness":               {"internal/pattern", "internal/ui/text", "recipe", "sandbox", "shell", "trial", "verify/checks", "verify/distrust", "verify/distrust/git", "verify/distrust/tools", "verify/lessons", "verify/lint", "verify/needs", "verify/printed", "verify/services", "verify/tree", "verify/versions"},
	"verify/control":               {"internal/pattern", "verify/tree", "internal/ui/text", "sandbox", "trial", "verify/checks", "verify/lessons", "verify/testrun", "verify/witness"},
	"verify/lessons":               {"sandbox", "trial", "verify/testrun", "verify/verdict"},
	"recipe/convert":               {"internal/nearest", "internal/pattern", "recipe"},
	"internal/nearest":             {},
	"verify/stores":                {"internal/pattern"},
}

// TestImports holds the packages to the table above; cmd may import anything.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		pkg := strings.TrimPrefix(f[0], "cookoff/")
		if strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "examples/") {
			continue
		}
		may, known := allowed[pkg]
		if !known {
			t.Errorf("package %s is not in the table of architecture: add it with what it may import", pkg)
			continue
		}
		found[pkg] = true
		for _, imp := range f[1:] {
			if p, ours := strings.CutPrefix(imp, "cookoff/"); (ours || imp == "cookoff") && !slices.Contains(may, p) {
				t.Errorf("%s imports %s, which the architecture does not allow", pkg, p)
			}
		}
	}
	for pkg := range allowed {
		if !found[pkg] && !strings.HasPrefix(pkg, "cmd/") && !strings.HasPrefix(pkg, "examples/") {
			t.Errorf("the table of architecture has a package %s, which there is not", pkg)
		}
	}
}

// mayRun are the packages that start programs on the host, and what they
// start. None of it ever has the files of an agent for its directory or its
// configuration: a repository that an agent wrote would run its hooks.
var mayRun = map[string]string{
	"sandbox/native":         "itself, which builds a world and is the guest in it",
	"sandbox/launch":         "what a backend readied: it starts worlds",
	"sandbox/bwrap":          "bubblewrap, to build worlds",
	"sandbox/container":      "podman and docker, to build worlds",
	"sandbox/gvisor":         "itself, to become runsc, and newuidmap",
	"sandbox/layers":         "itself, for a user namespace that says who is who on a mount",
	"sandbox/cgroup":         "itself, to see whether a process may be born in a control group",
	"recipe/gitsource":       "git, on repositories of recipes",
	"internal/host":          "go, to find tool chains and to fill its cache",
	"internal/cli/machine":   "none: doctor looks whether git is on PATH",
	"internal/apply":         "git, in the user's own project",
	"internal/mend":          "repairs that the user asked for",
	"internal/shootout":      "the user's editor, on a recipe",
	"internal/toolchain":     "version managers, to find what their shims lead to",
	"examples/scripted":      "cookoff",
	"internal/history":       "git, in the user's own repositories, for the commits that tasks begin with",
	"contestant/agents":      "agent programs that the user installed, to ask their versions",
	"contestant/acp/acptest": "what a test gives it",
	"bench":                  "cookoff and its peers, by hand",
	"hosts":                  "the commands of hosts, which the configuration of the user names",
	"hosts/engine":           "salloc, squeue, scontrol and kubectl, for the machines that --hosts names",
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
