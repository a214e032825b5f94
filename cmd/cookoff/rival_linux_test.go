package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/model/openai/openaitest"
)

// What a contestant may do to the machine that its rivals work on.
var rivalry = []string{
	`b() { b | b & }; b; sleep 1`,
	`perl -e '$x .= "x" x (1 << 20) while 1' & tail /dev/zero`,
	`dd if=/dev/zero of=full bs=1M; dd if=/dev/zero of=/tmp/full bs=1M; dd if=/dev/zero of=/dev/shm/full bs=1M`,
	`for ((i = 3; i < 4000; i++)); do eval "exec $i< /dev/null"; done; for i in {1..64}; do sleep 1000 & done`,
	`yes`,
	`kill -STOP 1 -1; kill -9 1 -1; for s in {1..64}; do kill -$s 1; done; exec kill -9 0`,
	`while :; do mkdir -p d && cd d && for i in {1..200}; do : > $i; done; done`,
	`chmod 000 . ~ /tmp; rm -rf ~ /tmp/*; ulimit -n 0; ulimit -u 0; exec 0<&- 1>&- 2>&-; while :; do :; done`,
}

// rivals has one model attack the machine, another way in each trial, and the other
// do what is asked.
func rivals() func(n int, r *openaitest.Request) openaitest.Step {
	var begun atomic.Int64
	return func(_ int, r *openaitest.Request) openaitest.Step {
		switch first := r.Text("tool") == ""; {
		case first && r.Model == "gpt-4o":
			attack, _ := json.Marshal(rivalry[int(begun.Add(1)-1)%len(rivalry)])
			return openaitest.Reply(calls("bash", `{"command":`+string(attack)+`}`, 200))
		case first:
			return openaitest.Reply(calls("bash",
				`{"command":"id -u > /dev/null; seq 2000 | sort -n | tail -n 1; echo hello > greeting; cat greeting"}`,
				200))
		}
		return openaitest.Reply(says("done", 100))
	}
}

// TestRivals: whatever a contestant does to the machine, another on the same machine
// gets what it gets alone, no trial is void, and the run ends as it should.
func TestRivals(t *testing.T) {
	if testing.Short() {
		t.Skip("attacks the machine in eight ways at once, some 20 s of a processor")
	}
	c := newChaos(t)
	const bounds = "- bash_timeout: 2s\n\n## Sandbox\n\n- memory: 256MiB\n- processes: 100\n- disk: 64MiB"
	play := func(name, models string) (honest any, all []rival) {
		t.Helper()
		d := c.at(name)
		d.provider.Server = openaitest.NewFunc(rivals())
		defer d.provider.Close()
		text := strings.Replace(tiny(t), "- baseline/noop\n- baseline/oracle", models, 1)
		text = strings.Replace(text, "- timeout: 1m", bounds, 1)
		write(t, filepath.Join(d.root, "p", "recipe.md"), text)
		n := strconv.Itoa(len(rivalry))
		cmd, out := d.start("", "cookoff-nowait", "run", "--no-preflight", "--yes", "--quiet", "--keep",
			"none", "--format", "json",
			"--parallel", strconv.Itoa(len(rivalry)+1), "--trials", n)
		_ = cmd.Wait()
		d.nothingLives()
		var r struct {
			State  string
			Trials []rival
		}
		var loose struct{ Models []map[string]any }
		said := out.String()
		report := said[max(0, strings.Index(said, "{")) : strings.LastIndex(said, "}")+1]
		for _, into := range []any{&r, &loose} {
			if err := json.Unmarshal([]byte(report), into); err != nil {
				t.Fatalf("%v:\n%.3000s", err, said)
			}
		}
		if r.State != "finished" {
			t.Errorf("%s: the run is %q:\n%.3000s", name, r.State, said)
		}
		for _, m := range loose.Models {
			if m["model"] == "openai/gpt-4o-mini" {
				delete(m, "pareto") // and what else is of the comparison
				delete(m, "delta")
				honest = withoutTimes(m)
			}
		}
		return honest, r.Trials
	}
	alone, _ := play("alone", "- openai/gpt-4o-mini")
	beside, all := play("beside", "- openai/gpt-4o\n- openai/gpt-4o-mini")
	if diff := cmp.Diff(alone, beside); diff != "" || alone == nil {
		t.Errorf("beside rivals that attack the machine, an honest one gets other results: %s", diff)
	}
	for _, r := range all {
		if want := map[bool]string{true: "fail", false: "pass"}[r.Model == "openai/gpt-4o"]; r.Status != want {
			t.Errorf("%s, trial %d: %s, want %s: %s", r.Model, r.Trial, r.Status, want, r.Detail)
		}
	}
}

// rival is a trial of a report.
type rival struct {
	Model, Status, Detail string
	Trial                 int
}
