package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"cookoff/internal/oneline"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/tools"
)

// inside is where the test binary, which is also the server, lies in a world.
const inside = "/opt/mcp/server"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[0] == inside {
		serve(os.Args[1])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var precise = oneline.Of(`{"type":"object","properties":{
	"n":{"type":"integer","minimum":9007199254740993},
	"o":{"oneOf":[{"type":"string"},{"$ref":"#/$defs/deep"}]}},
	"required":["n"],"additionalProperties":false,
	"$defs":{"deep":{"type":"object","properties":{"x":{"enum":[1.50,null,"<&>"]}}}}}`)

// offers is a server with one tool of each kind.
func offers() *server.MCPServer {
	s := server.NewMCPServer("test", "1", server.WithToolCapabilities(true))
	add := func(name, doc, schema string, f func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		s.AddTool(mcp.NewToolWithRawSchema(name, doc, json.RawMessage(schema)), f)
	}
	text := func(s string) (*mcp.CallToolResult, error) { return mcp.NewToolResultText(s), nil }
	const none = `{"type":"object"}`
	add("echo", "Gives \x1b[31mback\x1b[0m what it gets", precise,
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text(string(r.Params.RawArguments))
		})
	add("write.file", "Writes a file called made", none,
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text(fmt.Sprint(os.WriteFile("made", []byte("x"), 0o644)))
		})
	add("pictures", "", none, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("look:"),
			mcp.NewImageContent("aGVsbG8=", "image/png"),
			mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "file:///a", Text: "of a"}),
			mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: "file:///b", MIMEType: "x/y", Blob: "aGVsbA=="}),
			mcp.NewResourceLink("file:///c", "c", "the third", "text/plain")}}, nil
	})
	add("wrong", "", none, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("it went wrong"), nil
	})
	add("die", "", none, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "last words")
		os.Exit(3)
		return nil, nil
	})
	add("hang", "", none, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {}
	})
	add("flood", "", none, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(strings.Repeat("x", maxFrame+1))
	})
	add("long", "", none, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(strings.Repeat("line\n", 100_000))
	})
	add("grow", "", none, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add("grown", "", none, nil)
		return text("grown")
	})
	return s
}

// serve is the server; mode says how it misbehaves.
func serve(mode string) {
	switch mode {
	case "good":
		_ = server.ServeStdio(offers())
	case "once": // it dies at once when it is started for the second time, and another time after that
		f, err := os.OpenFile("starts", os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
		if err == nil {
			_, _ = f.WriteString("x")
		}
		_ = server.ServeStdio(offers())
	case "other": // it offers something else the second time
		s := offers()
		if _, err := os.Stat("starts"); err == nil {
			s.DeleteTools("wrong")
		}
		_ = os.WriteFile("starts", nil, 0o644)
		_ = server.ServeStdio(s)
	case "silent":
		select {}
	case "dies":
		fmt.Fprintln(os.Stderr, "no \x1b[1mlicence")
		os.Exit(9)
	case "empty":
		_ = server.ServeStdio(server.NewMCPServer("test", "1", server.WithToolCapabilities(true)))
	case "asks": // it asks its client for everything, and tells the answers
		asks()
	case "noise":
		for i := range 3 {
			fmt.Println("this is no JSON", i)
		}
		_ = server.ServeStdio(offers())
	}
}

// asks speaks the protocol by hand: what it asks for, a library would not.
func asks() {
	in := bufio.NewScanner(os.Stdin)
	wishes := []string{"sampling/createMessage", "roots/list", "elicitation/create", "nonsense"}
	var heard []string
	var asked json.RawMessage // the call that waits for all answers: they may come after it
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Error  *struct{ Message string }
		}
		_ = json.Unmarshal(in.Bytes(), &m)
		reply := func(result string) { fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result) }
		switch {
		case m.Error != nil:
			heard = append(heard, "refused")
		case m.Method == "initialize":
			reply(
				`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}`)
			for i, method := range wishes {
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":%q,\"params\":{}}\n", 100+i, method)
			}
		case m.Method == "tools/list":
			reply(`{"tools":[{"name":"heard","inputSchema":{"type":"object"}}]}`)
		case m.Method == "tools/call":
			asked = m.ID
		case len(m.ID) > 0 && m.Method != "":
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}\n",
				m.ID)
		}
		if len(asked) > 0 && len(heard) == len(wishes) {
			m.ID, asked = asked, nil
			reply(fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, strings.Join(heard, " ")))
		}
	}
}

