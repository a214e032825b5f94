package sandboxtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// corpus are scripts that must do in a world what they do as an argument of
// bash -c. Two things differ, and do nothing: set -x writes one + more, as in
// every eval, and a script may start with a dash.
func corpus() []string {
	return []string{
		"", "\n\n", "# nothing", "true", "false", "exit 3", "echo $0 $# \"$@\"",
		"echo ${BASH_SOURCE[0]-none} ${#BASH_SOURCE[@]} ${FUNCNAME[0]-none}",
		"echo $LINENO\n\necho $LINENO", "echo $- $SHLVL $BASH_SUBSHELL",
		"f() { echo ${FUNCNAME[0]} $LINENO; return 4; }; f; echo $?", "return 5; echo $?",
		"no-such-command", "\nno-such-command x | cat", "ls /no-such-file", "cd /nowhere", "echo ${x?gone}; echo after",
		"set -u; echo $nothing; echo after",
		"set -e; false; echo after", "set -e; if false; then :; fi; (exit 6); echo after",
		"set -euo pipefail; false | true; echo after",
		"trap 'echo bye $?' EXIT; exit 7", "trap 'echo err $LINENO' ERR; false; true",
		"trap 'echo usr' USR1; kill -USR1 $$; echo on",
		"cat <<E\nhere $((1+1))\nE", "cat <<'E'\n$not\nE\necho after", "cat <<-E\n\ttabs\n\tE", "cat <<< string", "cat",
		"read x; echo got $x $?", "cat /dev/stdin",
		"exec echo replaced", "exec 3<<<three; cat <&3", "exec > out; echo hidden; cat out >&2",
		"exec 9>&1; echo nine >&9", "echo open >&3",
		"kill -9 $$", "kill -TERM $$", "sleep 0 & wait $!; echo $?", "bash -c 'exit 9'; echo $?", "(exit 8)",
		"exec bash -c 'echo $0' name",
		"printf '%s\\n' \"$BASH_EXECUTION_STRING\"", "set -- a b; shift; echo $1 $#",
		"shopt -s extglob\n[[ ab == a@(b|c) ]] && echo matched",
		"alias l='echo alias'\nl", "shopt -s expand_aliases\nalias l='echo alias'\nl",
		"declare -p REPLY 2>/dev/null; echo $?", "IFS=:; x=a:b; echo $x", "echo \"${IFS@Q}\"",
		"echo {1..3} ~ $HOME $PWD", "umask; ulimit -n", "echo 'it'\"'\"'s' \\\\ \\$", "echo \xff\xfe | od -c",
		"echo äöü ${#x}", "for i in 1 2; do\necho $i\ndone", "a=(1 2 3); echo ${a[-1]} ${#a[@]}",
		"while read -r l; do echo \"<$l>\"; done < <(printf 'a\\nb')",
		"coproc cat; echo hi >&${COPROC[1]}; read -r x <&${COPROC[0]}; echo $x", "set -v\necho said",
		"f() { local x=1; g; }; g() { caller 0; }; f", "{ time -p true; } 2>/dev/null; echo timed",
		"eval 'echo $LINENO'; eval 'exit 11'", "command -v cd; type -t eval", "echo one; echo two >&2; exit 12",
		"if", "echo ok\necho 'open", "echo before; )", "case x in", "cat <<E\nno end",
	}
}

// syntaxFrom is how bash says where a text that it can't read stands: what it
// runs by eval is said to be of eval.
var syntaxFrom = pattern.New(`(?m)^bash: (-c|eval): `)

