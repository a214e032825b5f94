package lint

import (
	"strings"
	"testing"

	"cookoff/recipe"
)

// rulesOf lints a task whose after check is a script, and gives the names of
// the warnings.
func rulesOf(after, guard string) string {
	t := recipe.Task{Prompt: "x", Before: "! test -e y", After: oneCheck(after)}
	if guard != "" {
		t.Guard = oneCheck(guard)
	}
	var names []string
	for _, f := range Task(t) {
		if f.Rule != "" {
			names = append(names, f.Rule)
		} else {
			names = append(names, f.Msg)
		}
	}
	return strings.Join(names, ", ")
}

func TestLintWhatCheatsPass(t *testing.T) {
	check := func(after, want string) {
		t.Helper()
		if got := rulesOf(after, ""); got != want {
			t.Errorf("%s:\n got %s\nwant %s", after, got, want)
		}
	}
	const literal, prefix, line, opposite = "literal-grep", "prefix-match", "command-line", "opposite-match"
	check("grep -q 'version = 2' conf", literal)
	check("grep -qx 'version = 2' conf", "")
	check("grep -q '^version = 2' conf", "")
	check("cd sub && cat conf | grep -q hello", literal)
	check("fmtool --version | grep -qx 1.5.2", "")
	check("./fmtool --version | grep -qx 1.5.2", "")
	check("\"$tool\" | grep -q hello", "")
	check("! grep -q hello conf", "")
	check("grep -qv hello conf", "")
	check("go build ./... && grep -q hello conf", "")

	const exists = "existence"
	check("test -f bin/prog", exists)
	check("cd bin && [ -x prog ] && [ ! -e prog.lock ]", exists)
	check("[[ -d out && -f out/a ]] && ls out/b > /dev/null", exists)
	check("for f in a b; do [ -e \"$f\" ] || exit 1; done", exists)
	check("! ( test ! -e a )", exists)
	check("[ ! -e .git/index.lock ]", "")
	check("! ( test -e a )", "")
	check("[ -e a.pid ] && exit 1; true", "cannot-fail")
	check("if [ -e a.pid ]; then exit 1; fi", "")
	check("[ -f a ] && case $MODE in fast) ;; *) exit 1 ;; esac", "")
	check("[ -f a ] && (( n > 3 ))", "")
	check("test -f \"$(bin/prog --where)\"", "")
	check("! test -e .git/index.lock", "")
	check("[[ ! -e a.pid ]]", "")
	check("test -f bin/prog && bin/prog --version", "")
	check("[ -f a ] && [ \"$(cat a)\" = 2 ]", "")
	check("test -f a && cmp a b", "")

	check("fmtool --version | grep -q 1.5.2", prefix)
	check("openssl x509 -in a.pem -noout -ext subjectAltName | grep -q www.shop.example", prefix)
	check("openssl x509 -in a.pem -noout -ext subjectAltName | grep -qw DNS:www.shop.example", "")
	check("curl -s localhost:8080/health | grep -q ok", opposite)
	check("curl -s localhost:8080/health | grep ok", opposite)
	check("curl -s localhost:8080/health | grep -qw OK", opposite)
	check("curl -s localhost:8080/health | grep -qx ok", "")
	check("curl -s localhost:8080/health | grep -q '^ok'", "")
	check("curl -s localhost:8080/health | grep -qv ok", "")
	check("! curl -s localhost:8080/health | grep -q ok", "")
	check("systemctl is-active app | grep -q active", opposite)
	check("systemctl is-active app | grep -qw active", "")
	check("./tool check | grep -q okay", "")
	check(`fmtool --version | grep -q '1\.5\.2'`, prefix)
	check("fmtool --version | grep -q '1.5.2$'", "")
	check("fmtool --version | grep -qw 1.5.2", "")
	check("fmtool --version | grep -q '^v$want$'", "")
	check("go list -m all | grep -qF -e '=> ./unit'", prefix)
	check("go list -m all | grep -qxF 'x => ./unit'", "")
	check("go list | grep -q unit", "")
	check("! fmtool --version | grep -q 1.5.2", "")
	check("case $(fmtool -v) in 1.5*) ;; *) exit 1 ;; esac", prefix)
	check("case $(fmtool -v) in 1.5.2) ;; *) exit 1 ;; esac", "")
	check("[[ $(fmtool -v) == 'fmtool 1.5'* ]]", prefix)
	check("[[ $(fmtool -v) == 1.5.2 ]]", "")

	check("pgrep -f 'server --port' > /dev/null", line)
	check("ps aux | grep -q server", line)
	check(`p=$(pgrep -f server) && [ "$(cut -d' ' -f3 /proc/$p/stat)" != T ]`, "")
	check("pgrep -f server && curl -fs localhost:80", "")
	if got := rulesOf("make-it", "pgrep -x daemon"); got != line {
		t.Errorf("a guard: %s", got)
	}
}

func TestLintAllowed(t *testing.T) {
	check := func(after, want string) {
		t.Helper()
		if got := rulesOf(after, ""); got != want {
			t.Errorf("%s:\n got %s\nwant %s", after, got, want)
		}
	}
	check("# lint: allow literal-grep: the file is the product\ngrep -q hello conf", "")
	check("grep -q hello conf # lint: allow literal-grep: the file is the product", "")
	check("# lint: allow literal-grep\ngrep -q hello conf", "literal-grep, lint: allow literal-grep gives no reason")
	check("# lint: allow litteral-grep: x\ngrep -q hello conf",
		"literal-grep, lint: allow litteral-grep: no warning has that name")
	check("# lint: allow prefix-match: x\ngrep -q hello conf",
		"literal-grep, lint: allow prefix-match: there is nothing to allow")
	check("fmtool # lint: allow literal-grep: x", "lint: allow literal-grep: there is nothing to allow")

	// in another script of the task it allows nothing
	task := recipe.Task{Before: "! test -e y",
		After: []recipe.Check{{Script: "grep -q hello conf"}, {Script: "grep -q a b # lint: allow literal-grep: x"}}}
	if got := told(Task(task)); !strings.HasPrefix(got, "warning after[0]: the only proof") || strings.Contains(got,
		"\n") {
		t.Errorf("two checks: %s", got)
	}
	// but for what is no script's
	task = recipe.Task{Setup: "touch x",
		After: oneCheck("make-it # lint: allow no-before: setup is a no-op\n# lint: allow no-solution: none is known")}
	if got := told(Task(task)); got != "" {
		t.Errorf("a task's: %s", got)
	}
}

func TestLintNoControl(t *testing.T) {
	check := func(want bool, task recipe.Task, run string) {
		t.Helper()
		task.Prompt = "x"
		r := &recipe.Recipe{Tasks: []recipe.Task{task}, SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: run}}}
		said := strings.Contains(told(Recipe(r)), "warning tasks[0]: no control: ")
		if said != want || (len(NoControl(r)) > 0) != want {
			t.Errorf("%+v, %s: lint says %v, dry-run says %q", task, run, said, NoControl(r))
		}
	}
	check(true, recipe.Task{}, "go vet ./...")
	check(true, recipe.Task{Before: "true"}, "go vet ./...")
	check(false, recipe.Task{Before: "! go vet ./..."}, "go vet ./...")
	check(false, recipe.Task{After: oneCheck("go vet ./...")}, "go vet ./...")
	check(false, recipe.Task{}, "go test ./...")
	check(false, recipe.Task{}, "make test")
}
