//go:build linux

package repair_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/tools"
	"cookoff/tools/repair"
)

func open(t *testing.T) sandbox.Sandbox {
	t.Helper()
	b := native.New(native.Options{Dir: t.TempDir()})
	sb, err := b.Open(t.Context(), sandbox.Spec{Path: []string{"~/bin"}})
	if err != nil {
		if cerr := b.Check(t.Context()); cerr != nil {
			t.Skipf("no sandbox on this machine: %v", cerr)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	})
	return sb
}

func do(t *testing.T, sb sandbox.Sandbox, script string) sandbox.Result {
	t.Helper()
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Facts are what the sandbox shows, gathered anew for every choice: a tool
// that comes, goes, or is only a function of a login shell is seen as it is.
func TestFactsInSandbox(t *testing.T) {
	sb := open(t)
	gather := func() *repair.Facts {
		t.Helper()
		f, err := repair.Gather(t.Context(), sb, []string{"bash", "mytool", "myvm"})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := gather()
	if f.OS != "linux" || f.Arch == "" || f.Tools["bash"] != repair.Executable || f.Tools["mytool"] != "" ||
		f.Tools["myvm"] != "" {
		t.Errorf("%+v", f)
	}
	do(t, sb, `mkdir -p ~/bin; printf '#!/bin/sh\n' > ~/bin/mytool; echo 'myvm() { :; }; echo noise' > ~/.bash_profile`)
	if f := gather(); f.Tools["mytool"] != "" {
		t.Errorf("a file that can't be executed counts: %+v", f)
	}
	do(t, sb, `chmod 755 ~/bin/mytool`)
	if f := gather(); f.Tools["mytool"] != repair.Executable || f.Tools["myvm"] != repair.Function {
		t.Errorf("%+v", f)
	}
	if testing.Short() {
		t.Skip("the rest waits for a login shell that hangs")
	}
	do(t, sb, `rm ~/bin/mytool; echo 'while :; do sleep 1; done' > ~/.bash_profile`)
	if f := gather(); f.Tools["mytool"] != "" || f.Tools["myvm"] != "" {
		t.Errorf("%+v", f)
	}
}

// A repair that ships, as a model would call it: staged, broken, mended.
func TestRepairInSandbox(t *testing.T) {
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	rs, err := lib.Select([]string{"tool-link-stale"})
	if err != nil {
		t.Fatal(err)
	}
	test := rs[0].Fixes[0].Test
	sb := open(t)
	if r := do(t, sb, test.Setup); !r.OK() {
		t.Fatalf("staging: %+v", r)
	}
	if !do(t, sb, test.Before).OK() || do(t, sb, test.After).OK() {
		t.Fatal("the staged environment is not broken")
	}
	args, _ := json.Marshal(test.Params)
	got, err := rs[0].Tool(repair.ToolOptions{}).Call(t.Context(), sb, args)
	if err != nil || got.Failed || !strings.HasPrefix(got.Text, "fix relink-release: exit status 0\n") {
		t.Fatalf("%+v (%v)", got, err)
	}
	if r := do(t, sb, test.After); !r.OK() {
		t.Errorf("not mended: %+v", r)
	}
}

// sudo never runs, whatever classes a recipe lets run.
func TestPrivilegedNeverRuns(t *testing.T) {
	r := load(t, "id: r\nprobe: p\nfixes:\n- {id: a, class: privileged, command: 'touch ran; sudo touch {{.Name}}'}\n")
	sb := open(t)
	_, err := r.Tool(repair.ToolOptions{Classes: repair.Classes()}).Call(t.Context(), sb,
		json.RawMessage(`{"Name":"x"}`))
	ce, ok := err.(*tools.CallError)
	if !ok || ce.Kind != tools.ClassRefused {
		t.Errorf("%v", err)
	}
	if do(t, sb, "test -e ran").OK() {
		t.Error("it ran")
	}
}
