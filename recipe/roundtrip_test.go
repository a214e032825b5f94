package recipe

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cookoff/recipe/builtin"
	"cookoff/recipe/source"
)

// equal compares what two recipes say; an empty list is no list, but for
// those where it means "none".
func equal(a, b *Recipe) string {
	return cmp.Diff(a, b, cmpopts.IgnoreUnexported(Recipe{}), cmpopts.EquateEmpty())
}

// gen makes recipes of which every part is set sometimes, out of text that
// means something in Markdown, in maps, in quotes or in TOML.
type gen struct{ *rand.Rand }

func (g gen) maybe() bool { return g.IntN(2) == 0 }

func pick[T any](g gen, from ...T) T { return from[g.IntN(len(from))] }

var nasty = []string{
	"## Tools", "# Title", "### Block", "#", "##", "```", "````", "~~~", "```sh setup", "```text verbatim",
	"<!-- note -->", "<!--", "-->", "<pre>", "<div>",
	"- item", "* item", "1. one", "> quote", "    code", "\ttab", "a `code` b", "`", "``", "---", "===", "key: value",
	"protect: a", "timeout: 3m", "protct: x",
	"version: 1", "a # b", "# c", "\"quoted\"", "'single'", "\"", "'", "a, b", "{x,y}", "[z", "(", ")", "\\", "\\n",
	"\\u003c", "don't", "é ü 漢", "\u00a0", "&amp;", "<b>",
	"repair: x", "[a]: /b", "| a | b |", "[verify]", "x = 1", "{version}", "${A}", "$(b)", "a: b: c", ":", "none",
	"inherit", "\r", "\x7f", "\x1b[0m", "\u2028", "<?php", "<![CDATA[", "",
}

func (g gen) line() string {
	var parts []string
	for range 1 + g.IntN(3) {
		parts = append(parts, pick(g, append(nasty, "fix it", "Make", "x", "the end.")...))
	}
	return strings.Join(parts, pick(g, " ", "", "  "))
}

// text gives text of several lines that is not blank.
func (g gen) text() string {
	var lines []string
	for range 1 + g.IntN(5) {
		lines = append(lines, g.line())
	}
	s := strings.TrimRight(source.UnixLines(strings.Join(lines, "\n")), "\r")
	if g.IntN(3) > 0 {
		s = strings.Trim(s, " \t\r\n")
	}
	if source.Blank(s) {
		return "text"
	}
	return s
}

// value gives a text that is not empty at its ends' trimming, for globs free
// of what path.Match refuses.
func (g gen) value() string { return "v" + g.line() + pick(g, "", " ", "\n", "x") }
func (g gen) glob() string {
	return pick(g, "*", "a/**", "b*.go", "{c,d}/e", "f, g", "h # i", " j", "k: l", "'m'")
}
func (g gen) word() string { return pick(g, "alpha", "beta", "gamma", "a-b_c.d", "x9") }
func (g gen) dur() time.Duration {
	return pick(g, 0, time.Second, 90*time.Second, time.Hour, 25*time.Hour, 1500*time.Millisecond, 7)
}

func (g gen) list(one func() string) []string {
	var out []string
	for range g.IntN(4) {
		if s := one(); !slices.Contains(out, s) && strings.Trim(s, " \t\r\n") != "" {
			out = append(out, s)
		}
	}
	return out
}

func (g gen) texts() map[string]string {
	m := map[string]string{}
	for range g.IntN(3) {
		m[g.value()] = g.text()
	}
	return m
}

func (g gen) verify() (blocks []VerifyBlock) {
	for range g.IntN(3) {
		b := VerifyBlock{Mode: pick(g, "", "version"), Command: g.line(), Pattern: g.text(), Live: g.maybe(),
			Patterns: g.list(g.line)}
		if g.maybe() {
			b.ExitCode = new(g.IntN(3))
			b.Additional = []VerifyExtra{{Command: g.line(), ExitCode: new(0)}, {Pattern: g.line()}}
		}
		blocks = append(blocks, b)
	}
	if g.IntN(4) == 0 {
		blocks = append(blocks, VerifyBlock{})
	}
	return blocks
}

func (g gen) vars() (out []string) {
	for _, name := range []string{"A", "_b", "C9"}[:g.IntN(4)] {
		out = append(out, name+"="+strings.ReplaceAll(g.line(), "\n", ""))
	}
	return out
}

func (g gen) checks() (cs []Check) {
	for range g.IntN(3) {
		cs = append(cs, Check{Script: g.text(), Live: g.maybe(), Timeout: g.dur(),
			Env: pick(g, nil, []string{"CI=1", "B="})})
	}
	return cs
}

