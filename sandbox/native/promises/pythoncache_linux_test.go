package promises

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// TestTheRefereeTakesWhatPythonHasCompiled holds that Python compiles none of its own
// modules anew in a world of the referee, and takes no compiled file of the project there.
func TestTheRefereeTakesWhatPythonHasCompiled(t *testing.T) {
	compiled, _ := filepath.Glob("/usr/lib/python3.*/json/__pycache__/decoder.cpython-*.pyc")
	if _, err := os.Stat("/usr/bin/python3"); err != nil || compiled == nil {
		t.Skip("no Python in /usr that has compiled its modules")
	}
	cache, project := t.TempDir(), t.TempDir()
	for _, file := range compiled {
		dir := filepath.Join(cache, sandbox.PythonCache, filepath.Dir(filepath.Dir(file)))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(project, "mine.py"), []byte("said = 'as written'\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := native.New(native.Options{Dir: t.TempDir(), PythonCache: cache})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	agent, err := b.Open(t.Context(), sandbox.Spec{Project: project})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	run := func(sb sandbox.Sandbox, script string) string {
		t.Helper()
		res, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
		if err != nil || !res.OK() {
			t.Fatalf("%s: %v %+v", script, err, res)
		}
		return string(res.Stdout) + string(res.Stderr)
	}
	// A compiled file that lies about its source, of the same time and size.
	run(agent, `cp mine.py keep && sed -i 's/as written/as planted/' mine.py && touch -d @1700000000 mine.py &&
		PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX= /usr/bin/python3 -c 'import sys; sys.path.insert(0, "."); import mine' &&
		cat keep > mine.py && touch -d @1700000000 mine.py && ls __pycache__/*.pyc && test -z "${GOCACHE+x}"`)
	st, err := agent.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Release()
	referee, err := b.Open(t.Context(), sandbox.Spec{State: st, Profile: sandbox.Verify})
	if err != nil {
		t.Fatal(err)
	}
	defer referee.Close()
	said := run(referee,
		`/usr/bin/python3 -v -c 'import json.decoder, sys; sys.path.insert(0, "."); import mine; print(mine.said)'; echo "$GOCACHE"`)
	for _, want := range []string{"matches /usr/lib/python3", "as written\n", "/tmp/.go-build\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if !strings.Contains(said, "/var/cache/build/python/usr/lib/python3") {
		t.Errorf("Python did not look for compiled files where they are given:\n%s", said)
	}
}
