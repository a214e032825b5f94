package repair_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/tools"
	"cookoff/tools/repair"

	"github.com/google/go-cmp/cmp"
)

// world runs commands with the machine's own bash in directories of the test.
// bin is all of its PATH but for the system's.
type world struct {
	home, work, bin string
	ran             []sandbox.Cmd
	result          *sandbox.Result // instead of running, once facts are known
	err             error
}

func newWorld(t *testing.T) *world {
	w := &world{home: t.TempDir(), work: t.TempDir(), bin: t.TempDir()}
	return w
}

func (w *world) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	facts := strings.Contains(c.Script, "os-release") || len(c.Argv) > 4
	if !facts {
		w.ran = append(w.ran, c)
	}
	switch {
	case w.err != nil:
		return sandbox.Result{}, w.err
	case w.result != nil && !facts:
		return *w.result, nil
	}
	argv := c.Argv
	if argv == nil {
		argv = []string{"bash", "--noprofile", "--norc", "-c", c.Script}
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = w.work
	cmd.Env = []string{"HOME=" + w.home, "PATH=" + w.bin + ":" + os.Getenv("PATH")}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var ee *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &ee) {
		return sandbox.Result{}, err
	}
	return sandbox.Result{Exit: cmd.ProcessState.ExitCode(), Stdout: out.Bytes(), Stderr: errs.Bytes()}, nil
}

func (w *world) FS() sandbox.FS                              { return nil }
func (w *world) Seal(context.Context) (sandbox.State, error) { return nil, errors.ErrUnsupported }
func (w *world) Close() error                                { return nil }

// has puts a program on the world's PATH.
func (w *world) has(t *testing.T, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.bin, name), []byte("#!/bin/bash\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, text string) *repair.Repair {
	t.Helper()
	lib, err := repair.Load(files("a.yaml", text), "lib")
	if err != nil {
		t.Fatal(err)
	}
	return lib.Repairs()[0]
}

const versions = `
id: tool-version
probe: tool-version
fixes:
  - {id: on-mac, class: safe, when: {os: darwin}, command: "brewx {{.Required}}"}
  - {id: last-resort, class: safe, fallback: true,
     command: "echo fallback {{.MajorVersion}}", label: "Fall back to {{.MajorVersion}}"}
  - {id: by-nvx, class: safe, when: {os: linux, has_tool: cookoff-nvx},
     command: "cookoff-nvx use {{.Required}}", label: "Use {{.Required}} via nvx"}
  - {id: by-force, class: shared, when: {has_tool: cookoff-force}, command: "cookoff-force {{.Required}}"}
  - {id: kill-all, class: destructive, command: "kill {{.Required}}"}
  - {id: as-root, class: privileged, command: "sudo apt install {{.Required}}"}
`

