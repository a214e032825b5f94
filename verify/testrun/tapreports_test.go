package testrun

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestLoudByVersion: what a program that names tests is told depends on which version of it is installed.
func TestLoudByVersion(t *testing.T) {
	for _, c := range []struct{ run, version, opts, want string }{
		{"mocha -b -R spec --reporter=dot test/a.js", "", "", "test/a.js --no-bail --reporter tap"},
		{"mocha -b test/a.js", "10.2.0", "--bail", "test/a.js --no-bail --reporter tap"},
		{"mocha", "6.0.0", "", "--no-bail --reporter tap"},
		{"mocha -u tdd", "5.2.0", "", "-u tdd --reporter tap"}, // which says: unknown option `--no-bail'
		{"mocha", "2.5.3", "--bail\n--require x.js", "--opts FILE --reporter tap\n\n\n--require x.js"},
		{"tap --reporter dot -- test/a.js", "", "", "--reporter=tap -- test/a.js"},
		{"tap -b test/a.js", "12.7.0", "", "test/a.js --reporter=tap"},
		{"tap test/a.js", "0.7.1", "", "test/a.js --tap"}, // which else prints totals of files
	} {
		argv := strings.Fields(c.run)
		r, _ := runnerOf(argv)
		root := t.TempDir()
		dir := filepath.Join(root, "packages", "a") // its packages lie above it
		write := func(path, text string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		write(filepath.Join(dir, "test", "mocha.opts"), c.opts)
		write(filepath.Join(root, "bin", argv[0]),
			"#!/bin/sh\necho \"$@\"\ncase $2 in *.opts) echo; cat \"$2\"; rm \"$2\" ;; esac\n")
		if c.version != "" {
			write(filepath.Join(root, "node_modules", argv[0], "package.json"),
				"{\n  \"name\": \"x\",\n  \"version\": \""+c.version+"\",\n  \"dependencies\": {\"y\": \"1.0.0\"}\n}\n")
		}
		loud := r.loud(argv, "cookofftest")
		cmd := exec.Command(loud[0], loud[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Join(root, "bin")+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		got := strings.TrimSpace(strings.ReplaceAll(string(out), "/tmp/cookofftest.opts", "FILE"))
		if err != nil || got != c.want {
			t.Errorf("%s (%s): %q, %v, want %q", c.run, c.version, got, err, c.want)
		}
	}
}

// TestReadOthers: what versions of tap before 1, lab and uvu's record print.
func TestReadOthers(t *testing.T) {
	check := func(read func(sandbox.Result, string) *Results, text string, want map[string][3]int) {
		t.Helper()
		if got := became(read(sandbox.Result{Stdout: []byte(text)}, "WORD")); !maps.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", text, got, want)
		}
	}
	check(readNodeTap, "TAP version 13\n# a.js\n# TAP version 13\n# group\nok 1 one is one\nnot ok 2 one is two\n  ---\n"+
		"    line:   2\n  ...\n# tests 3\n# fail  1\nnot ok 3 ./a.js\n  ---\n    exit:    1\n  ...\n\n1..3\n",
		map[string][3]int{"one is one": {1, 0, 0}, "one is two": {0, 1, 0}})
	check(readUvu,
		"a.js\n\nWORD pass \"adds \\\"x\\\"\"\n• \nWORD fail \"grp it\"\n✘ \nOTHER pass \"y\"\nWORD pass torn\n",
		map[string][3]int{`adds "x"`: {1, 0, 0}, "grp it": {0, 1, 0}})
}
