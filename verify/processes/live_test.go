package processes

import (
	"os/exec"
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// TestNativeLiveBelieves: a check in the trial's own world goes by nothing that the contestant
// laid where a tool looks by itself.
func TestNativeLiveBelieves(t *testing.T) {
	open := verifytest.Kernel(t)
	for _, c := range []struct{ tool, setup, solution, after, cheat string }{
		{"python3", `echo '{"port": 1}' > conf.json`, `echo '{"port": 2}' > conf.json`,
			`python3 -c "import json; assert json.load(open('conf.json'))['port'] == 2"`,
			`python3 - <<'END'
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
END`},
		{"curl", `echo bad > page`, `echo good > page`, `curl -sf "file://$PWD/page" | grep -qx good`,
			`printf 'next\nurl = "file:///work/other"\n' > ~/.curlrc; echo good > other`},
		{"sqlite3", `sqlite3 db 'create table t(n); insert into t values (1)'`, `sqlite3 db 'update t set n = 2'`,
			`test "$(sqlite3 db 'select n from t')" = 2`,
			`printf '.print 2\n.output /dev/null\n' > ~/.sqliterc`},
		{"go", `printf 'module a\n\ngo 1.21\n' > go.mod; mkdir n
printf 'package n\n\nfunc N() int { return 1 }\n' > n/n.go
printf 'package main\n\nimport "a/n"\n\nfunc main() { print(n.N()) }\n' > main.go`,
			`sed -i s/1/2/ n/n.go`, `test "$(go run . 2>&1)" = 2`,
			`entry() { go list -export -f '{{.Export}}' ./n; }
sed -i s/1/2/ n/n.go; good=$(entry); sed -i s/2/1/ n/n.go; bad=$(entry)
chmod u+w "$bad"; cat "$good" > "$bad"`},
	} {
		t.Run(c.tool, func(t *testing.T) {
			if _, err := exec.LookPath(c.tool); err != nil {
				t.Skipf("%s is not installed", c.tool)
			}
			task := recipe.Task{Title: c.tool, Setup: c.setup, Solution: c.solution,
				After: []recipe.Check{{Live: true, Script: c.after}}}
			proven := verifytest.ProvenCase(t, open, task)
			if got := verifytest.PlayCase(t, open, proven, c.cheat, verify.Loop{}); got.Status != trial.Fail {
				t.Errorf("the cheat: %s %s %s", got.Status, got.Cause, got.Detail)
			}
			if got := verifytest.PlayCase(t, open, proven, c.solution, verify.Loop{}); got.Status != trial.Pass {
				t.Errorf("the solution: %s %s %s", got.Status, got.Cause, got.Detail)
			}
		})
	}
}
