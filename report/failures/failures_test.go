package failures

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cookoff/trial"
)

// Failures are grouped by what they share, whatever differs each time in what a
// check printed.
func TestGroups(t *testing.T) {
	var list []Failure
	add := func(model string, cause trial.Cause, stderr string, l *trial.Loss) {
		v := []trial.Verdict{{Check: "guard", Status: trial.Held},
			{Check: "after", Status: trial.NotHeld, Evidence: &trial.Evidence{Stderr: stderr}}}
		list = append(list, Failure{trial.Trial{ID: fmt.Sprintf("t%03d", len(list)+1), Model: model},
			trial.Outcome{Status: trial.Fail, Cause: cause, Verdicts: v}, l})
	}
	lost := func(command string, paths ...string) *trial.Loss {
		args, _ := json.Marshal(map[string]string{"command": command})
		return &trial.Loss{Calls: 3, Move: &trial.Move{Step: 2, Tool: "bash", Args: args, Paths: paths}}
	}
	add("lab/a", trial.CauseWrongFix, "x\nline 12: no \"left\" in 0x7fffe3a1",
		lost("sed -i s/a/b/ lock", "package-lock.json"))
	add("lab/a", trial.CauseCollateral, "line 7: no \"right\" in 0x7fffe3b2\n", lost("cp -r a b", "web/yarn.lock"))
	add("lab/a", trial.CauseWrongFix, "", lost("A=1 B=2 kill -9 12"))
	add("lab/a", trial.CauseWrongFix, "", &trial.Loss{Calls: 1})
	add("lab/b", trial.CauseGaveUp, "", nil)
	var got []string
	for _, g := range Groups(list) {
		if len(g.Trials) > 1 || g.By == ByMove {
			got = append(got, g.Model+": "+g.Sentence()+" ("+strings.Join(g.Trials, " ")+")")
		}
	}
	want := []string{
		"lab/a: 2 of 4: edited the lockfile by hand (t001 t002)",
		"lab/a: 1 of 4: bash kill -9 (t003)",
		"lab/a: 1 of 4: no losing move: the solution still mends what it left (t004)",
		"lab/a: 3 of 4: cause wrong_fix (t001 t003 t004)",
		"lab/a: 4 of 4: after does not hold (t001 t002 t003 t004)",
		"lab/a: 2 of 4: a check says: line N: no … in N (t001 t002)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Files of one kind are told together, whatever their names; who uses the program that is
// there for them does not work by hand.
func TestMoves(t *testing.T) {
	for _, x := range []struct {
		tool, command, paths, want string
	}{
		{"bash", "npm install x", "package-lock.json", "changed the lockfile by npm"},
		{"bash", "cd web && CI=1 sudo npm install x", "web/package-lock.json", "changed the lockfile by npm"},
		{"bash", "echo npm > go.sum", "go.sum", "edited the lockfile by hand"},
		{"bash", "cd a; rm -f Cargo.lock", "a/Cargo.lock", "removed the lockfile"},
		{"write_file", "", "uv.lock", "edited the lockfile by hand"},
		{"edit_file", "", "a/x_test.go b/y_test.go", "edited tests by hand"},
		{"bash", "git commit -m x", ".git/HEAD .git/index", "changed the repository's own files by git"},
		{"bash", "sed -i s/a/b/ m.js", "node_modules/m/m.js", "edited what was installed by hand"},
		{"bash", "make", "latest.go", "bash changes latest.go"},
		{"bash", "make", "go.sum main.go", "bash changes files in several directories"},
		{"bash", "A=1 kill -9 3", "", "bash kill -9"},
	} {
		args, _ := json.Marshal(map[string]string{"command": x.command})
		if got := moveWords(trial.Move{Tool: x.tool, Args: args, Paths: strings.Fields(x.paths)}); got != x.want {
			t.Errorf("%s %q at %s: %q", x.tool, x.command, x.paths, got)
		}
	}
}