// scripts wants a script to do what it does as an argument of bash -c, and
// nobody to see its text on a command line.
func scripts(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	told := func(c sandbox.Cmd) string {
		r := w.run(c)
		return fmt.Sprintf("exit %d %s %s\n%s--\n%s", r.Exit, r.Signal, r.Reason, r.Stdout,
			syntaxFrom.ReplaceAll(r.Stderr, []byte("bash: ")))
	}
	for _, script := range corpus() {
		want := told(sandbox.Cmd{Argv: []string{"bash", "--noprofile", "--norc", "-c", script},
			Stdin: []byte("from outside\n")})
		if got := told(sandbox.Cmd{Script: script, Stdin: []byte("from outside\n")}); got != want {
			t.Errorf("%q gave\n%s\nwant\n%s", script, got, want)
		}
	}
	w.prints("0", "word=wordOfTheScript; "+
		"n=0; for p in /proc/[0-9]*/cmdline; do grep -qa wordOf[T]heScript $p && n=$((n+1)); done; echo $n")
	w.prints("3 on", "bash -c 'exec -a wordOfTheTarget sleep 1000' & until grep -qa ^wordOfTheTarget /proc/$!/cmdline; "+
		"do :; done; for p in /proc/[0-9]*; do grep -qa wordOfTheTarget $p/cmdline 2>/dev/null && kill ${p#/proc/}; "+
		"done; wait; echo 3 on")
	long := "x=" + strings.Repeat("a", 300_000)
	w.prints("300000", long+"\necho ${#x}")
	if r := w.run(sandbox.Cmd{Script: "echo a\x00b"}); r.Exit != 126 || !strings.Contains(string(r.Stderr), "NUL") {
		t.Errorf("a script with a NUL character: %+v", r)
	}
}

// lockedOut wants a world of use for whoever has closed its own directories.
func lockedOut(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	w.write("f", "text")
	w.write("d/e/g", "text")
	w.sh("chmod 000 d/e d .")
	r := w.run(sandbox.Cmd{Script: "pwd", Else: true})
	if r.Exit != 0 || string(r.Stdout) != "/home/agent\n" || !strings.Contains(string(r.Stderr),
		"/work can't be entered: permission denied, its mode is 0000; the command starts in /home/agent\n") {
		t.Errorf("with /work closed: %+v", r)
	}
	if r := w.run(sandbox.Cmd{Script: "echo ran"}); r.Exit != 126 || len(r.Stdout) > 0 ||
		!strings.Contains(string(r.Stderr), "/work: permission denied, its mode is 0000") {
		t.Errorf("what must not start elsewhere, with /work closed: %+v", r)
	}
	if r := w.run(sandbox.Cmd{Script: "chmod 000 ~; pwd", Else: true}); r.Exit != 0 {
		t.Errorf("closing home: %+v", r)
	}
	if r := w.run(sandbox.Cmd{Script: "pwd", Else: true}); string(r.Stdout) != "/tmp\n" {
		t.Errorf("with home closed as well: %+v", r)
	}
	if _, err := w.FS().Read(t.Context(), "f", 0, 10); err == nil {
		t.Error("a file in a closed directory was read")
	} else {
		mistake(t, err, "permission denied")
	}
	described := func(w world) {
		t.Helper()
		m, err := w.FS().Manifest(t.Context(), nil)
		if err != nil || !slices.ContainsFunc(m, func(f sandbox.File) bool { return f.Path == "f" && f.Sum != "" }) {
			t.Errorf("describing closed directories: %v, %v", m, err)
		}
		err = w.FS().Pack(t.Context(), []string{"f", "d/e/g"}, func(it sandbox.Item) error {
			if it.Gone || it.Left != "" || string(it.Data) != "text" {
				t.Errorf("packed from a closed directory: %+v", it)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	described(w)
	if r := w.run(sandbox.Cmd{Script: "stat -c %a /work ~ && chmod 700 /work && stat -c %a /work/d",
		Dir: "/"}); string(r.Stdout) != "0\n0\n0\n" {
		t.Errorf("after describing, the modes are %s %s", r.Stdout, r.Stderr)
	}
	w.run(sandbox.Cmd{Script: "chmod 000 /work", Dir: "/"})
	after := s.open(t, sandbox.Spec{State: w.seal()})
	described(after)
	if err := after.FS().Unpack(t.Context(),
		[]sandbox.Item{{Path: "d/e/h", Mode: 0o644, Data: []byte("laid")}}); err != nil {
		t.Errorf("laying a file into a closed directory: %v", err)
	}
	if r := after.run(sandbox.Cmd{Script: "chmod -R 755 ~ /work; cat /work/f /work/d/e/h",
		Else: true}); string(r.Stdout) != "textlaid" {
		t.Errorf("in a world over closed directories: %+v", r)
	}
	w = s.open(t, sandbox.Spec{})
	if r := w.run(sandbox.Cmd{Script: "printf '#!/bin/sh\\n' > ~/bash; " +
		"mkdir ~/bin; cp ~/bash ~/bin; chmod +x ~/bin/bash"}); r.Exit != 0 {
		t.Fatalf("%+v", r)
	}
	w.prints("still", "echo still")
}