func TestToolChoosesAndRuns(t *testing.T) {
	r := load(t, versions)
	call := func(w *world, classes []string, args string) (tools.Result, error) {
		return r.Tool(repair.ToolOptions{Classes: classes}).Call(t.Context(), w, json.RawMessage(args))
	}
	ok := func(w *world, args, want string) {
		t.Helper()
		got, err := call(w, nil, args)
		if err != nil || got.Text != want || !got.Wrote {
			t.Errorf("%s: %q (%v)", args, got.Text, err)
		}
	}
	refused := func(w *world, classes []string, args string, kind tools.ErrorKind, want string) {
		t.Helper()
		before := len(w.ran)
		_, err := call(w, classes, args)
		var ce *tools.CallError
		if !errors.As(err, &ce) || ce.Kind != kind || !strings.Contains(ce.Reason, want) {
			t.Errorf("%s: %v", args, err)
		}
		if len(w.ran) > before {
			t.Errorf("%s: ran %+v", args, w.ran[before:])
		}
	}
	w := newWorld(t)
	// nothing of the tools is here: the first that needs none is destructive
	refused(w, nil, `{"Required":"1"}`, tools.ClassRefused,
		"fix kill-all is of class destructive; classes that may run here: safe")
	refused(w, []string{}, `{"Required":"1","fix":"kill-all"}`, tools.ClassRefused, "classes that may run here: none")
	refused(w, []string{"safe", "privileged"}, `{"Required":"x y","fix":"as-root"}`, tools.ClassRefused,
		"only shown, never run: sudo apt install 'x y'")
	refused(w, nil, `{"Required":"1","fix":"by-nvx"}`, tools.ToolFailed,
		"fix by-nvx does not match here: it needs cookoff-nvx, which is not here")
	refused(w, nil, `{"Required":"1","fix":"on-mac"}`, tools.ToolFailed, "needs os darwin, and this is linux")
	refused(w, nil, `{"fix":"last-resort"}`, tools.BadArguments, `map has no entry for key "MajorVersion"`)
	refused(w, nil, `{"fix":"last-resort","MajorVersion":null}`, tools.BadArguments,
		`map has no entry for key "MajorVersion"`)
	refused(w, nil, `{"fix":"nix"}`, tools.BadArguments,
		`fix: "nix" is not one of on-mac, last-resort, by-nvx, by-force, kill-all, as-root`)
	refused(w, nil, `{"Required":20}`, tools.BadArguments, "Required: expected a string, found a number")
	ok(w, `{"MajorVersion":"a b","fix":"last-resort"}`, "fix last-resort: exit status 0\nfallback a b")

	w.has(t, "cookoff-nvx", `echo "$1: $2"; echo oh >&2; exit 3`)
	got, err := call(w, nil, `{"Required":"$(id)"}`)
	if want := "fix by-nvx: exit status 3\nuse: $(id)\n[stderr]\noh"; err != nil || got.Text != want || !got.Failed {
		t.Errorf("%q, failed %v (%v)", got.Text, got.Failed, err)
	}
	w.has(t, "cookoff-force", "echo forced $1")
	refused(w, nil, `{"Required":"1","fix":"by-force"}`, tools.ClassRefused, "class shared")
	if got, err := call(w, []string{"safe", "shared"}, `{"Required":"1","fix":"by-force"}`); err != nil ||
		got.Text != "fix by-force: exit status 0\nforced 1" {
		t.Errorf("%q (%v)", got.Text, err)
	}
	w.result = &sandbox.Result{Exit: 124, Reason: "timeout"}
	ok(w, `{"Required":"1"}`, "fix by-nvx: exit status 124\n(no output)\n[ended by the sandbox: limit of timeout]")
	w.err = sandbox.ErrUnavailable
	if _, err := call(w, nil, `{"Required":"1"}`); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("a broken sandbox is told as %v", err)
	}
}

// A function of a login shell counts as a tool, and then a login shell runs
// the fix.
func TestToolIsAFunction(t *testing.T) {
	r := load(t,
		"id: r\nprobe: p\nfixes:\n"+
			"- {id: a, class: safe, when: {has_tool: cookoff_vm}, command: 'cookoff_vm use {{.Required}}'}\n")
	w := newWorld(t)
	tool := r.Tool(repair.ToolOptions{})
	_, err := tool.Call(t.Context(), w, json.RawMessage(`{"Required":"1"}`))
	if err == nil || !strings.Contains(err.Error(),
		"no fix of repair_r matches here: a needs cookoff_vm, which is not here") {
		t.Errorf("without it: %v", err)
	}
	os.WriteFile(filepath.Join(w.home, ".bash_profile"), []byte("echo welcome\ncookoff_vm() { echo \"vm $*\"; }\n"),
		0o644)
	got, err := tool.Call(t.Context(), w, json.RawMessage(`{"Required":"it's"}`))
	if err != nil || got.Text != "fix a: exit status 0\nwelcome\nvm use it's" {
		t.Errorf("%q (%v)", got.Text, err)
	}
}

