package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"cookoff/internal/cli"
	"cookoff/model"
	"cookoff/model/openai/openaitest"
	"cookoff/sandbox/native"
)

const servedRecipe = `# Served
version: 1

## Models
- openai/test-model

## Tools
- bash
- web.*

## MCP Servers
- web: URL

## Tasks
### Ask and write
Ask the server and write what it says into said.

` + "```sh before\n! test -e said\n```\n```sh after\ntest \"$(cat said)\" = 'answer <1> & more'\n```\n" +
	"```sh solution\necho 'answer <1> & more' > said\n```\n"

// TestReplayAsksNoServer: what an MCP server on the network said is part of a
// recording; the replay asks neither it nor the provider, and needs no
// permission to.
func TestReplayAsksNoServer(t *testing.T) {
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	var calls atomic.Int32
	offers := server.NewMCPServer("web", "1", server.WithToolCapabilities(true))
	offers.AddTool(mcp.NewTool("answer", mcp.WithString("to")),
		func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if calls.Add(1) == 2 {
				return mcp.NewToolResultError("only once"), nil
			}
			return mcp.NewToolResultText("answer <1> & more"), nil
		})
	web := httptest.NewServer(server.NewStreamableHTTPServer(offers))
	defer web.Close()
	call := func(id, name, args string) openaitest.Step {
		return openaitest.Calls(model.Call{ID: id, Name: name, Arguments: args})
	}
	provider := openaitest.New(call("1", "web__answer", `{"to":"a < b"}`), call("2", "web__answer", `{"to":"a < b"}`),
		call("3", "bash", `{"command":"echo 'answer <1> & more' > said"}`), openaitest.Text("done"))
	defer provider.Close()

	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("OPENAI_BASE_URL", provider.URL)
	t.Setenv("OPENAI_API_KEY", "sk-test-0123456789")
	if err := os.WriteFile("recipe.md", []byte(strings.Replace(servedRecipe, "URL", web.URL+"/mcp", 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	cookoff := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), strings.NewReader(""), &out, &errs, args)
		return code, out.String() + errs.String()
	}
	if code, said := cookoff("run", "--record"); code != cli.ExitUsage || !strings.Contains(said, "--allow host-mcp") {
		t.Fatalf("without permission: exit code %d\n%s", code, said)
	}
	if code, said := cookoff("run", "--record", "--allow", "host-mcp"); code != cli.ExitOK || !strings.Contains(said,
		"1/1") || calls.Load() != 2 {
		t.Fatalf("exit code %d, %d calls\n%s", code, calls.Load(), said)
	}
	web.Close()
	provider.Close()
	code, said := cookoff("run", "--replay", "latest")
	if code != cli.ExitOK || !strings.Contains(said, "1 outcome as recorded, 0 not") || strings.Contains(said,
		"diverges") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}
