package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"cookoff/internal/daily"
	"cookoff/sandbox/native"
	"cookoff/tools/repair"
)

// libraryReadme holds the table that builtin:library gives.
const libraryReadme = "../../tools/repair/library/README.md"

// The lines around the table.
const (
	tableBegins = "<!-- the table: cookoff run builtin:library -->\n"
	tableEnds   = "<!-- end of the table -->\n"
)

// libraryRun is what the JSON report says of a run of builtin:library.
type libraryRun struct {
	Models []struct {
		Model            string
		Pass, Fail, Void int
	}
	Tasks  []string
	Trials []struct{ Model, Task, Status, Cause, Detail string }
	// Tasks that were not admitted: a contract of the library that is broken.
	Excluded []struct{ Task, Phase, Why string }
}

// TestLibraryTable runs every repair's test as a task, as a user would, and
// holds the library's README to what comes out. Every contract is proven on
// the way, since no task is run that is not admitted. Only with -update is the
// table written.
func TestLibraryTable(t *testing.T) {
	daily.Skip(t, 9, "about a thousand sandboxes")
	for _, tool := range []string{"go", "git", "python3", "node"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the whole library needs %s: %v", tool, err)
		}
	}
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	name, err := filepath.Abs(libraryReadme)
	if err != nil {
		t.Fatal(err)
	}
	got := runLibrary(t).table(t)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegins)
	want, after, ok2 := strings.Cut(rest, tableEnds)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s has no lines %q and %q", name, tableBegins, tableEnds)
	case got == want:
	case *update:
		if err := os.WriteFile(name, []byte(before+tableBegins+got+tableEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README of the library says\n%s\nthe run says\n%s\n(-update writes it)", want, got)
	}
}

// runLibrary runs builtin:library in a directory of its own.
func runLibrary(t *testing.T) *libraryRun {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	for _, dir := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		t.Setenv(dir, t.TempDir())
	}
	t.Chdir(t.TempDir())
	var stdout, stderr bytes.Buffer
	args := []string{"run", "builtin:library", "--format", "json", "--parallel",
		strconv.Itoa(2 * runtime.GOMAXPROCS(0))} // half of it is waiting
	if code := run(t.Context(), strings.NewReader(""), &stdout, &stderr, args); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var out libraryRun
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return &out
}

// table writes what each baseline did, in Markdown. What is not admitted, and
// what the oracle can't mend, is an error.
func (r *libraryRun) table(t *testing.T) string {
	t.Helper()
	for _, x := range r.Excluded {
		t.Errorf("%s breaks its contract: %s: %s", x.Task, x.Phase, x.Why)
	}
	classes := map[string]repair.Class{}
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, rep := range lib.Repairs() {
		for _, f := range rep.Fixes {
			classes[rep.ID+"/"+f.ID] = f.Class
		}
	}
	if len(r.Tasks) != len(classes) {
		t.Errorf("%d tasks were run, the library has %d fixes", len(r.Tasks), len(classes))
	}
	cells := map[string]string{}
	for _, tr := range r.Trials {
		cell := "fixed"
		if tr.Status != "pass" {
			cell = strings.ReplaceAll(tr.Cause, "_", " ")
		}
		if tr.Status == "void" || tr.Model == "baseline/oracle" && tr.Status != "pass" {
			t.Errorf("%s, %s: %s %s: %s", tr.Task, tr.Model, tr.Status, tr.Cause, tr.Detail)
		}
		cells[tr.Task+" "+tr.Model] = cell
	}
	var b strings.Builder
	b.WriteString("| task | class |")
	line := "|---|---|"
	for _, m := range r.Models {
		fmt.Fprintf(&b, " %s |", m.Model)
		line += "---|"
	}
	b.WriteString("\n" + line + "\n")
	for _, task := range r.Tasks {
		fmt.Fprintf(&b, "| %s | %s |", task, classes[task])
		for _, m := range r.Models {
			fmt.Fprintf(&b, " %s |", cells[task+" "+m.Model])
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "| **fixed, of %d** | |", len(r.Tasks))
	for _, m := range r.Models {
		fmt.Fprintf(&b, " **%d** |", m.Pass)
	}
	b.WriteByte('\n')
	return b.String()
}
