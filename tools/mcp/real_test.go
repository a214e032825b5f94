package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// TestEverything talks with the reference server of the protocol, in a sandbox
// without a network. It needs Node and an installed
// @modelcontextprotocol/server-everything below COOKOFF_NODE_MODULES.
func TestEverything(t *testing.T) {
	modules := os.Getenv("COOKOFF_NODE_MODULES")
	main, err := filepath.Glob(filepath.Join(modules, "@modelcontextprotocol/server-everything/dist/index.js"))
	if modules == "" || err != nil || len(main) == 0 {
		t.Skip("COOKOFF_NODE_MODULES names no node_modules with @modelcontextprotocol/server-everything in it")
	}
	b := native.New(native.Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	sb, err := b.Open(t.Context(), sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: modules, Target: "/opt/node_modules"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	x := open(t, sb, Server{Name: "all", Command: "node /opt/node_modules/@modelcontextprotocol/server-everything/dist/index.js stdio"}, time.Minute)
	var names []string
	for _, tool := range x.Tools() {
		names = append(names, tool.Spec().Name)
	}
	t.Logf("tools: %s", strings.Join(names, " "))
	check := func(tool, args, want string) {
		t.Helper()
		if res, bad := call(t, x, tool, args); !strings.Contains(res.Text+bad, want) {
			t.Errorf("%s %s gives %q %q, want %q", tool, args, res.Text, bad, want)
		}
	}
	check("echo", `{"message":"a\"b\\c é"}`, `Echo: a"b\c é`)
	check("get-sum", `{"a":0.1,"b":9007199254740991}`, "9007199254740991")
	check("get-tiny-image", `{}`, "[image, image/png, ")
	check("get-resource-reference", `{"resourceType":"Text","resourceId":1}`, "[resource ")
	check("echo", `{}`, "message") // what is wrong is told
	check("echo", `{"message":"still there"}`, "still there")
}
