//go:build linux

package probe_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/tools"
	"cookoff/tools/probe"
	"cookoff/tools/repair"

	"github.com/google/go-cmp/cmp"
)

func opener(t *testing.T) func(path ...string) sandbox.Sandbox {
	t.Helper()
	var chains []string
	if root, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		chains = append(chains, strings.TrimSpace(string(root)))
	}
	b := native.New(native.Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	return func(path ...string) sandbox.Sandbox {
		t.Helper()
		sb, err := b.Open(t.Context(), sandbox.Spec{Path: path, ToolPaths: chains})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { sb.Close() })
		return sb
	}
}

func do(t *testing.T, sb sandbox.Sandbox, script string) sandbox.Result {
	t.Helper()
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestProbesAnswerTheLibrary stages the broken state of every repair that a
// probe finds things for. The probe finds it, changes nothing, and says what
// the fix needs; with that the fix mends it, and the probe finds nothing more.
func TestProbesAnswerTheLibrary(t *testing.T) {
	open := opener(t)
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	all, err := probe.All()
	if err != nil {
		t.Fatal(err)
	}
	probes := map[string]*probe.Probe{}
	for _, p := range all {
		probes[p.ID] = p
	}
	for _, r := range lib.Repairs() {
		for _, fix := range r.Fixes {
			t.Run(r.Probe+"/"+fix.ID, func(t *testing.T) {
				p := probes[r.Probe]
				if p == nil {
					t.Fatalf("no probe finds what %s mends", r.ID)
				}
				answers(t, open(fix.Test.Path...), p, fix)
			})
		}
	}
}

// answers holds one probe against one fix, on the state that the fix's test
// stages.
func answers(t *testing.T, sb sandbox.Sandbox, p *probe.Probe, fix *repair.Fix) {
	if r := do(t, sb, fix.Test.Setup); !r.OK() {
		t.Skipf("this machine can't stage it: %s", r.Stderr)
	}
	before, err := sb.FS().Manifest(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := p.Find(t.Context(), sb)
	if err != nil || len(found) == 0 {
		t.Fatalf("%v (%v)", found, err)
	}
	after, err := sb.FS().Manifest(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("looking changed files: %s", d)
	}
	for _, f := range found {
		command, err := fix.Render(f.Params)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		if r := do(t, sb, command); !r.OK() {
			t.Fatalf("%s: exit status %d: %s", command, r.Exit, r.Stderr)
		}
	}
	if again, _, err := p.Find(t.Context(), sb); err != nil || len(again) > 0 {
		t.Errorf("still found: %+v (%v)", again, err)
	}
	if r := do(t, sb, fix.Test.After); !r.OK() {
		t.Errorf("not mended with %+v: exit status %d: %s", found, r.Exit, r.Stderr)
	}
}

// TestProbesInAnEmptyProject: where there is nothing, nothing is found.
func TestProbesInAnEmptyProject(t *testing.T) {
	sb := opener(t)()
	all, err := probe.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		found, _, err := p.Find(t.Context(), sb)
		if err != nil || len(found) > 0 {
			t.Errorf("%s: %+v (%v)", p.ID, found, err)
		}
	}
}

// TestLanguageVersions: whatever file says it, and what meets it.
func TestLanguageVersions(t *testing.T) {
	open := opener(t)
	tool := func(name, prints string) string {
		return "mkdir -p bin; printf '#!/bin/sh\\necho " + prints + "\\n' > bin/" + name + "; chmod 755 bin/" + name +
			"\n"
	}
	node, python, ruby := tool("node", "v18.2.0"), tool("python3", "3.11.2"), tool("ruby", "3.2.2")
	check := func(id, want, setup string) {
		t.Helper()
		sb := open("bin")
		if r := do(t, sb, setup); !r.OK() {
			t.Fatal(string(r.Stderr))
		}
		got := look(t, id, sb)
		if len(got) > 1 {
			t.Errorf("%s: %s: %d findings", id, setup, len(got))
		}
		required := ""
		if len(got) == 1 {
			required = got[0].Params["Required"] + " " + got[0].Params["MajorVersion"]
		}
		if required != want {
			t.Errorf("%s: %s: %q, want %q", id, setup, required, want)
		}
	}
	check("node-version", "20.10.0 20", node+"echo v20.10.0 > .nvmrc")
	check("node-version", "20.10.0 20", node+"echo 20.10.0 > .node-version")
	check("node-version", "20.10.0 20", node+"echo nodejs 20.10.0 > .tool-versions")
	check("node-version", "20.10.0 20", node+"printf '[tools]\\nnode = \"20.10.0\"\\n' > mise.toml")
	check("node-version", "20 20", node+`echo '{"engines": {"node": ">=20"}}' > package.json`)
	check("node-version", "", node+`echo '{"engines": {"node": ">=16"}}' > package.json`)
	check("node-version", "", node+"echo 18 > .nvmrc")
	check("node-version", "", node+"echo v18.2.0 > .nvmrc")
	check("node-version", "", node+"echo lts/hydrogen > .nvmrc")
	check("python-version", "3.12.1 3", python+"echo 3.12.1 > .python-version")
	check("python-version", "3.12 3", python+"printf '[project]\\nrequires-python = \">=3.12\"\\n' > pyproject.toml")
	check("python-version", "", python+"printf '[project]\\nrequires-python = \">=3.9\"\\n' > pyproject.toml")
	check("ruby-version", "3.3.0 3", ruby+"echo ruby-3.3.0 > .ruby-version")
	check("ruby-version", "3.3.0 3", ruby+"echo \"ruby '3.3.0'\" > Gemfile")
	check("ruby-version", "", ruby+"echo 3.2.2 > .ruby-version")
	check("go-version", "1.97.0 1", "printf 'module x\\n\\ngo 1.97.0\\n' > go.mod")
	check("go-version", "", "printf 'module x\\n\\ngo 1.21\\n' > go.mod")
}

func look(t *testing.T, id string, at probe.Runner) []probe.Finding {
	t.Helper()
	ps, err := probe.Select([]string{id})
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := ps[0].Find(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestFindings of projects that repairs' tests do not stage, names that are
// none of ours among them.
func TestFindings(t *testing.T) {
	open := opener(t)
	check := func(id, setup string, want ...string) {
		t.Helper()
		sb := open()
		if r := do(t, sb, setup); !r.OK() {
			t.Fatal(string(r.Stderr))
		}
		var got []string
		for _, f := range look(t, id, sb) {
			got = append(got, f.Params["Path"]+f.Params["Command"]+f.Params["Key"]+f.Params["Name"])
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s: %q, want %q", id, setup, got, want)
		}
	}
	check("crlf",
		"printf '#!/bin/sh\\r\\n' | tee 'a b.sh' $'new\\nline.sh' ./-rf.sh > /dev/null; printf 'a\\r\\n' > a.txt",
		"./-rf.sh", "a b.sh", "new\nline.sh")
	check("crlf",
		"mkdir -p a/testdata fixtures b; printf '#!/bin/sh\\r\\n' | tee a/testdata/a.sh fixtures/b.sh > b/fixtures.sh",
		"b/fixtures.sh")
	check("json-comma",
		`mkdir -p a/.vscode fixtures
printf '{"a": [1, 2,],}' | tee tsconfig.json a/tsconfig.build.json a/.vscode/x.json fixtures/x.json a/-x.json \
	'b c.json' > a/package.json
printf '{"a": 1}' > ok.json; printf '{,' > bad.json; printf '%0.s[' {1..5000} > deep.json
printf '{"a":"\xff",}' > latin.json`, "a/-x.json", "a/package.json", "b c.json")
	check("python-shadow",
		"mkdir p; touch p/__init__.py; echo 'import json; json.loads(1)' | tee p/a.py > a.py; echo 'def get(): pass' "+
			"| tee queue.py > p/json.py; echo 'from queue import get' > b.py; echo 'import test' > c.py; touch "+
			"test.py code.py; echo 'def f(:' > token.py")
	check("python-shadow",
		"echo 'import json; json.loads(1)' > a.py; echo 'x = 1' > json.py; echo 'from random import randint' > b.py; "+
			"echo '(' > random.py", "json.py", "random.py")
	check("stale-pid",
		"sleep 60 > /dev/null 2>&1 & echo $! > web.pid; (cd / && exec sleep 60 > /dev/null 2>&1 & echo $! > "+
			"/work/other.pid); echo 99999999 > gone.pid; until [ \"$(readlink /proc/$(cat other.pid)/exe)\" != "+
			"\"$(readlink /proc/$$/exe)\" ]; do sleep 0.01; done", "gone.pidgone", "other.pidother")
	check("exec-bit",
		"mkdir -p bin node_modules/bin; echo '#!/bin/sh' | tee bin/a bin/b node_modules/bin/c > bin/d; chmod 755 bin/a",
		"bin/b", "bin/d")
	check("file-mode", "echo x > id_rsa; echo x > a.pem; chmod 600 a.pem", "id_rsa")
	check("path-command", "echo 'nosuchtool 1.2' > .tool-versions; echo 'bash 5.2' >> .tool-versions", "nosuchtool")
	check("env-key", "printf 'A=1\\nexport B=2\\n# C=3\\n' > .env.example; echo A=9 > .env", "B")
	check("docker-running", "true")
	makefile := func(text string) string { return "printf '%b' '" + text + "' > Makefile" }
	check("makefile-tabs", makefile(`a:\n    echo a\n# x\n\nb: a\n  echo b\n`), "Makefile")
	check("makefile-tabs", makefile(`A = x \\\n    y\n\na:\n    echo a\n`))
	check("makefile-tabs", makefile(`ifdef X\n  Y = 1\nendif\na:\n    echo a\n`))
	check("makefile-tabs", makefile(`.RECIPEPREFIX = >\na:\n>  echo a\n`))
	check("makefile-tabs", makefile(`a:\n\techo a\n`))
	check("env-space", `printf 'A="x = y"\nB=1\nC =2\nD= 3\nE= # none\nF =\n' > .env`, "C", "D", "F")
	check("dir", "printf 'A_DIR=a\nexport B_DIR=\"b/c\"\nC_DIR=/nowhere\nD_DIR=../d\nE_DIR=e\n' > .env; mkdir e", "a",
		"b/c")
	check("log-size",
		"printf '/var/*.log {\n size 1\n}\n*.log b/x.log {\n  weekly\n  size 2k\n}\n"+
			"' > logrotate.conf; mkdir b; truncate -s 3000 a.log b/x.log b/y.log; truncate -s 2048 c.log",
		"a.log", "b/x.log")
	check("cache-stamp", "mkdir .cache; touch -d 2026-01-01 .cache/page; touch page.html", ".cache")
	check("cache-stamp",
		"mkdir .cache; touch -d 2026-01-01 .cache/page; touch page.html; git init -q && git add -f .cache")
	check("cache-stamp", "mkdir .cache; touch .cache/page; touch -d 2026-01-01 page.html")
	check("cache-corrupt",
		"mkdir cache; echo a | gzip > cache/a.gz; head -c 9 cache/a.gz > cache/b.gz; cp cache/b.gz c.gz", "cache/b.gz")
	check("link-loop", "mkdir -p a/v9 a/v10 b/x; ln -s me a/me; ln -s me b/me; ln -s v9 a/fine; ln -s gone a/broken",
		"a/me")
	check("profile-path",
		`mkdir -p ~/bin ~/go/bin ~/opt/'a$(b)'/bin
for d in ~/bin ~/go/bin ~/opt/*/bin; do printf '#!/bin/sh\n' > "$d/x"; chmod 755 "$d/x"; done
echo 'PATH="$HOME/bin:$PATH"' > ~/.profile`, "go/bin")
	check("schema-dirty",
		"mkdir store bin; touch store/dirty bin/migrate; chmod 755 bin/migrate; echo '1; rm' > store/schema")
	check("daemon-stale",
		`mkdir bin; printf '#!/bin/bash\nread -r < <(sleep 60)\n' | tee bin/old > bin/new; chmod 755 bin/*
for d in old new; do
	nohup bin/$d > /dev/null 2>&1 < /dev/null & echo $! > $d.pid
	until readlink /proc/$!/fd/* 2> /dev/null | grep -q "/bin/$d$"; do sleep 0.01; done
done
rm bin/old`, "old.pidold")
	repo := "git init -q -b main; git config user.name a; git config user.email a@b; echo 1 > f; git add f; " +
		"git commit -qm 1\n"
	check("git-upstream", repo+"git update-ref refs/remotes/a/main HEAD; git remote add a x", "a/main")
	check("git-upstream", repo+"for r in a b; do git update-ref refs/remotes/$r/main HEAD; git remote add $r x; done")
	check("git-identity", repo)
	check("git-head-commits", repo+"git checkout -q --detach")
	check("git-head-commits", repo+"git checkout -q --detach; git branch rescue; git commit -q --allow-empty -m 2",
		"rescue-")
	check("git-rebase",
		repo+
			"git checkout -q -b s; echo 2 > f; git commit -qam 2; git format-patch -q -1; git checkout -q main; echo "+
			"3 > f; git commit -qam 3; git am 0001-2.patch > /dev/null 2>&1; test -d .git/rebase-apply")
	check("git-cherry-pick",
		repo+
			"git checkout -q -b s; echo 2 > f; git commit -qam 2; git checkout -q main; echo 3 > f; git commit -qam "+
			"3; git checkout -q s; git rebase main > /dev/null 2>&1; test -d .git/rebase-merge")
	if n := len(look(t, "docker-running", func() sandbox.Sandbox {
		sb := open()
		do(t, sb,
			"touch Dockerfile")
		return sb
	}())); n != 1 {
		t.Errorf("docker: %d findings", n)
	}
}

// TestTooMany: a probe stops, and says so.
func TestTooMany(t *testing.T) {
	sb := opener(t)()
	do(t, sb, "for i in {1..30}; do echo '#!/bin/sh' > s$i; done")
	ps, err := probe.Select([]string{"exec-bit"})
	if err != nil {
		t.Fatal(err)
	}
	found, more, err := ps[0].Find(t.Context(), sb)
	if err != nil || len(found) != 20 || !more {
		t.Errorf("%d findings, more %v (%v)", len(found), more, err)
	}
}

// TestTool: as a model sees it.
func TestTool(t *testing.T) {
	sb := opener(t)()
	do(t, sb, "printf '#!/bin/sh\\r\\n' > 'a; b=\"c\".sh'")
	ps, err := probe.Select([]string{"crlf"})
	if err != nil {
		t.Fatal(err)
	}
	tool := ps[0].Tool()
	if s := tool.Spec(); s.Name != "probe_crlf" || !json.Valid(s.Parameters) || !strings.Contains(s.Description,
		"changes nothing") {
		t.Errorf("%+v", s)
	}
	got, err := tool.Call(t.Context(), sb, json.RawMessage(`{}`))
	want := `- lines of a; b="c".sh end in CR LF; Path="a; b=\"c\".sh"`
	if err != nil || got.Text != want || got.Wrote || got.Failed {
		t.Errorf("%+v (%v)", got, err)
	}
	if p := probe.Parse(got.Text); len(p) != 1 || p[0]["Path"] != `a; b="c".sh` {
		t.Errorf("%q", p)
	}
	var ce *tools.CallError
	if _, err := tool.Call(t.Context(), sb, json.RawMessage(`{"x":1}`)); !errors.As(err, &ce) {
		t.Errorf("%v", err)
	}
	if p := probe.Parse(probe.Format(nil, false)); len(p) != 0 {
		t.Errorf("%q", p)
	}
}

func TestSelect(t *testing.T) {
	check := func(globs string, want string) {
		t.Helper()
		ps, err := probe.Select(strings.Fields(globs))
		var got []string
		for _, p := range ps {
			got = append(got, p.ID)
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if !strings.HasPrefix(strings.Join(got, " "), want) || want == "" && got != nil {
			t.Errorf("%s: %q, want %q", globs, got, want)
		}
	}
	check("git-lock crlf", "crlf git-lock")
	check("", "")
	check("nosuch", `no probe matches "nosuch"; there are bom, cache-corrupt, `)
	check("[", `probe "[" is no glob`)
}

type stub sandbox.Result

func (s stub) Exec(context.Context, sandbox.Cmd) (sandbox.Result, error) {
	return sandbox.Result(s), nil
}

// TestTrouble: a probe that can't look, or writes what it should not.
func TestTrouble(t *testing.T) {
	ps, err := probe.Select([]string{"crlf"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(r sandbox.Result, want string) {
		t.Helper()
		found, _, err := ps[0].Find(t.Context(), stub(r))
		var ce *tools.CallError
		if !errors.As(err, &ce) || ce.Reason != want || found != nil {
			t.Errorf("%v (%v), want %s", found, err, want)
		}
	}
	check(sandbox.Result{Exit: 124, Reason: "timeout", Stderr: []byte("x\n")},
		"the probe crlf could not look: exit status 124 (timeout): [stderr]\nx")
	check(sandbox.Result{Stdout: []byte("what=a\x00Nosuch=b\x00\x00")}, `the probe crlf wrote "Nosuch=b"`)
}

// TestRepairsAreSupplied: every value that a repair of the library takes is
// one that its probe says.
func TestRepairsAreSupplied(t *testing.T) {
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	all, err := probe.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, r := range lib.ByProbe(p.ID) {
			for _, f := range r.Fixes {
				for _, v := range f.Vars() {
					if !slices.Contains(p.Params, v) {
						t.Errorf("%s/%s uses {{.%s}}, the probe %s says %v", r.ID, f.ID, v, p.ID, p.Params)
					}
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("- a; Path=\"b\"\nand more", "c")
	f.Add(`the remote is at a, which is gone; b holds its history`, `a;b="c"; P="d"`)
	f.Add(`lines of x; P="a`, `\"`)
	f.Fuzz(func(t *testing.T, what, value string) {
		for _, p := range probe.Parse(what) {
			if p == nil {
				t.Error("a finding without params")
			}
		}
		what = strings.Join(strings.Fields(tools.Clean([]byte(what))), " ")
		got := probe.Parse(probe.Format([]probe.Finding{{What: what, Params: map[string]string{"P": value, "Q": "q"}}},
			true))
		if len(got) != 1 || got[0]["P"] != tools.Clean([]byte(value)) || got[0]["Q"] != "q" {
			t.Errorf("%q, %q became %q", what, value, got)
		}
	})
}