func TestToolSpec(t *testing.T) {
	spec := load(t, versions).Tool(repair.ToolOptions{}).Spec()
	want := `Mends what the probe tool-version finds. Fixes:
- on-mac (safe; darwin)
- last-resort (safe; fallback): Fall back to {{.MajorVersion}}
- by-nvx (safe; linux, needs cookoff-nvx): Use {{.Required}} via nvx
- by-force (shared; needs cookoff-force)
- kill-all (destructive)
- as-root (privileged)`
	if spec.Name != "repair_tool_version" || spec.Description != want {
		t.Errorf("%s\n%s", spec.Name, spec.Description)
	}
	var params struct {
		Properties map[string]struct{ Type, Description string }
		Required   []string
	}
	if err := json.Unmarshal(spec.Parameters, &params); err != nil {
		t.Fatal(err)
	}
	if len(params.Required) != 0 ||
		params.Properties["MajorVersion"].Description != "the first part of the version that is needed; "+
			"for last-resort" ||
		params.Properties["Required"].Type != "string" {
		t.Errorf("%s", spec.Parameters)
	}
}

func TestChoose(t *testing.T) {
	r := load(t, versions)
	check := func(f repair.Facts, want string, passed ...string) {
		t.Helper()
		fix, ps := r.Choose(&f)
		var got []string
		for _, p := range ps {
			got = append(got, p.Fix.ID+" "+p.Why)
		}
		if fix.ID != want || len(passed) > 0 && !cmp.Equal(got, passed) {
			t.Errorf("%+v: chose %s, passed over %q", f, fix.ID, got)
		}
	}
	has := func(names ...string) map[string]repair.Presence {
		m := map[string]repair.Presence{}
		for _, n := range names {
			m[n] = repair.Executable
		}
		return m
	}
	check(repair.Facts{OS: "linux", Tools: has("cookoff-nvx")}, "by-nvx",
		"on-mac needs os darwin, and this is linux", "last-resort is a fallback, and by-nvx matches",
		"by-force needs cookoff-force, which is not here", "kill-all comes after by-nvx, which matches",
		"as-root comes after by-nvx, which matches")
	check(repair.Facts{OS: "darwin", Tools: has("cookoff-nvx", "cookoff-force")}, "on-mac")
	check(repair.Facts{Tools: has("cookoff-force")}, "by-force")
	only := load(t,
		"id: r\nprobe: p\nfixes:\n- {id: b, class: safe, fallback: true, command: x}\n"+
			"- {id: a, class: safe, when: {distro: arch}, command: x}\n")
	if fix, _ := only.Choose(&repair.Facts{Distro: "arch"}); fix.ID != "a" {
		t.Errorf("chose %s", fix.ID)
	}
	if fix, _ := only.Choose(&repair.Facts{Distro: "debian"}); fix.ID != "b" {
		t.Errorf("chose %s", fix.ID)
	}
}

