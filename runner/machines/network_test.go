package machines_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/runner/runnertest"
	"cookoff/sandbox/gate"
	"cookoff/trial"
)

// internet makes every public name lead to a server of the test.
func internet(t *testing.T) gate.Net {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		fmt.Fprintf(w, "%s%s", r.Host, r.URL.Path)
	}))
	t.Cleanup(s.Close)
	return gate.Net{
		Own: func() []netip.Addr { return nil },
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			if host == "inner.example" {
				return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", s.Listener.Addr().String())
		},
	}
}

// TestAllowedHosts is a trial with a way out to some hosts: for what runs in
// its sandbox, and for web_fetch; every attempt is in the journal.
func TestAllowedHosts(t *testing.T) {
	get := func(url string) string {
		host := strings.TrimPrefix(url, "http://")
		return fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: "+
			"close\\r\\n\\r\\n' >&3; cat <&3", url, host)
	}
	bash := func(id, command string) *model.Reply {
		args, _ := json.Marshal(map[string]string{"command": command})
		return runnertest.Call(id, "bash", string(args))
	}
	c := &runnertest.Chat{Steps: []any{
		bash("1", get("http://pkgs.example")+"; "+get("http://evil.example")+"; "+get("http://inner.example")),
		runnertest.Call("2", "web_fetch", `{"url":"http://docs.pkgs.example/page"}`),
		runnertest.Call("3", "web_fetch", `{"url":"http://evil.example/"}`),
		bash("4",
			"python3 -m http.server 8765 >/dev/null 2>&1 & until (exec 3<>/dev/tcp/127.0.0.1/8765) 2>/dev/null; do "+
				"sleep 0.05; done; echo hello > hello.txt; touch done"),
		runnertest.Call("5", "web_fetch", `{"url":"http://localhost:8765/hello.txt"}`),
		runnertest.Say("done"),
	}}
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	b.Env.Net, b.Env.Allow = internet(t), []string{"hosts"}
	out := b.One(fmt.Sprintf(runnertest.MendRecipe,
		"## Sandbox\nnetwork: allow\nallow_hosts: pkgs.example, \"*.pkgs.example\", inner.example\n"+
			"allow_local_fetch: true\n"))
	if out.Status != trial.Pass {
		t.Fatalf("%s %s: %s", out.Status, out.Cause, out.Detail)
	}
	if sys := c.Seen[0].Messages[0].Content; !strings.Contains(sys,
		"these hosts can be reached, through the proxy that HTTPS_PROXY and HTTP_PROXY name: pkgs.example, "+
			"*.pkgs.example, inner.example.") {
		t.Errorf("the model is told: %s", sys)
	}
	var notes, results []string
	for _, e := range b.Log.Events {
		switch {
		case e.Kind == trial.Note && e.Note.Kind == "network":
			notes = append(notes, strings.Split(e.Note.Text, "\n")...)
		case e.Kind == trial.ToolReturned:
			results = append(results, e.Returned.Text)
		}
	}
	want := []string{
		"reached pkgs.example:80 at 93.184.216.34", `refused "evil.example:80": it is not among the allowed hosts`,
		`refused "inner.example:80": its address 10.0.0.1 is of a private network`,
		"reached docs.pkgs.example:80 at 93.184.216.34", `refused "evil.example:80": it is not among the allowed hosts`,
	}
	if strings.Join(notes, "\n") != strings.Join(want, "\n") {
		t.Errorf("noted:\n%s\nwant:\n%s", strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
	for i, want := range []string{"pkgs.example/", "docs.pkgs.example/page", "not among the allowed hosts", "",
		"[status 200, text/plain]\nhello"} {
		if !strings.Contains(results[i], want) {
			t.Errorf("result %d is %q, want %q in it", i+1, results[i], want)
		}
	}
	if strings.Count(results[0], "403 Forbidden") != 2 {
		t.Errorf("two of three were to be refused: %s", results[0])
	}
}

// TestNetworkRefused is what a recipe can't have without the user's word, or
// at all.
func TestNetworkRefused(t *testing.T) {
	check := func(sections, want string, allow ...string) {
		t.Helper()
		b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{}})
		b.Env.Allow = allow
		rec, err := recipe.ParseContent([]byte(fmt.Sprintf(runnertest.MendRecipe, sections)))
		if err != nil {
			t.Fatal(err)
		}
		rr, err := rec.BuildRunner()
		if err != nil {
			t.Fatal(err)
		}
		_, err = runner.New(rr, b.Env)
		if got := fmt.Sprint(err); !strings.Contains(got, want) {
			t.Errorf("%s gave %s, want %s", sections, got, want)
		}
	}
	const hosts = "## Sandbox\nnetwork: allow\nallow_hosts: "
	check(hosts+"a.example\n", "network: allow needs your permission")
	check(hosts+"a.example\n", "<nil>", "hosts")
	check(hosts+"a.example\n", "<nil>", "network")
	check(hosts+"127.0.0.1\n", `"127.0.0.1" can't be allowed: it is an address`, "hosts")
	check(hosts+"https://a.example\n", "write it without scheme, port and path", "hosts")
	check(hosts+"localhost\n", "it is a name of a local network", "hosts")
	check("## Tools\n- bash\n- web_fetch\n", "web_fetch has nothing to reach: the sandbox has no network")
	check("## Tools\n- bash\n- web_fetch\n\n## Sandbox\nallow_local_fetch: true\n", "<nil>")
	for text, offered := range map[string]bool{"": false, "## Sandbox\nallow_local_fetch: true\n": true} {
		b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{}})
		r := b.Runner(fmt.Sprintf(runnertest.MendRecipe, text))
		set := r.TaskOf["Write the file"].Offer(r.Recipe).Set(nil, 0)
		if _, has := set.Tools["web_fetch"]; has != offered {
			t.Errorf("%q: web_fetch offered: %v", text, has)
		}
	}
}

// TestTextOfHooksIsSafe: what a hook's command writes moves no cursor, neither
// in the journal nor at a model.
func TestTextOfHooksIsSafe(t *testing.T) {
	c := &runnertest.Chat{Steps: []any{runnertest.Call("1", "bash", `{"command":"true"}`), runnertest.Say("done")}}
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	b.One(fmt.Sprintf(runnertest.MendRecipe,
		"## Hooks\n### h\nevent: pre_tool_use\ncommand: printf '\\033]0;x\\007\\233\\rx' >&2; exit 2\n\n"))
	const want = `\x1b]0;x\x07\x9b\rx`
	for _, e := range b.Log.Events {
		if e.Kind == trial.HookDecided && e.Hook.Reason != want {
			t.Errorf("the journal has %q", e.Hook.Reason)
		}
	}
	told := c.Seen[1].Messages[len(c.Seen[1].Messages)-1].Content
	if !strings.Contains(told, want) {
		t.Errorf("the model is told %q", told)
	}
}