// world opens a sandbox that holds the server.
func world(t *testing.T) sandbox.Sandbox {
	t.Helper()
	b := native.New(native.Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "mcp")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(exe); err != nil || os.WriteFile(filepath.Join(dir, "server"), data, 0o755) != nil {
		t.Fatalf("copying the server: %v", err)
	}
	sb, err := b.Open(t.Context(), sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: dir, Target: filepath.Dir(inside)}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	})
	return sb
}

func local(mode string) Server { return Server{Name: "test", Command: inside + " " + mode} }

func open(t *testing.T, sb sandbox.Sandbox, s Server, timeout time.Duration) *Session {
	t.Helper()
	l, err := Probe(t.Context(), sb, s)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(t.Context(), sb, s, l, timeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

// call calls a tool by its own name; a mistake comes as its text.
func call(t *testing.T, x *Session, name, args string) (tools.Result, string) {
	t.Helper()
	for _, tool := range x.Tools() {
		if tool.tool.Name != name {
			continue
		}
		res, err := tool.Call(t.Context(), x.sb, json.RawMessage(args))
		var bad *tools.CallError
		switch {
		case errors.As(err, &bad):
			return res, string(bad.Kind) + ": " + bad.Reason
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		}
		return res, ""
	}
	t.Fatalf("no tool %q", name)
	return tools.Result{}, ""
}

// TestServer: tools, schemas and arguments arrive as they were written, and
// what a tool does, it does in the world.
func TestServer(t *testing.T) {
	sb := world(t)
	x := open(t, sb, local("good"), time.Minute)
	var names []string
	for _, tool := range x.Tools() {
		names = append(names, tool.Spec().Name)
	}
	want := "test__die test__echo test__flood test__grow test__hang test__long test__pictures " +
		"test__write_file_71fe7896 test__wrong"
	if got := strings.Join(names, " "); got != want {
		t.Fatalf("tools %s, want %s", got, want)
	}
	spec := x.Tools()[1].Spec()
	if !strings.HasPrefix(spec.Description, `Gives \x1b[31mback`) {
		t.Errorf("description %q", spec.Description)
	}
	var a, b any
	_ = json.Unmarshal([]byte(precise), &a)
	_ = json.Unmarshal(spec.Parameters, &b)
	if d := cmp.Diff(a, b); d != "" || !strings.Contains(string(spec.Parameters), "9007199254740993") ||
		!strings.Contains(string(spec.Parameters), "1.50") {
		t.Errorf("schema (-want +got):\n%s\n%s", d, spec.Parameters)
	}

	args := `{"n":9007199254740993,"f":1.50,"o":{"x":[null,true,{"y":""}]},"s":"a\u0000b"}`
	if res, bad := call(t, x, "echo", args); res.Text != args || bad != "" || res.Failed || !res.Wrote {
		t.Errorf("echo gives %+v, %s", res, bad)
	}
	if _, bad := call(t, x, "echo", `["no object"]`); bad != "arguments: the arguments are no JSON object" {
		t.Errorf("a list: %q", bad)
	}
	if res, bad := call(t, x, "write.file", `{}`); res.Text != "<nil>" {
		t.Errorf("write: %+v, %s", res, bad)
	}
	if c, err := sb.FS().Read(t.Context(), "made", 0, 10); err != nil || string(c.Data) != "x" {
		t.Errorf("the file: %q, %v", c.Data, err)
	}
	pictures := "look:\n[image, image/png, 5 bytes: not shown]\n[resource file:///a]\nof a\n" +
		"[resource file:///b, x/y, 4 bytes: not shown]\n[resource file:///c: c the third]"
	if res, _ := call(t, x, "pictures", `{}`); res.Text != pictures {
		t.Errorf("pictures:\n%s", res.Text)
	}
	if res, _ := call(t, x, "wrong", `{}`); res.Text != "it went wrong" || !res.Failed {
		t.Errorf("wrong: %+v", res)
	}
	if res, _ := call(t, x, "long", `{}`); len(res.Text) > 70_000 || res.Cut < 400_000 {
		t.Errorf("long: %d bytes, %d cut", len(res.Text), res.Cut)
	}
	var wg sync.WaitGroup // calls at once find their own answers
	for i := range 20 {
		wg.Go(func() {
			args := fmt.Sprintf(`{"n":%d}`, i)
			if res, bad := call(t, x, "echo", args); res.Text != args {
				t.Errorf("at once: %q, %s", res.Text, bad)
			}
		})
	}
	wg.Wait()
}

// TestServerFaults: a server that ends or hangs is the tool's error, and comes
// back once, unless it has answered before.
func TestServerFaults(t *testing.T) {
	sb := world(t)
	check := func(x *Session, tool, want string) {
		t.Helper()
		if res, bad := call(t, x, tool, `{"n":1}`); !strings.Contains(res.Text+bad, want) {
			t.Errorf("%s gives %q %q, want %q", tool, tools.Clip(res.Text, 200), bad, want)
		}
	}
	x := open(t, sb, local("good"), time.Minute)
	check(x, "die",
		`tool: the MCP server "test" ended before it answered: the server ended with exit status 3, and wrote: last words`)
	check(x, "echo", `{"n":1}`) // started again
	check(x, "die", "ended before it answered")
	check(x, "echo", "is gone and its tools can't be used any more")

	x = open(t, sb, local("good"), 300*time.Millisecond)
	check(x, "hang", `tool: no answer from the MCP server "test" within 300ms; it was ended`)
	x = open(t, sb, local("good"), time.Minute)
	check(x, "flood", "it wrote a message of more than 8 MiB")

	x = open(t, sb, local("once"), time.Minute)
	check(x, "echo", `{"n":1}`)
	check(x, "die", "ended before it answered")
	check(x, "echo", "is gone and its tools can't be used any more")
	if c, err := sb.FS().Read(t.Context(), "starts", 0, 10); err != nil || string(c.Data) != "xx" {
		t.Errorf("it was started %q times (%v): the probe, and once", c.Data, err)
	}

	// The program is killed from outside between two calls.
	x = open(t, sb, local("good"), time.Minute)
	if r, err := sb.Exec(t.Context(),
		sandbox.Cmd{Script: `for p in /proc/[0-9]*; do tr '\0' ' ' 2>/dev/null <$p/cmdline | grep -q '^` + inside +
			`' && kill -9 ${p#/proc/}; done; true`}); err != nil || !r.OK() {
		t.Fatalf("killing it: %+v, %v", r, err)
	}
	check(x, "die", "ended before it answered") // the call that finds it gone, or the one after the restart
	x.Close()
	check(x, "echo", "the trial is over")
}

// TestServersThatDoNotStart say why.
func TestServersThatDoNotStart(t *testing.T) {
	sb := world(t)
	check := func(s Server, want string) {
		t.Helper()
		_, err := Probe(t.Context(), sb, s)
		var start *StartError
		if !errors.As(err, &start) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
	check(local("dies"), `starting the MCP server "test": `)
	check(local("dies"), `no \x1b[1mlicence`)
	check(local("empty"), "it offers no tool")
	check(Server{Name: "test", Command: "no-such-server"}, "not found")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Probe(ctx, sb, local("silent")); err == nil {
		t.Error("a silent server has tools")
	}
	if _, err := Probe(t.Context(), sb, local("noise")); err != nil {
		t.Errorf("noise before the protocol: %v", err)
	}
}

// TestServerChanges: whoever offers something else than when the run began
// voids the trial.
func TestServerChanges(t *testing.T) {
	sb := world(t)
	l, err := Probe(t.Context(), sb, local("other"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), sb, local("other"), l, time.Minute)
	var changed *ChangedError
	if !errors.As(err, &changed) || !strings.Contains(err.Error(), "wrong is missing") {
		t.Errorf("at the start: %v", err)
	}
	x := open(t, sb, local("good"), time.Minute)
	call(t, x, "grow", `{}`)
	for n := 0; n < 10_000 && err == nil || n == 0; n++ { // the server says so in its own time
		_, err = x.Tools()[1].Call(t.Context(), sb, json.RawMessage(`{"n":1}`))
	}
	if !errors.As(err, &changed) || !strings.Contains(err.Error(), "grown is new") {
		t.Errorf("in the middle: %v", err)
	}
}

// TestServerMayNotAsk: sampling, roots and elicitation are refused.
func TestServerMayNotAsk(t *testing.T) {
	x := open(t, world(t), local("asks"), time.Minute)
	if res, bad := call(t, x, "heard", `{}`); res.Text != "refused refused refused refused" {
		t.Errorf("it heard %q %s", res.Text, bad)
	}
}

// TestSandboxGone: what the sandbox does is not the tool's error.
func TestSandboxGone(t *testing.T) {
	sb := world(t)
	x := open(t, sb, local("good"), time.Minute)
	if err := sb.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := x.Tools()[1].Call(t.Context(), sb, json.RawMessage(`{"n":1}`))
	if !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

// TestHTTP: a server that is asked from the host.
func TestHTTP(t *testing.T) {
	h := httptest.NewServer(server.NewStreamableHTTPServer(offers()))
	defer h.Close()
	s, err := ParseServer("web", h.URL+"/mcp")
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, nil, s, time.Minute)
	if res, bad := call(t, x, "echo", `{"n":9007199254740993}`); res.Text != `{"n":9007199254740993}` {
		t.Errorf("echo: %q %s", res.Text, bad)
	}
	if _, bad := call(t, x, "flood", `{}`); !strings.HasPrefix(bad, "tool: ") {
		t.Errorf("flood: %q", bad)
	}
	away := httptest.NewServer(http.RedirectHandler(h.URL+"/mcp", http.StatusTemporaryRedirect))
	defer away.Close()
	if _, err := Probe(t.Context(), nil, Server{Name: "web", URL: away.URL}); err == nil {
		t.Error("a redirect is followed")
	}
	h.CloseClientConnections()
	h.Close()
	if _, bad := call(t, x, "echo", `{"n":1}`); !strings.HasPrefix(bad, "tool: the server could not be reached: ") {
		t.Errorf("gone: %q", bad)
	}
	if _, err := Probe(t.Context(), nil, s); err == nil || !strings.HasPrefix(err.Error(),
		`starting the MCP server "web": the server could not be reached: dial tcp `) {
		t.Errorf("gone: %v", err)
	}
}

func TestParseServer(t *testing.T) {
	check := func(name, entry, want string) {
		t.Helper()
		s, err := ParseServer(name, entry)
		got := fmt.Sprintf("%s|%s|%s", s.Name, s.Command, s.URL)
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != want {
			t.Errorf("%q %q: %q, want %q", name, entry, got, want)
		}
	}
	check("fs", `npx server "a b"`, `fs|npx server "a b"|`)
	check("web", "https://x.example/mcp", "web||https://x.example/mcp")
	check("web", "http://127.0.0.1:1/mcp", "web||http://127.0.0.1:1/mcp")
	check("run", "fetch https://x.example", "run|fetch https://x.example|")
	check("web", "ftp://x.example", `the MCP server "web" has an address of the scheme "ftp", want https or http`)
	check("web", "https://u:p@x.example/",
		`the MCP server "web" has an address that can't be used; it holds a host, and no password`)
	check("a b", "x", `"a b" is no name of an MCP server`)
	check("a", " ", `the MCP server "a" has no command`)
}

// TestWireNames: every name is one that providers take, and no two are alike.
func TestWireNames(t *testing.T) {
	seen := map[string]string{}
	for _, n := range [][2]string{{"a", "b"}, {"a", "b.c"}, {"a", "b_c"}, {"a", "b-c"}, {"a", "b c"}, {"a", "ü"},
		{"a", "ö"},
		{"a", strings.Repeat("x", 80)}, {"a", strings.Repeat("x", 81)}, {strings.Repeat("s", 70), "t"},
		{strings.Repeat("s", 70), "u"}} {
		w := wireName(n[0], n[1])
		if len(w) > maxName || unsafeChars.MatchString(w) {
			t.Errorf("%q is %q", n, w)
		}
		if other, dup := seen[w]; dup {
			t.Errorf("%q and %q are both %q", n, other, w)
		}
		seen[w] = n[1]
	}
	if w := wireName("files", "read_file"); w != "files__read_file" {
		t.Errorf("a plain name is %q", w)
	}
}

// FuzzSchema: whatever a server calls a schema, it is refused or one of an
// object, and stays the same when it is written again.
func FuzzSchema(f *testing.F) {
	f.Add(precise)
	f.Add(`{"type":"object"} trailing`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		out, err := schema(json.RawMessage(text))
		if err != nil {
			return
		}
		again, err := schema(out)
		if err != nil || string(again) != string(out) {
			t.Errorf("%q: %q, then %q, %v", text, out, again, err)
		}
	})
}
