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

// FuzzPrefixRules: no command is run unless it parses and begins as allowed.
func FuzzPrefixRules(f *testing.F) {
	for _, s := range []string{"go test", "go test; id", "sh -c 'go test'", "go test $(x)", "$((a))", "eval go test", "<<a\n$(b)\na"} {
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
