package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlays replays what the contestants do on a copy of the ledger: the
// edits must fit its sources, and its tests say which of them mend it. That
// the one who edits the tests makes them pass is why they are protected.
func TestPlays(t *testing.T) {
	want := map[string]bool{"scripted-all-three-files": true, "scripted-one-file": false, "scripted-edits-the-tests": true}
	for _, p := range plays() {
		t.Run(p.model, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("../ledger")); err != nil {
				t.Fatal(err)
			}
			for _, r := range p.replies {
				for _, c := range r.Message.Calls {
					var args map[string]string
					if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
						t.Fatal(err)
					}
					switch {
					case c.Name == "edit_file":
						replace(t, filepath.Join(dir, args["path"]), args["old"], args["new"])
					case c.Name == "bash" && strings.HasPrefix(args["command"], "sed "):
						shell(t, dir, args["command"])
					}
				}
			}
			passes, out := goTest(dir)
			if passes != want[p.model] {
				t.Errorf("go test passes: %v, want %v\n%s", passes, want[p.model], out)
			}
		})
	}
}

func replace(t *testing.T, file, was, is string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), was); n != 1 {
		t.Fatalf("%s has %q %d times, want once", file, was, n)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(src), was, is, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func shell(t *testing.T, dir, command string) {
	t.Helper()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

func goTest(dir string) (passes bool, out string) {
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	b, err := cmd.CombinedOutput()
	return err == nil, string(b)
}

func TestWhichCookoff(t *testing.T) {
	var out, errs strings.Builder
	if code := run(t.Context(), &out, &errs, nil); code != 2 || !strings.Contains(errs.String(), "hint: go build") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}
