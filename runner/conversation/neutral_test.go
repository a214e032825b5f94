package conversation_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"cookoff/recipe"
	"cookoff/recipe/builtin"
	"cookoff/runner/runnertest"
	"cookoff/runner/v1"
	"cookoff/tools/repair"
)

const ownRepair = `id: greet
probe: none
fixes:
  - id: write
    class: safe
    label: Write the greeting
    command: echo hello > greeting
`

// TestWithoutToolsEveryToolIsOffered: all that the program has and the repairs
// of the recipe itself, and none of the demonstration's.
func TestWithoutToolsEveryToolIsOffered(t *testing.T) {
	offered := func(sections string, own bool) string {
		b, c := runnertest.Quick(t, runnertest.Say("done"))
		if own {
			lib, err := repair.Default()
			if err != nil {
				t.Fatal(err)
			}
			more, err := repair.Load(fstest.MapFS{"greet.yaml": {Data: []byte(ownRepair)}}, "repairs")
			if err == nil {
				err = lib.Add(more)
			}
			if err != nil {
				t.Fatal(err)
			}
			b.Env.Repairs = lib
		} else {
			b.Env.Repairs = nil // as a program that takes none
		}
		b.One(runnertest.Recipe(sections))
		return " " + names(c.Seen[0]) + " "
	}
	all := offered("", true)
	for _, name := range []string{"bash", "bash_job", "apply_patch", "repair_greet"} {
		if !strings.Contains(all, " "+name+" ") {
			t.Errorf("%s is not offered: %s", name, all)
		}
	}
	if n := strings.Count(all, "repair_"); n != 1 || strings.Contains(all, "web_fetch") {
		t.Errorf("without a network, and with one repair of its own, a recipe offers %s", all)
	}
	if got := offered("## Sandbox\nallow_local_fetch: true\n\n", false); !strings.Contains(got, " web_fetch ") ||
		strings.Contains(got, "repair_") {
		t.Errorf("with something to fetch from a recipe offers %s", got)
	}
	if got := offered("## Tools\n\n", true); strings.TrimSpace(got) != "" {
		t.Errorf("an empty section offers %s", got)
	}
}

// TestTheNetworkIsAsModelsAreTold holds the system message, the neutral prompt
// and those of the built-in recipes against what the sandbox reaches.
func TestTheNetworkIsAsModelsAreTold(t *testing.T) {
	prompts := []string{recipe.Defaults().SystemPrompt}
	for _, name := range builtin.Names() {
		r, err := recipe.Discover("builtin:" + name)
		if err != nil {
			t.Fatal(err)
		}
		prompts = append(prompts, r.SystemPrompt)
	}
	far := []recipe.MCPServerEntry{{Name: "far", Command: "https://example.com/mcp"}}
	near := []recipe.MCPServerEntry{{Name: "near", Command: "server --stdio"}}
	for _, c := range []struct {
		sandbox recipe.SandboxConfig
		servers []recipe.MCPServerEntry
		none    bool
		want    string
	}{
		{sandbox: recipe.SandboxConfig{}, none: true},
		{sandbox: recipe.SandboxConfig{Network: "none"}, servers: near, none: true},
		{sandbox: recipe.SandboxConfig{Network: "none", Filesystem: "unrestricted"}, none: true},
		{sandbox: recipe.SandboxConfig{Network: "none"}, servers: far, want: "what tools ask servers for"},
		{sandbox: recipe.SandboxConfig{Network: "none", AllowLocalFetch: true}, want: "only localhost"},
		{sandbox: recipe.SandboxConfig{Network: "full", Filesystem: "unrestricted"},
			want: "The network can be reached."},
		{sandbox: recipe.SandboxConfig{Network: "allow", AllowHosts: []string{"example.com"}, AllowLocalFetch: true},
			servers: far, want: "example.com"},
	} {
		for _, prompt := range prompts {
			r := &recipe.Recipe{SystemPrompt: prompt, Sandbox: c.sandbox, MCPServers: c.servers}
			for _, text := range []string{v1.System(r, nil), v1.SubSystem(r, nil, "")} {
				if strings.Contains(strings.ToLower(text), "no network") != c.none || !strings.Contains(text, c.want) {
					t.Errorf("%+v, servers %v: models are told %s", c.sandbox, c.servers, text)
				}
			}
		}
	}
}

// TestNoEnvironmentIsSpokenOfWhereNoneIsBroken: a task that stages nothing is
// work on a project.
func TestNoEnvironmentIsSpokenOfWhereNoneIsBroken(t *testing.T) {
	r := recipe.Defaults()
	r.Tasks = []recipe.Task{{Prompt: "Add a flag."}}
	if text := v1.System(r, nil); strings.Contains(text, "environment") || !strings.HasPrefix(text, v1.Project) {
		t.Errorf("models are told %s", text)
	}
	r.Tasks = append(r.Tasks, recipe.Task{Title: "a", Setup: "touch a"})
	if text := v1.System(r, nil); !strings.HasPrefix(text, v1.Mends) {
		t.Errorf("models are told %s", text)
	}
}