func (g gen) task(i int) Task {
	t := Task{Prompt: fmt.Sprintf("%s%d", g.text(), i)}
	switch g.IntN(4) {
	case 0:
		return Task{Repair: fmt.Sprintf("%s-%d", pick(g, "git-*", "*", "{a,b}"), i)}
	case 1:
		return t
	case 2:
		t.Prompt = fmt.Sprintf("Fix number %d.", i)
	}
	if g.maybe() {
		t.Title = fmt.Sprintf("%s%d", g.value(), i)
	}
	if g.maybe() {
		t.Setup, t.Before, t.Solution, t.Others = g.text(), g.text(), g.text(), g.list(g.text)
		t.Limits = ScriptLimits{g.dur(), g.dur(), g.dur()}
	}
	t.After, t.Guard, t.Verify = g.checks(), g.checks(), g.verify()
	t.MayChange, t.MayAdd = g.list(g.glob), g.list(g.glob)
	t.Protect, t.Path, t.Hidden, t.Tags = g.list(g.glob), g.list(g.value), g.list(g.glob), g.list(g.value)
	t.Needs, t.Shortcuts = g.list(g.value), g.list(g.text)
	t.Env, t.JudgeEnv = g.vars(), g.vars()
	t.Timeout, t.VerifyEnv, t.Date = g.dur(), pick(g, "", "agent"), pick(g, "", "2026-03-31")
	if g.maybe() {
		t.Services = []Service{{pick(g, "web", "db-1"), g.text(), g.text(), g.maybe(),
			time.Duration(1+g.IntN(90)) * time.Second, pick(g, nil, []string{"CI=1", "B="})}}
	}
	t.Judge = pick(g, "", "patch")
	if g.maybe() {
		t.Probe, t.Image, t.JudgeFiles, t.MaxSteps = g.value(), g.value(), g.value(), new(g.IntN(3))
		t.Tools = pick(g, nil, []string{}, []string{"bash", "read_file"})
		t.Project, t.Base, t.Prepare, t.Warm = pick(g, "", "sub/dir"), g.value(), g.value(), pick(g, "", "false",
			"go build ./...")
	}
	return t
}

func (g gen) criteria() (cs []Criterion) {
	for range g.IntN(6) {
		c := Criterion{Kind: pick(g, criterionKinds...)}
		switch c.Kind {
		case "files_written", "max_tool_calls":
			c.Limit = float64(g.IntN(5))
		case "max_cost", "max_latency":
			c.Limit = g.Float64() * 10
		case "file_exists", "protected":
			c.Text = "g" + g.glob()
		case "file_contains":
			c.Path, c.Text = g.value(), g.value()
		case "run":
			c.Text, c.Timeout = g.value(), g.dur()
		case "contains", "tool_used":
			c.Text = g.value()
		}
		cs = append(cs, c)
	}
	return cs
}

// named gives the name of a contestant.
func (g gen) named(end string) string {
	return strings.NewReplacer(",", "", "/", "", "\n", "", "\r", "").Replace(g.value()) + end
}

