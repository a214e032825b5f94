package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// shFence is a block of commands of a page that is run as it stands; one that
// needs a key says more than sh.
var shFence = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// page is "page FILE": the commands of docs/FILE succeed, one after the other.
func page(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: page FILE")
	}
	text, err := os.ReadFile(filepath.Join(ts.Getenv("DOCS"), args[0]))
	ts.Check(err)
	script := "set -eu\n"
	for _, m := range shFence.FindAllSubmatch(text, -1) {
		script += string(m[1])
	}
	ts.Check(ts.Exec("bash", "-c", script))
}

// TestPagesHaveCommands: a page whose fences are not found tests nothing.
func TestPagesHaveCommands(t *testing.T) {
	for _, name := range []string{"python.md", "node.md", "go.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil || len(shFence.FindAll(text, -1)) != 2 {
			t.Errorf("%s: %v: want two blocks of commands", name, err)
		}
	}
}
