package taskfile

import (
	"strings"
	"testing"
)

func TestScripts(t *testing.T) {
	f, err := Parse(`version: '3'
env: {A: b c, T: '{{.X}}', bad-name: x, L: [1]}
includes: {lib: {taskfile: lib, dir: lib}, other: other}
tasks:
  short: go build
  list: [go vet, {task: short}]
  test:
    dir: api
    env: {C: d}
    deps: [short, {task: list}]
    cmds: [cmd: 'go test {{.CLI_ARGS}}', task: test, {defer: rm x}, {for: [a], cmd: echo a}]
`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"short": "(|export A='b c'|go build|)|",
		"list":  "(|export A='b c'|go vet|)|(|export A='b c'|go build|)|",
		"test": "(|cd api || exit|export A='b c'|export C=d|go test {{.CLI_ARGS}}|)|" +
			"(|cd api || exit|export A='b c'|export C=d|echo a|)|(|export A='b c'|go build|)|(|export A='b c'|go vet|)|",
		"none": "", "lib:x": "", "": "",
	} {
		if got := strings.ReplaceAll(strings.Join(f.Scripts(name), ""), "\n", "|"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	if got := f.In("lib:x", "go test\n"); got != "(\ncd lib || exit\nexport A='b c'\ngo test\n)\n" {
		t.Errorf("lib:x: %q", got)
	}
	if !f.Has("test") || f.Has("lib:x") {
		t.Error("what it has")
	}
}

// FuzzScripts: a contestant may have written the file.
func FuzzScripts(f *testing.F) {
	for _, text := range []string{"tasks: [a]", ":\n:", "tasks: {a: {cmds: 1, deps: x}}", "", "tasks: {a: &a [*a]}",
		"tasks: {a: {dir: x, env: {A: b}, deps: [a], cmds: [cmd: go test, task: b]}, b: c}"} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if f, err := Parse(text); err == nil {
			f.Scripts("a")
		}
	})
}
