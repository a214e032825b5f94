package machines_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/runner/runnertest"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/server"
)

// bashServer is an MCP server in bash, with the tools touch (makes a file),
// spot.less (says where it runs) and quit (ends it). In a world with a file
// called fickle it offers one tool less.
const bashServer = `
schema='{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}'
lister='{"name":"touch","description":"Makes a file","inputSchema":'"$schema"'}'
lister+=',{"name":"quit","inputSchema":{"type":"object"}}'
test -e fickle || lister+=',{"name":"spot.less","inputSchema":{"type":"object"}}'
while IFS= read -r line; do
  id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' <<<"$line")
  say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case $line in
  *'"method":"initialize"'*)
    say '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}';;
  *'"method":"tools/list"'*) say '{"tools":['"$lister"']}';;
  *'"name":"touch"'*)
    touch "$(sed -n 's/.*"arguments":{"name":"\([a-z]*\)".*/\1/p' <<<"$line")"
    say '{"content":[{"type":"text","text":"made"}]}';;
  *'"name":"spot.less"'*) say '{"content":[{"type":"text","text":"'"$PWD $1"'"}]}';;
  *'"name":"quit"'*) exit 5;;
  *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id";;
  esac
done
`

// serverRecipe has a project with the server in it.
func serverRecipe(t *testing.T, b *runnertest.Bench, more string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.Env.Dir, "server.sh"), []byte(bashServer), 0o644); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(runnertest.MendRecipe, "## MCP Servers\n- kit: bash server.sh \"two words\"\n\n"+more+"\n")
}

// TestServers: the tools of a server are a model's tools, named as the recipe
// says and as providers take them.
func TestServers(t *testing.T) {
	c := &runnertest.Chat{Steps: []any{runnertest.Call("1", "kit__spot_less_6b1475a5", `{}`),
		runnertest.Call("2", "kit__touch", `{"name":"done"}`),
		runnertest.Say("ok")}}
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	text := serverRecipe(t, b,
		"## Tools\n- kit.*\n- bash\n\n## Tool Descriptions\n### kit.touch\nLike touch.\n\n## Output Processing\n"+
			"### kit.touch\nmax_lines: 5\n\n## Success Criteria\n- tool_used: kit.touch\n")
	r := b.Runner(text)
	if err := r.RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if out := b.Log.Text(trial.TrialFinished); !strings.Contains(out, `"status":"pass"`) {
		t.Errorf("outcome: %s", out)
	}
	var names []string
	for _, s := range c.Seen[0].Tools {
		names = append(names, s.Name+": "+s.Description)
	}
	if d := cmp.Diff([]string{"kit__quit: ", "kit__spot_less_6b1475a5: ", "kit__touch: Like touch."},
		names[1:]); d != "" || !strings.HasPrefix(names[0], "bash: ") {
		t.Errorf("tools (-want +got):\n%s", d)
	}
	if got := b.Log.Text(trial.ToolReturned); !strings.Contains(got, "/work two words") {
		t.Errorf("results: %s", got)
	}
	if run := b.Log.Text(trial.RunStarted); !strings.Contains(run, `"mcp":{"kit":"`) {
		t.Errorf("run.started: %s", run)
	}
}

// TestServerOutcomes: what a server does wrong is the tool's error, unless it
// offers something else: that voids the trial.
func TestServerOutcomes(t *testing.T) {
	check := func(name, more string, steps []any, status trial.Status, cause trial.Cause, want string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{Steps: steps}})
			b.Env.Retries = 0
			r := b.Runner(serverRecipe(t, b, more))
			if err := r.RunAll(t.Context(), "r", b.Log, nil); err != nil {
				t.Fatal(err)
			}
			end := b.Log.Events[len(b.Log.Events)-2].Outcome
			text := b.Log.Text(trial.ToolReturned) + end.Detail
			if end.Status != status || end.Cause != cause || !strings.Contains(text, want) {
				t.Errorf("%s/%s, want %s/%s with %q:\n%s", end.Status, end.Cause, status, cause, want, text)
			}
		})
	}
	touch := runnertest.Call("1", "kit__touch", `{"name":"done"}`)
	quit := runnertest.Call("2", "kit__quit", `{}`)
	check("crash and back", "", []any{quit, touch, runnertest.Say("ok")}, trial.Pass, "", `exit status 5`)
	check("crash for good", "", []any{runnertest.Call("1", "kit__touch", `{"name":"x"}`), quit, touch,
		runnertest.Say("ok")}, trial.Fail,
		trial.CauseWrongFix, "can't be used any more")
	check("not offered", "## Tools\n- kit.touch\n", []any{quit, touch, runnertest.Say("ok")}, trial.Pass, "", "kit__quit")
	check("another list", "", []any{runnertest.Call("1", "bash", `{"command":"touch fickle"}`), quit, touch,
		runnertest.Say("ok")},
		trial.Void, trial.CauseStaging, "spot.less is missing")
}

// TestServersRefused: what is wrong with a server is said before a model is
// asked.
func TestServersRefused(t *testing.T) {
	c := &runnertest.Chat{Steps: []any{runnertest.Say("never asked")}}
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	check := func(sections, want string, allow ...string) {
		t.Helper()
		b.Env.Allow = allow
		rec, err := recipe.ParseContent([]byte(fmt.Sprintf(runnertest.MendRecipe, sections)))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(runner.Check(rec, b.Env).Errors())
		if want == "" && got != "[]" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s\ngives %s, want %q", sections, got, want)
		}
	}
	web := httptest.NewServer(server.NewStreamableHTTPServer(server.NewMCPServer("t", "1",
		server.WithToolCapabilities(true))))
	defer web.Close()
	check("## MCP Servers\n- web: "+web.URL+"\n", "needs your permission")
	check("## MCP Servers\n- web: "+web.URL+"\n", "", "host-mcp")
	check("## MCP Servers\n- web: "+web.URL+"\n", "", "network")
	check("## MCP Servers\n- web: gopher://x\n", "the scheme \"gopher\"")
	check("## MCP Servers\n- bash: x\n", "has the name of a tool")
	check("## Tools\n- kit.x\n", "no MCP server is called \"kit\"")
	check("## MCP Servers\n- kit: x\n\n## Tools\n- kitt.x\n", "unknown MCP server \"kitt\"")

	fails := func(server, tools, want string, allow ...string) {
		t.Helper()
		b.Env.Allow = allow
		err := b.Runner(strings.Replace(serverRecipe(t, b, tools), "bash server.sh \"two words\"", server,
			1)).RunAll(t.Context(), "r", b.Log, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", server, err, want)
		}
	}
	fails("no-such-server", "", `starting the MCP server "kit"`)
	fails("bash -c 'echo out of order >&2'", "", "out of order")
	fails("bash server.sh x", "## Tools\n- kit.tuch\n",
		`unknown tool "kit.tuch"; the server offers: kit.quit, kit.spot.less, kit.touch`)
	fails(web.URL, "", "offers no tool", "host-mcp")
	if len(c.Seen) != 0 || len(b.Log.Events) != 0 {
		t.Errorf("%d requests, %d events", len(c.Seen), len(b.Log.Events))
	}
}
