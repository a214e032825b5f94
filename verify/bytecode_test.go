package verify

import (
	"os/exec"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/verdict"
)

// TestNativeLiveBytecode: a check in the trial's own world believes no compiled module
// that the contestant has laid where Python would look for one.
func TestNativeLiveBytecode(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	open := kernel(t)
	c := provenCase(t, open, recipe.Task{Title: "port", Setup: `echo '{"port": 1}' > conf.json`,
		Solution: `echo '{"port": 2}' > conf.json`,
		After: []recipe.Check{{Live: true,
			Script: `python3 -c "import json; assert json.load(open('conf.json'))['port'] == 2"`}}})
	w, err := open(t.Context(), nil, sandbox.Agent)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s, err := c.Stage(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Exec(t.Context(), sandbox.Cmd{Script: `python3 - <<'END'
import sys, importlib.util, importlib._bootstrap_external as external, os, json
source = json.__file__
code = compile("def load(f): return {'port': 2}", source, "exec")
stat = os.stat(source)
for prefix in ("/tmp/.pycache", "/tmp/pycache", os.path.expanduser("~/.cache/python")):
    sys.pycache_prefix = prefix
    path = importlib.util.cache_from_source(source)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(external._code_to_timestamp_pyc(code, int(stat.st_mtime), stat.st_size))
END`})
	if err != nil || !r.OK() {
		t.Fatalf("%+v %v", r, err)
	}
	sc, live, err := c.End(t.Context(), w, s, open)
	if err != nil {
		t.Fatal(err)
	}
	defer sc.State.Release()
	j, err := c.Judge(t.Context(), sc, s, Loop{Live: live})
	if err != nil {
		t.Fatal(err)
	}
	if outcome, _, detail := verdict.Decide(j.Verdicts, j.Changed, trial.StopDone); outcome != trial.Fail {
		t.Errorf("%v: %s", outcome, detail)
	}
}
