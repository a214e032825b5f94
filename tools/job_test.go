//go:build linux

package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/tools"
)

func TestBackground(t *testing.T) {
	set := tools.Builtin(tools.Options{Background: true})
	sb := open(t, sandbox.Spec{})
	ask := func(name, args string) tools.Result {
		t.Helper()
		r, err := call(t, set, sb, name, args)
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		return r
	}
	start := func(command string) string {
		t.Helper()
		args, _ := json.Marshal(map[string]any{"command": command, "background": true})
		return ask("bash", string(args)).Text
	}
	bash(t, sb, "mkdir -p /work/d /tmp/p && mkfifo /tmp/p/in && cd d")
	// It starts where the shell is, and does not move it.
	is(t, "start",
		start("exec 4<>/tmp/p/in; pwd; cd /; while read -r x <&4; do echo got $x; [ $x != end ] || break; done; echo "+
			"oops >&2; exit 3"), "started in the background as job 1")
	is(t, "first news", ask("bash_job", `{"job":1,"wait":60}`).Text, "/work/d\n[job 1 is running]")
	is(t, "nothing new", ask("bash_job", `{"job":1}`).Text, "(no output)\n[job 1 is running]")
	is(t, "the shell", bash(t, sb, "pwd; echo a >/tmp/p/in"), "/work/d")
	is(t, "second news", ask("bash_job", `{"job":1,"wait":60}`).Text, "got a\n[job 1 is running]")
	bash(t, sb, "echo end >/tmp/p/in")
	var said string
	for {
		r := ask("bash_job", `{"job":1,"wait":60}`)
		said += r.Text + "\n"
		if r.Failed {
			break
		}
	}
	if !strings.Contains(said, "got end\n") || !strings.Contains(said, "oops\n") || !strings.HasSuffix(said,
		"\n[job 1 ended]\n[exit status 3]\n") {
		t.Errorf("the end: %q", said)
	}
	is(t, "after the end", ask("bash_job", `{"job":1,"stop":true}`).Text, "(no output)\n[job 1 ended]\n[exit status 3]")

	// Stopping takes what it started along.
	start("echo up; sleep 5678 & setsid sleep 5678 & wait")
	ask("bash_job", `{"job":2,"wait":60}`)
	is(t, "stop", ask("bash_job", `{"job":2,"stop":true}`).Text, "(no output)\n[job 2 was stopped]")
	is(t, "left", bash(t, sb, "pgrep -c 'sleep'; true"), "0")

	// A call that is killed leaves jobs alone.
	start("sleep 4321")
	if _, err := call(t, set, sb, "bash", `{"command":"sleep 1000","timeout":1}`); err != nil {
		t.Fatal(err)
	}
	is(t, "job after a killed call", ask("bash_job", `{"job":3}`).Text, "(no output)\n[job 3 is running]")

	// Output without end costs no memory.
	start("yes")
	bash(t, sb, "sleep 0.5")
	if r := ask("bash_job", `{"job":4,"stop":true}`); r.Cut < 1<<20 || len(r.Text) > 200<<10 {
		t.Errorf("%d bytes of %d left out", len(r.Text), r.Cut)
	}

	for i := range sandbox.MaxJobs - 1 {
		is(t, "many", start("sleep 999"), fmt.Sprintf("started in the background as job %d", 5+i))
	}
	bad := func(name, args string, kind tools.ErrorKind, want string) {
		t.Helper()
		_, err := call(t, set, sb, name, args)
		is(t, args, refused(t, err, kind), want)
	}
	bad("bash", `{"command":"true","background":true}`, tools.ToolFailed,
		"start one more command in the background: 16 are running already")
	bad("bash", `{"command":"true","background":true,"timeout":3}`, tools.BadArguments,
		"timeout: a command in the background has none; hint: bash_job stops it")
	bad("bash_job", `{"job":99}`, tools.ToolFailed, "job 99: there is no such command in the background")
	bad("bash_job", `{"job":0}`, tools.BadArguments, "job: 0 is no number that bash gave")
	bad("bash_job", `{"job":1,"wait":-1}`, tools.BadArguments, "wait: -1 is negative")

	st, err := sb.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Release()
	if _, err := call(t, set, sb, "bash_job", `{"job":3}`); err == nil {
		t.Error("a job is heard of after the end of its sandbox")
	}
}

// Without bash_job there is no background, and allowed words hold there too.
func TestBackgroundOffered(t *testing.T) {
	w := newPlain(t)
	_, err := use(t, w, "bash", `{"command":"true","background":true}`)
	is(t, "without", refused(t, err, tools.BadArguments),
		`arguments: unknown field "background"; allowed: command, timeout`)
	_, err = call(t, tools.Builtin(tools.Options{Background: true, BashPrefixes: []string{"go test"}}), w, "bash",
		`{"command":"id","background":true}`)
	is(t, "rules", refused(t, err, tools.ToolFailed), `bash: "id" does not start with allowed words; allowed: go test`)
}
