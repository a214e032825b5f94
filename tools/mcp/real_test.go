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

// reference starts a reference server of the protocol in a sandbox without a
// network. It needs Node, and the server's package below COOKOFF_NODE_MODULES.
func reference(t *testing.T, name, args string) (*Session, sandbox.Sandbox) {
	t.Helper()
	modules, main := os.Getenv("COOKOFF_NODE_MODULES"), "@modelcontextprotocol/"+name+"/dist/index.js"
	if _, err := os.Stat(filepath.Join(modules, main)); modules == "" || err != nil {
		t.Skipf("COOKOFF_NODE_MODULES names no node_modules with @modelcontextprotocol/%s in it", name)
	}
	b := native.New(native.Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	sb, err := b.Open(t.Context(), sandbox.Spec{Network: sandbox.NoNetwork,
		ReadOnly: []sandbox.Mount{{Source: modules, Target: "/opt/node_modules"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	return open(t, sb, Server{Name: "real", Command: "node /opt/node_modules/" + main + " " + args}, time.Minute), sb
}

func TestRealEverything(t *testing.T) {
	x, _ := reference(t, "server-everything", "stdio")
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

// TestRealFilesystem: what a server does to files is done in the trial's world,
// and nowhere else.
func TestRealFilesystem(t *testing.T) {
	x, sb := reference(t, "server-filesystem", "/work")
	check := func(tool, args, want string) {
		t.Helper()
		if res, bad := call(t, x, tool, args); !strings.Contains(res.Text+bad, want) {
			t.Errorf("%s %s gives %q %q, want %q", tool, args, res.Text, bad, want)
		}
	}
	check("write_file", `{"path":"/work/a/b.txt","content":"no such directory"}`, "ENOENT")
	check("create_directory", `{"path":"/work/a"}`, "Successfully created")
	check("write_file", `{"path":"/work/a/b.txt","content":"one\ntwo \u00e9\n"}`, "Successfully wrote")
	check("edit_file", `{"path":"/work/a/b.txt","edits":[{"oldText":"one","newText":"1"}],"dryRun":false}`, "+1")
	check("read_text_file", `{"path":"/work/a/b.txt","head":1}`, "1")
	check("list_directory", `{"path":"/work/a"}`, "[FILE] b.txt")
	check("read_text_file", `{"path":"/etc/passwd"}`, "outside allowed directories")
	check("write_file", `{"path":"/work/x"}`, "content") // what is wrong is told
	content, err := sb.FS().Read(t.Context(), "a/b.txt", 0, 1000)
	if err != nil || string(content.Data) != "1\ntwo é\n" {
		t.Errorf("the file in the trial's world: %q, %v", content.Data, err)
	}
	if _, err := os.Stat("/work/a/b.txt"); err == nil {
		t.Error("the file is on this machine too")
	}
}