func (g gen) recipe() *Recipe {
	r := &Recipe{Version: 1, SubAgent: SubAgentConfig{MaxDepth: -1}, SectionsPresent: map[string]bool{}}
	if g.maybe() {
		r.Name = g.value()
	}
	set := func(section string, fill func()) {
		if g.maybe() {
			r.SectionsPresent[section] = true
			if g.IntN(5) > 0 || section == "models" || section == "contestants" {
				fill()
			} else if section == "tools" {
				r.Tools = &ToolsConfig{}
			}
		}
	}
	set("models", func() { r.Models = append(g.list(func() string { return g.word() + "/" + g.word() }), "p/q") })
	set("contestants", func() {
		r.Contestants = []ContestantConfig{
			{Name: g.named("1"), Model: "a/b", SystemPrompt: pick(g, nil, new(""), new(g.text())),
				Tools: pick(g, nil, []string{"none"}, []string{"bash(go test, ls)", "edit_file: one, two"}),
				MCP:   pick(g, nil, []string{"none"}, []string{"one", "two: run me, please"}),
				Files: pick(g, nil, []string{"AGENTS.md", "a b.md:~/c d.md"})},
			{Name: g.named("2"), Model: "c/d", Agent: pick(g, "", "codex"),
				AddTools: pick(g, nil, []string{"repair(*)"}), DropTools: pick(g, nil, []string{"bash", "x.*"}),
				Temperature: pick(g, nil, new(0.0)), TopP: pick(g, nil, new(0.5)), MaxTokens: pick(g, nil, new(1)),
				Seed: pick(g, nil, new(int64(0))), ReasoningEffort: pick(g, "", "low # x"),
				ParallelToolCalls: pick(g, nil, new(false))},
		}
	})
	set("system prompt", func() { r.SystemPrompt = g.text() })
	set("tools", func() {
		r.Tools = &ToolsConfig{Allowlist: []string{"bash", "read_file"}, Repairs: g.list(g.glob),
			Probes: g.list(g.glob)}
		if g.maybe() {
			r.Tools.BashPrefixes = []string{"go test", pick(g, "a, b", "c)", "d 'e'", "# f", "\"")}
			r.Tools.Guidance = map[string]string{"bash": pick(g, "", g.value()), "read_file": g.value()}
		}
	})
	set("tool descriptions", func() { r.ToolDescriptions = g.texts() })
	set("tool guidance", func() { r.ToolGuidance = g.text() })
	set("mcp servers", func() { r.MCPServers = []MCPServerEntry{{"one", g.value()}, {"two", "https://localhost/mcp"}} })
	set("model parameters", func() {
		r.ModelParams = ModelParamsConfig{Temperature: new(g.Float64()), TopP: pick(g, nil, new(0.0)),
			MaxTokens: pick(g, nil, new(1)), Seed: pick(g, nil, new(int64(-3))),
			ReasoningEffort: pick(g, "", "low"), ParallelToolCalls: pick(g, nil, new(false), new(true))}
	})
	set("constraints", func() {
		r.Constraints = ConstraintsConfig{g.IntN(3), g.dur(), g.dur(), g.IntN(3), g.Float64(),
			pick(g, "", "a b", "./x"), pick(g, nil, []string{"safe", "shared"})}
	})
	set("context", func() {
		r.Context = ContextConfig{g.IntN(3), pick(g, "", "manual", "off"), pick[float64](g, 0, 0.5, 1),
			pick(g, "", "sequential")}
	})
	set("context summarization prompt", func() { r.SummarizationPrompt = g.text() })
	set("sub-agent", func() {
		r.SubAgent = SubAgentConfig{pick(g, "", "a/b"), pick(g, -1, 0, 2), pick(g, "", "inherit", "bash, read_file")}
	})
	set("sub-agent modes", func() { r.SubAgentModes = g.texts() })
	set("sandbox", func() {
		r.Sandbox = SandboxConfig{pick(g, "", "read_only"), "allow", []string{"example.org", "*.example.com"},
			g.maybe(), pick(g, "", "native"), pick(g, "", "strong"),
			pick(g, "", "debian:12"), pick[int64](g, 0, 512<<20, 1000), g.IntN(3), 3 << 30, 1 << 10, g.vars(),
			pick(g, nil, []string{"/data", ".:/app"}), pick(g, "", "image.tar"), pick(g, "", "root"),
			g.value(), g.dur(), pick(g, "", "false", "make")}
	})
	set("system reminders", func() {
		r.SystemReminders = []SystemReminderConfig{{g.value() + "1", g.value(), g.text()},
			{"two", "context_usage > 0.75", g.text()}}
	})
	set("hooks", func() {
		r.Hooks = []HookConfig{{g.value() + "1", "pre_tool_use", pick(g, "", "*", g.value()), pick(g, "", "command"),
			g.value(), pick(g, "", "30s", "30"), g.maybe()}}
	})
	set("output processing", func() {
		r.OutputProcessing = map[string]OutputRuleConfig{"bash": {g.IntN(3), g.IntN(3), pick(g, "", "head_tail"),
			pick(g, "", "… {line_count} # lines")}}
	})
	set("model profiles", func() {
		r.ModelProfiles = map[string]ModelProfileConfig{"openai/*": {g.IntN(2), pick(g, "", "native"),
			pick(g, nil, new(false)), pick(g, nil, new(true))}}
	})
	set("tasks", func() {
		for i := range g.IntN(5) {
			r.Tasks = append(r.Tasks, g.task(i))
		}
	})
	set("success criteria", func() { r.SuccessCriteria = g.criteria() })
	set("verify", func() { r.Verify = g.verify() })
	set("comparison", func() {
		r.Comparison = ComparisonConfig{g.IntN(4), pick(g, "", "p/q"), pick[float64](g, 0, 0.9), int64(g.IntN(9)) - 4,
			pick(g, "", "interleaved"), pick(g, "", "best", "a/b vs c/d"), pick[float64](g, 0, 0.1),
			pick[float64](g, 0, 12.5)}
	})
	set("metadata", func() {
		r.Metadata = MetadataConfig{g.value(), g.value(), g.list(g.value), pick(g, "", g.value()),
			pick(g, "", "1.0 # x"), g.list(g.value), g.maybe(), r.Constraints.ProjectRoot}
	})
	return r
}

func TestWhatIsWrittenReadsBackTheSame(t *testing.T) {
	for seed := range uint64(500) {
		r := gen{rand.New(rand.NewPCG(seed, 7))}.recipe()
		text := r.MarshalMarkdown()
		back, err := ParseContent([]byte(text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if d := equal(r, back); d != "" {
			t.Fatalf("seed %d:\n%s\n%s", seed, d, text)
		}
		if again := back.MarshalMarkdown(); again != text {
			t.Fatalf("seed %d: written twice, it differs:\n%s", seed, cmp.Diff(text, again))
		}
		if r.Digest() != back.Digest() {
			t.Fatalf("seed %d: the digest differs behind a round trip", seed)
		}
	}
}

func TestBuiltinRecipesReadBackTheSame(t *testing.T) {
	for _, name := range builtin.Names() {
		r, err := Discover("builtin:" + name)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseContent([]byte(r.MarshalMarkdown()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := equal(r, back); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}
