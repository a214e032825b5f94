package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/tools"
)

// T08: each simple command must start with allowed words, wherever it hides.
func TestPrefixRules(t *testing.T) {
	set := tools.Builtin(tools.Options{BashPrefixes: []string{"go test", "go build", "echo", "cat"}})
	run := func(command string) error {
		w := newPlain(t)
		w.result = &sandbox.Result{}
		args, _ := json.Marshal(map[string]string{"command": command})
		_, err := call(t, set, w, "bash", string(args))
		if err != nil && len(w.cmds) > 0 {
			t.Errorf("%s: refused, but it ran", command)
		}
		return err
	}
	good := func(command string) {
		t.Helper()
		if err := run(command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	bad := func(command, why string) {
		t.Helper()
		if reason := refused(t, run(command), tools.ToolFailed); !strings.Contains(reason, why) {
			t.Errorf("%s: %s", command, reason)
		}
	}
	good("go test ./...")
	good("go test -run 'A|B' ./... 2>&1 | cat; go build")
	good("'go' \"test\" && g\\o build")
	good("X=1 CGO_ENABLED=0 go test $X >out.txt")
	good("if go test; then echo ok; fi; for f in *.go; do cat \"$f\"; done")
	good("sh -c 'go test; echo $(cat f)'")
	good("bash -ec 'go test \"$@\"' _ \"$X\"")
	good("eval 'go test'")
	good("echo $((1 + 2)) ${X:-none}")
	good("cat <<'E'\nrm -rf $(x)\nE")

	const start = "does not start with allowed words"
	bad("go test; rm -rf .", start)
	bad("go test && curl x", start)
	bad("go test $(id)", start)
	bad("go test\nid", start)
	bad("go test `id`", start)
	bad("go test <(id)", start)
	bad("go test | tee x", start)
	bad("go test & id", start)
	bad("(id)", start)
	bad("echo \"${x:-$(id)}\"", start)
	bad("cat <<E\n$(id)\nE", start)
	bad("go testing", start)
	bad("go", start)
	bad("./go test", start)
	bad("X=$(id) go test", start)
	bad("sh -c 'go test; id'", start)
	bad("sh -c \"sh -c 'id'\"", start)
	bad("sh script.sh", start)
	bad("env go test", start)
	bad("export PATH=.", start)
	bad("eval 'id'", start)
	bad("sh -c \"$x\"", "not literal")
	bad("sh -c \"go test $x\"", "not literal")
	bad("bash --rcfile x -ic 'go test'", "can't be analysed")
	bad("eval \"$x\"", "not literal")
	bad("$cmd", "not literal")
	bad("{go,test}", "not literal")
	bad("$'go' test", "not literal")
	bad("PATH=. go test", "setting PATH")
	bad("LD_PRELOAD=./x.so go test", "setting LD_PRELOAD")
	bad("go() { id; }; go test", "a function")
	bad("> main.go", "redirection")
	bad("echo $((x))", "arithmetic")
	bad("echo ${x@P}", "transformed")
	bad("echo ${!x}", "indirect")
	bad("echo ${a[x]}", "indexed")
	bad("[[ -v x ]]", "[[ ]]")
	bad("go test '", "can't be parsed")
}

// TestPatternsOfWords: * stands for words, and a pattern that has one is all of
// a command.
func TestPatternsOfWords(t *testing.T) {
	set := tools.Builtin(tools.Options{BashPrefixes: []string{"go build *", "git * --stat", "make", "npm * test *",
		"xargs *", "command *"}})
	run := func(command string) error {
		w := newPlain(t)
		w.result = &sandbox.Result{}
		args, _ := json.Marshal(map[string]string{"command": command})
		_, err := call(t, set, w, "bash", string(args))
		return err
	}
	for _, command := range []string{
		"go build", "go build ./...", "go build -o x ./cmd/x", "go build $pkg", "git log --stat", `\git diff "--stat"`,
		"make", "make -j 4 all", "npm run test", "npm run test --watch $x",
		"command go build ./...", "X=1 go build > log 2>&1", "echo=1; go build", "find=1 go build",
	} {
		if err := run(command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	for _, command := range []string{
		"go", "go test", "go  vet ./...", "git --stat", "git log --stat -p", "git log -p --stat", "git log --stat $x",
		"git $x --stat", "npm test", "npm run", "./go build",
		"go build ./... ; rm x", "go build $(id)", "go build\nrm x", "go build >(rm x)", "go build <(rm x)",
		"GOFLAGS=-toolexec=x go build", "export GOFLAGS=-toolexec=x", "alias go=rm", "go() { rm x; }; go build",
		"command rm x", "command git log --stat -p", `\rm x`, "xargs rm", "xargs git log --stat", "xargs go vet",
		"go build & rm x", "go build || rm x", "env go build", "eval 'rm x'", "if go build; then rm x; fi", "$x build",
		"go $x",
	} {
		if err := run(command); err == nil {
			t.Errorf("%s is allowed", command)
		}
	}
}

// What starts other commands is looked into, whatever it is that is allowed.
func TestPrefixRulesInDisguise(t *testing.T) {
	set := tools.Builtin(tools.Options{BashPrefixes: []string{"go test", "find", "xargs", "env", "timeout", "command",
		"exec", "printf", "read", "echo", "export", "cat", "xargs grep", "bash", "nice"}})
	run := func(command string) error {
		w := newPlain(t)
		w.result = &sandbox.Result{}
		args, _ := json.Marshal(map[string]string{"command": command})
		_, err := call(t, set, w, "bash", string(args))
		return err
	}
	for _, command := range []string{
		"find . -name '*.go'", "find . -exec cat {} +", `find . -exec cat {} \; -exec go test {} ';'`,
		"xargs grep -r x", "cat f | xargs go test", "env A=1 go test", "env", "timeout 5s go test", "command go test",
		"exec go test", "printf -v x y", "read -r line", "export A=1", "time go test",
		"command env A=1 timeout 5 go test",
		"for f in a b; do go test; done", "bash -c 'go test'", "sh -c 'go test \"$1\"' _ x", "nice -n 5 go test",
		"CGO_ENABLED=0 go test",
	} {
		if err := run(command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	for command, why := range map[string]string{
		"find . -exec rm {} +": "does not start", "find . -execdir sh -c id \\;": "a shell",
		"find . -ok id \\;": "does not start", "find . -exec env id \\;": "does not start", "find $x": "not literal",
		"find . -exec": "without a command",
		"xargs rm":     "does not start", "cat f | xargs sh -c": "can't be analysed", "xargs -n1 rm": "option -n1",
		"xargs $x": "not literal", "env rm": "does not start", "env -i rm": "option -i", "env -S 'rm x'": "option -S",
		"env A=1 PATH=. go test": "setting PATH",
		"env bash -c id":         "can't be analysed", "timeout 5 rm": "does not start",
		"timeout -k 1 5 rm": "option -k",
		"command rm":        "does not start", "command -p rm": "option -p", "exec rm": "does not start",
		"exec -a x rm": "option -a", "command eval id": "can't be analysed",
		"command command rm": "does not start", "env env env rm": "does not start", "nice -n 5 rm": "does not start",
		"/usr/bin/env rm":  "does not start",
		"printf -v PATH .": "setting PATH", "read PATH": "setting PATH", "export PATH=.": "setting PATH",
		"for PATH in .; do go test; done": "setting PATH", "echo ${LD_PRELOAD:=./x.so}": "setting LD_PRELOAD",
		"GIT_SSH_COMMAND=./x go test": "setting GIT_SSH_COMMAND", "CC=./evil go test": "setting CC",
		"HOME=. go test": "setting HOME", "PYTHONPATH=. go test": "setting PYTHONPATH",
		`sh -c "echo \$'a\\'; id #'"`: "does not start", // one word to bash, two commands to a plainer shell
		"dash -c 'echo <(id)'":        "", "zsh -c 'go test'": "can't be analysed",
		"busybox sh -c id": "can't be analysed",
		"alias go=rm":      "does not start", "trap 'rm x' EXIT": "does not start", ". ./script": "does not start",
		"source x": "does not start", "coproc go test": "coprocess",
		"select PATH in .; do go test; done": "setting PATH",
		"echo $[x]":                          "", "echo $((a[$(id)]))": "", "cat <<<\"$(id)\"": "does not start",
		"case x in $(id)) ;; esac": "does not start", "while read x; do id; done": "does not start",
		"if go test; then :; fi": "does not start",
		"time id":                "does not start", "! id": "does not start", "{ id; }": "does not start",
		"go test |& id":        "does not start",
		"go test <<E\n`id`\nE": "", "function go { id; }": "a function", " ()0": "a function",
		"echo \"${x:+$(id)}\"": "does not start", "echo ${x/$(id)/}": "does not start",
		"bash -c \"go test; $x\"": "not literal", "bash -ic 'go test'": "option",
		"bash -c 'bash -c \"bash -c \\\"bash -c id\\\"\"'": "",
	} {
		if reason := refused(t, run(command), tools.ToolFailed); !strings.Contains(reason, why) {
			t.Errorf("%s: %s, want %q", command, reason, why)
		}
	}
	if err := run(strings.Repeat("(", 30_000) + "id"); err == nil {
		t.Error("brackets without end were allowed")
	}
}

// FuzzPrefixRules: no command is run unless it parses and begins as allowed.
func FuzzPrefixRules(f *testing.F) {
	for _, s := range []string{"go test", "go test; id", "sh -c 'go test'", "go test $(x)", "$((a))", "eval go test",
		"<<a\n$(b)\na"} {
		f.Add(s)
	}
	set := tools.Builtin(tools.Options{BashPrefixes: []string{"go test"}})
	f.Fuzz(func(t *testing.T, command string) {
		w := newPlain(t)
		w.result = &sandbox.Result{}
		args, _ := json.Marshal(map[string]string{"command": command})
		if _, err := call(t, set, w, "bash", string(args)); err == nil && strings.TrimSpace(command) != "" {
			bare := strings.NewReplacer(`\`, "", `'`, "", `"`, "", "\n", "").Replace(command)
			if strings.Contains(bare, "curl") && !strings.Contains(bare, "go") {
				t.Errorf("allowed %q", command)
			}
		}
	})
}
