//go:build linux

package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/tools"
)

// open makes a sandbox of the kind trials have.
func open(t *testing.T, spec sandbox.Spec) sandbox.Sandbox {
	t.Helper()
	b := native.New(native.Options{Dir: t.TempDir()})
	sb, err := b.Open(t.Context(), spec)
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

func bash(t *testing.T, sb sandbox.Sandbox, command string) string {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	return text(t, sb, "bash", string(args))
}

// One set of tools serves many trials: each keeps its own directory.
func TestToolsKnowNoTrial(t *testing.T) {
	set := tools.Builtin(tools.Options{})
	worlds := []sandbox.Sandbox{open(t, sandbox.Spec{}), open(t, sandbox.Spec{})}
	var wg sync.WaitGroup
	for i, sb := range worlds {
		dir := []string{"a", "b"}[i]
		wg.Go(func() {
			for range 3 {
				for _, c := range []string{"mkdir -p /work/" + dir + " && cd /work/" + dir, "pwd"} {
					args, _ := json.Marshal(map[string]string{"command": c})
					r, err := set[0].Call(t.Context(), sb, args)
					if err != nil || c == "pwd" && r.Text != "/work/"+dir {
						t.Errorf("%s: %q (%v)", dir, r.Text, err)
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestBashInSandbox(t *testing.T) {
	sb := open(t, sandbox.Spec{})
	is(t, "start", bash(t, sb, "pwd; mkdir d; cd d"), "/work")
	is(t, "kept", bash(t, sb, "pwd; cd; exit 4"), "/work/d\n[exit status 4]")
	is(t, "home", bash(t, sb, "pwd; false | true; nix"),
		"/home/agent\n[stderr]\nbash: line 1: nix: command not found\n[exit status 127]")
	is(t, "signal", bash(t, sb, "kill -9 $$"), "(no output)\n[exit status 137: ended by SIGKILL]")
	is(t, "no place to keep it", bash(t, sb, "rm /tmp/.bash-cwd; mkfifo /tmp/.bash-cwd; cd /usr; echo ok"), "ok")
	is(t, "not kept", bash(t, sb, "pwd; rm /tmp/.bash-cwd; ln -s /work/d/kept /tmp/.bash-cwd"), "/work")
	is(t, "through a link", bash(t, sb, "pwd; rm /tmp/.bash-cwd d/kept"), "/work")
	for _, limit := range []time.Duration{time.Second, 10 * time.Second,
		time.Minute} { // only a slow machine needs the later ones
		r, err := call(t, tools.Builtin(tools.Options{BashTimeout: limit}), sb, "bash",
			`{"command":"echo a; sleep 600"}`)
		if err == nil && r.Text == "a\n[ended after "+limit.String()+": timeout]" && r.Failed {
			break
		}
		if limit == time.Minute {
			t.Errorf("%q (%v)", r.Text, err)
		}
	}
	// what keeps a directory is no drift of project or home
	m, err := sb.FS().Manifest(t.Context(), nil)
	if err != nil || len(m) != 1 || m[0].Path != "d" {
		t.Errorf("changed: %+v (%v)", m, err)
	}
}

// F09 to F15: paths that lead out of the world, or to no file.
func TestHostilePaths(t *testing.T) {
	host := t.TempDir()
	secret := filepath.Join(host, "secret")
	if err := os.WriteFile(secret, []byte("canary"), 0o644); err != nil {
		t.Fatal(err)
	}
	sb := open(t, sandbox.Spec{})
	bash(t, sb, "ln -s "+secret+" link; ln -s "+host+
		" dir; mkfifo pipe; ln -s /dev/zero zero; truncate -s 100M big; ln -s loop loop; mkdir real")
	told := func(tool, args string) {
		t.Helper()
		within, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		for _, x := range tools.Builtin(tools.Options{}) {
			if x.Spec().Name != tool {
				continue
			}
			r, err := x.Call(within, sb, json.RawMessage(args))
			var ce *tools.CallError
			if !errors.As(err, &ce) {
				t.Errorf("%s %s: %q (%v)", tool, tools.Clip(args, 80), r.Text, err)
			} else if strings.Contains(ce.Reason, "canary") {
				t.Errorf("%s %s: told %s", tool, args, ce.Reason)
			}
		}
	}
	for _, p := range []string{"link", "dir/secret", "../" + strings.TrimPrefix(secret, "/"), secret, "~/.ssh/id_rsa",
		"file:///etc/passwd", "", "a\\u0000b",
		strings.Repeat("x/", 2500), "pipe", "zero", "loop", "real", "nix"} {
		told("read_file", `{"path":"`+p+`"}`)
		told("edit_file", `{"path":"`+p+`","old":"a","new":"b"}`)
	}
	for _, p := range []string{"dir/evil", "/usr/evil", "/etc/evil", "/proc/self/mem", "pipe", "real", "loop/x",
		"/dev/sda"} {
		told("write_file", `{"path":"`+p+`","content":"x"}`)
	}
	told("list_directory", `{"path":"dir"}`)
	told("list_directory", `{"path":"pipe"}`)
	told("search_files", `{"path":"nix","pattern":"*"}`)
	// the same name in the world's own /tmp is another file
	if _, err := use(t, sb, "write_file", `{"path":"`+host+`/evil","content":"x"}`); err != nil {
		refused(t, err, tools.ToolFailed)
	}
	if left, _ := os.ReadDir(host); len(left) != 1 {
		t.Errorf("on the host: %v", left)
	}
	if got := text(t, sb, "read_file", `{"path":"big"}`); got != "(binary file, 104857600 bytes, mode -rw-r--r--)" {
		t.Errorf("sparse file: %q", tools.Clip(got, 200))
	}
}

func TestFilesInSandbox(t *testing.T) {
	sb := open(t, sandbox.Spec{})
	text(t, sb, "write_file", `{"path":"src/a/x.go","content":"package a\n\nfunc Old() {}\n"}`)
	text(t, sb, "write_file", `{"path":"~/note","content":"hi"}`)
	is(t, "edit", text(t, sb, "edit_file", `{"path":"src/a/x.go","old":"Old","new":"New"}`),
		"replaced 1 of 1 occurrences in src/a/x.go")
	is(t, "read", text(t, sb, "read_file", `{"path":"src/a/x.go","offset":3}`), "func New() {}")
	is(t, "find", text(t, sb, "search_files", `{"pattern":"**/*.go"}`), "src/a/x.go")
	is(t, "grep", text(t, sb, "search_code", `{"pattern":"func (New|Old)","glob":"**/*.go"}`),
		"src/a/x.go:3:func New() {}")
	is(t, "bomb", text(t, sb, "search_code", `{"pattern":"(a|aa)+$"}`), "src/a/x.go:1:package a")
	is(t, "glob bomb", text(t, sb, "search_files", `{"pattern":"**/**/**/**/x"}`), "(no file matches)")
	is(t, "seen by bash", bash(t, sb, "cat ~/note; chmod 755 src/a/x.go"), "hi")
	text(t, sb, "edit_file", `{"path":"src/a/x.go","old":"New","new":"Newer"}`)
	is(t, "mode kept", bash(t, sb, "stat -c %a src/a/x.go"), "755")
	bash(t, sb, `touch -- $'n\nl' $'e\e[2J' -rf`)
	if got := text(t, sb, "list_directory", `{}`); !strings.Contains(got, `n\nl`) ||
		!strings.Contains(got, `e\x1b[2J`) ||
		!strings.Contains(got, "-rf") {
		t.Errorf("hostile names:\n%s", got)
	}
}

// Under read_only the project stays as it is, whichever tool tries.
func TestReadOnlyWorld(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sb := open(t, sandbox.Spec{Project: dir, Filesystem: sandbox.ReadOnly})
	_, err := use(t, sb, "write_file", `{"path":"f","content":"x"}`)
	refused(t, err, tools.ToolFailed)
	_, err = use(t, sb, "edit_file", `{"path":"f","old":"old","new":"x"}`)
	refused(t, err, tools.ToolFailed)
	if got := bash(t, sb, "cd ~ && pwd"); got != "/home/agent" {
		t.Error(got)
	}
	is(t, "kept", bash(t, sb, "pwd; cat /work/f"), "/home/agent\nold")
}