// R05: whatever a value holds, it stays one value, wherever a command allows
// it to stand.
func TestValuesStayValues(t *testing.T) {
	places := []string{
		"printf '%s' {{.V}}", `printf '%s' "{{.V}}"`, `printf '%s' '{{.V}}'`, `x={{.V}}; printf '%s' "$x"`,
		`printf '%s' "$(printf '%s.' "{{.V}}")" | head -c -1`, `if true; then printf '%s' ""{{.V}}''; fi`,
		`case {{.V}} in "{{.V}}") printf '%s' {{.V}} ;; esac`, `sh -c 'printf "%s" "$1"' _ {{.V}}`,
		`{{with .V}}printf '%s' {{.}}{{else}}printf ''{{end}}`,
		`printf '%s' {{index . "V"}}`, `[[ {{.V}} == {{.V}} ]] && printf '%s' {{print .V}}`,
		`f() { printf '%s' "$1"; }; f {{.V}}`,
	}
	values := []string{"plain", "", "a b", "'", `"`, "$(id)", "`id`", "${HOME}", "$HOME", `\`, `\\'`, "'; id; '",
		`"; id; "`, "a\nb", "*", "~", "-n", "#x", "!x", "$'\\x41'", "{a,b}", "cookoffslot0x", "é\u202e", "'\"$`\\"}
	for _, place := range places {
		r := load(t, "id: r\nprobe: p\nfixes:\n- id: a\n  class: safe\n  command: |\n    "+place+"\n")
		for _, v := range values {
			command, err := r.Fixes[0].Render(map[string]string{"V": v})
			if err != nil {
				t.Errorf("%s with %q: %v", place, v, err)
				continue
			}
			out, err := exec.Command("bash", "--noprofile", "--norc", "-c", command).CombinedOutput()
			if err != nil || string(out) != v {
				t.Errorf("%s with %q\nran %s\ngot %q (%v)", place, v, command, out, err)
			}
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	check := func(command, values, want string) {
		t.Helper()
		r := load(t, "id: r\nprobe: p\nfixes:\n- id: a\n  class: safe\n  command: |\n    "+command+"\n")
		m := map[string]string{}
		if err := json.Unmarshal([]byte(values), &m); err != nil {
			t.Fatal(err)
		}
		got, err := r.Fixes[0].Render(m)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s with %s: %q, %v", command, values, got, err)
		}
	}
	check("x {{.A}}", `{}`, `map has no entry for key "A"`)
	check("x {{if .A}}y{{end}}", `{"B":"b"}`, `map has no entry for key "A"`)
	check("x {{with .A}}y{{end}}", `{}`, `map has no entry for key "A"`)
	check(`x {{if eq .A "z"}}y{{end}}`, `{}`, `map has no entry for key "A"`)
	check(`x {{index . "A"}}`, `{}`, `map has no entry for key "A"`)
	check(`x {{if index . "A"}}y{{end}}`, `{}`, `map has no entry for key "A"`)
	check("x {{.A}}", `{"A":"a\u0000b"}`, "NUL")
	check("{{.A}} x", `{"A":"sudo"}`, "it would call sudo")
	check("env {{.A}} x", `{"A":"/usr/bin/sudo"}`, "it would call sudo")
}

func TestTasks(t *testing.T) {
	r := load(t, `
id: node-version-mismatch
probe: node-version
fixes:
  - id: nv-use
    class: safe
    label: "Use Node {{.Required}} via nv"
    command: nv use {{.Required}}
    test:
      params: { Required: "v20 1" }
      setup: stage
      before: { check: broken }
      after: { check: mended, idempotent: true }
      live: true
      path: ["~/bin"]
      guard: whole
      protect: [.nvmrc]
      verify: { command: node --version, pattern: "{version}", version: 20, exit_code: 0, additional: [{command: npx}] }
  - { id: bare, class: safe, command: x }
  - id: own
    class: safe
    command: x
    test: { prompt: Mend it., solution: y, after: { check: z }, verify: [{command: a}, {command: b}] }
`)
	tasks, err := r.Tasks()
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	got, err := json.MarshalIndent(tasks[0], "", " ")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"Title": "node-version-mismatch/nv-use"`,
		`"Prompt": "Something is broken in this environment: the probe node-version reports it (Required: v20 1). ` +
			`Mend it. What would do: Use Node v20 1 via nv."`,
		`"Solution": "nv use 'v20 1'"`, `"Probe": "node-version Required='v20 1'"`, `"Setup": "stage"`,
		`"Before": "broken"`, `"Script": "mended"`, `"Script": "whole"`,
		`"Live": true`, `"version": "20"`, `"exit_code": 0`, `"command": "npx"`, `"~/bin"`, `".nvmrc"`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if own := tasks[1]; own.Prompt != "Mend it." || own.Solution != "y" || len(own.Verify) != 2 ||
		own.Verify[1].Command != "b" || own.Probe != "node-version" || own.After[0].Live {
		t.Errorf("%+v", own)
	}
}

func TestProbes(t *testing.T) {
	round := func(params map[string]string) {
		t.Helper()
		s := repair.FormatProbe("p", params)
		probe, got, err := repair.ParseProbe(s)
		if err != nil || probe != "p" || !cmp.Equal(got, params) {
			t.Errorf("%q: %q %q (%v)", s, probe, got, err)
		}
	}
	round(map[string]string{})
	round(map[string]string{"A": "1", "B": "a b", "C": "it's \"$x\" \\", "D": "", "E": "=", "F": "a\nb"})
	bad := func(s string) {
		t.Helper()
		if probe, params, err := repair.ParseProbe(s); err == nil {
			t.Errorf("%q: %q %q", s, probe, params)
		}
	}
	bad("")
	bad("p A")
	bad("p =1")
	bad("p A=1 A=2")
	bad("p A=$x")
	bad("p 'A=1")
}
