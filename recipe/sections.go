package recipe

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

func (p *parsing) models(s *dialect.Section) {
	found := len(p.Problems)
	items := p.Items(s.Nodes)
	if len(items) == 0 && len(p.Problems) == found {
		p.noModels = s
	}
	for _, item := range items {
		v, ok := p.Contestant(p.Unquote(item))
		if !ok {
			continue
		}
		id := v.Plain()
		if first, dup := p.Again("model", v); dup {
			p.Problem(v.Off, "repeats are set by \"## Comparison\" trials:",
				"model %q is listed twice: first at line %d", id, p.Pos(first).Line).Kind = problem.Twice
			continue
		}
		p.Listed("models", len(p.r.Models), v.Off)
		p.r.Models = append(p.r.Models, id)
	}
}

// tools reads "- name", "- name: guidance", "- name(a, b)".
func (p *parsing) tools(s *dialect.Section) {
	t := &ToolsConfig{Allowlist: []string{}}
	p.r.Tools = t
	for _, item := range p.Items(s.Nodes) {
		toolReader{p.Reader}.tool(t, item)
	}
}

// toolReader reads the items of the section Tools.
type toolReader struct{ *dialect.Reader }

func (p toolReader) tool(t *ToolsConfig, item source.Span) {
	n := strings.IndexAny(item.Text, "(: \t\n")
	if n < 0 {
		n = len(item.Text)
	}
	name, rest := item.Slice(0, n).Trim(), item.From(n).Trim()
	tool := name.Plain()
	if tool == "" {
		p.Problem(item.Off, "", "expected a tool name, found %q",
			source.FirstLine(item.Plain(), 40)).Kind = problem.Unexpected
		return
	}
	var args []source.Span
	called := strings.HasPrefix(rest.Text, "(")
	if called {
		end := closeParen(rest.Text)
		if end < 0 {
			p.Problem(rest.Off, "", "%s(: the bracket is never closed", tool).Kind = problem.Unreadable
			return
		}
		args, rest = p.args(rest.Slice(1, end), tool), rest.From(end+1).Trim()
		if len(args) == 0 {
			return
		}
	}
	guided := strings.HasPrefix(rest.Text, ":")
	if !guided && rest.Text != "" {
		p.Problem(rest.Off, "write \"- name\", \"- name: guidance\" or \"- bash(go test, go build)\"",
			"unexpected %q behind the tool %q", source.FirstLine(rest.Plain(), 40), tool)
		return
	}
	switch {
	case tool == "repair":
		p.offered(&t.Repairs, name, args, guided)
		return
	case tool == "probe":
		p.offered(&t.Probes, name, args, guided)
		return
	case called && tool != "bash":
		p.Problem(name.Off, "", "tool %q takes no arguments: only bash(…), repair(…) and probe(…) do", tool)
		return
	}
	if _, dup := p.Again("tool", name); dup {
		p.Problem(name.Off, "", "tool %q is listed twice", tool).Kind = problem.Twice
		return
	}
	p.Listed("tools.allowlist", len(t.Allowlist), name.Off)
	t.Allowlist = append(t.Allowlist, tool)
	for i, a := range args {
		p.Listed("tools.bash_prefixes", i, a.Off)
		t.BashPrefixes = append(t.BashPrefixes, strings.Join(strings.Fields(a.Plain()), " "))
	}
	if guided {
		if t.Guidance == nil {
			t.Guidance = map[string]string{}
		}
		text := rest.From(1).Trim()
		p.Origin("tools.guidance."+tool, text.Off)
		t.Guidance[tool] = p.Unquote(text).Plain()
	}
}

// args reads what stands in a tool's brackets; none is never "everything".
func (p toolReader) args(in source.Span, tool string) (args []source.Span) {
	for _, a := range dialect.Split(in) {
		if a = p.Unquote(a); a.Empty() {
			hint := fmt.Sprintf("name what is allowed, as in %s(%s), or write \"- %s\" for no limit", tool,
				"go test, go build", tool)
			if tool == "repair" || tool == "probe" {
				hint = fmt.Sprintf("write %[1]s(*) for every %[1]s", tool)
			}
			p.Problem(a.Off, hint, "%s(…) with nothing in it", tool)
			return nil
		}
		args = append(args, a)
	}
	return args
}

// offered reads the globs of repair(…) or probe(…).
func (p toolReader) offered(list *[]string, name source.Span, args []source.Span, guided bool) {
	kind := name.Plain()
	if guided {
		p.Problem(name.Off, "", "%[1]s(…) takes no guidance: a %[1]s describes itself", kind)
	}
	if args == nil {
		p.Problem(name.Off, fmt.Sprintf("write %[1]s(*) for every %[1]s", kind), "%s without globs", kind)
	}
	for _, a := range args {
		if _, dup := p.Again(kind, a); dup {
			p.Problem(a.Off, "", "%s glob %q is listed twice", kind, a.Plain()).Kind = problem.Twice
			continue
		}
		p.Glob(a)
		p.Listed("tools."+kind+"s", len(*list), a.Off)
		*list = append(*list, a.Plain())
	}
}

func closeParen(s string) int {
	depth := 0
	for i := 0; i < len(s); i = dialect.SkipQuoted(s, i) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (p *parsing) mcpServers(s *dialect.Section) {
	for _, item := range p.Items(s.Nodes) {
		n := len(dialect.KeyOf(item.Text))
		if n == 0 || item.From(n+1).Empty() {
			p.Problem(item.Off, "write \"- name: command arg\" or \"- name: https://…\"",
				"expected an MCP server, found %q",
				source.FirstLine(item.Plain(), 40)).Kind = problem.Unexpected
			continue
		}
		name := item.Slice(0, n)
		if _, dup := p.Again("MCP server", name); dup {
			p.Problem(name.Off, "", "MCP server %q is listed twice", name.Plain()).Kind = problem.Twice
			continue
		}
		cmd := p.Unquote(item.From(n + 1).Trim())
		p.Listed("mcp_servers", len(p.r.MCPServers), name.Off)
		p.r.MCPServers = append(p.r.MCPServers, MCPServerEntry{Name: name.Plain(), Command: cmd.Plain()})
	}
}

// settings reads a section that is one map.
func (p *parsing) settings(s *dialect.Section, keys []dialect.Key) {
	p.Mapping(dialect.SectionKey(s.Name), p.Entries(s.Nodes, ""), keys)
}

func (p *parsing) modelParams(s *dialect.Section) { p.settings(s, modelParamsKeys(&p.r.ModelParams)) }

func modelParamsKeys(m *ModelParamsConfig) []dialect.Key {
	return []dialect.Key{
		dialect.FloatPtrKey("temperature", &m.Temperature, dialect.Bounds{High: 2}),
		dialect.FloatPtrKey("top_p", &m.TopP, dialect.Bounds{High: 1}),
		dialect.IntPtrKey("max_tokens", &m.MaxTokens, 1),
		dialect.IntPtrKey("seed", &m.Seed, math.MinInt64),
		dialect.TextKey("reasoning_effort", &m.ReasoningEffort),
		dialect.BoolPtrKey("parallel_tool_calls", &m.ParallelToolCalls),
	}
}

func (p *parsing) constraints(s *dialect.Section) { p.settings(s, constraintsKeys(&p.r.Constraints)) }

func constraintsKeys(c *ConstraintsConfig) []dialect.Key {
	return []dialect.Key{
		dialect.IntKey("max_steps", &c.MaxSteps, 0),
		dialect.SomeDurationKey("timeout", &c.Timeout, "the time that a trial has by itself"),
		dialect.SomeDurationKey("bash_timeout", &c.BashTimeout, "the time that a command has by itself"),
		dialect.IntKey("max_tool_calls", &c.MaxToolCalls, 0),
		costKey("max_cost", &c.MaxCost),
		rootKey(&c.ProjectRoot),
		classesKey(&c.AllowClasses),
	}
}

// costKey reads a limit in USD. Nothing written stands for no limit, and 0 for neither that
// nor for its opposite.
func costKey(name string, to *float64) dialect.Key {
	inner := dialect.FloatKey(name, to, dialect.Bounds{High: math.Inf(1)})
	return dialect.Key{Name: name, Read: func(p *dialect.Reader, e dialect.Entry, origin source.Slot) {
		*to = -1
		inner.Read(p, e, origin)
		if *to == 0 {
			v := p.Scalar(e)
			p.Problem(v.Off, "leave it out for no limit", "%s: %q is not a number above 0", name, v.Plain())
		}
		*to = max(*to, 0)
	}, Show: inner.Show}
}

// rootKey reads a project root, which may not climb out of where the user stands.
func rootKey(to *string) dialect.Key {
	return dialect.Key{Name: "project_root", Read: func(p *dialect.Reader, e dialect.Entry, _ source.Slot) {
		v := p.Scalar(e)
		if root := v.Plain(); !filepath.IsLocal(filepath.FromSlash(root)) || root[0] == '~' {
			p.Problem(v.Off, "write a path below the working directory",
				"project_root %q lies outside the working directory", root)
		}
		*to = v.Plain()
	}, Show: dialect.ShowText(to)}
}

// classesKey reads the classes of repairs that trials may run.
func classesKey(to *[]string) dialect.Key {
	inner := dialect.ListKey("allow_classes", to)
	read := func(p *dialect.Reader, e dialect.Entry, origin source.Slot) {
		for _, v := range p.List(e) {
			switch v.Plain() {
			case "safe", "shared", "destructive":
			case "privileged":
				p.Problem(v.Off, "", "class \"privileged\" can't be allowed: such a repair is shown, never run")
			default:
				p.Unknown(v, "class", []string{"safe", "shared", "destructive"})
			}
		}
		inner.Read(p, e, origin)
	}
	return dialect.Key{Name: "allow_classes", Many: true, Read: read, Show: inner.Show}
}

func (p *parsing) context(s *dialect.Section) { p.settings(s, contextKeys(&p.r.Context)) }

func contextKeys(c *ContextConfig) []dialect.Key {
	return []dialect.Key{
		dialect.IntKey("max_history_turns", &c.MaxHistoryTurns, 0),
		dialect.EnumKey("strategy", &c.Strategy, "auto_compact", "manual", "off"),
		dialect.FloatKey("compact_threshold", &c.CompactThreshold, dialect.Bounds{High: 1, OpenLow: true}),
		dialect.EnumKey("task_mode", &c.TaskMode, "independent", "sequential"),
	}
}

func (p *parsing) subAgent(s *dialect.Section) { p.settings(s, subAgentKeys(&p.r.SubAgent)) }

func (p *parsing) sandbox(s *dialect.Section) {
	p.settings(s, sandboxKeys(&p.r.Sandbox))
	c := &p.r.Sandbox
	if len(c.AllowHosts) > 0 && c.Network != "allow" {
		p.Problems = append(p.Problems, problem.Problem{Pos: p.Noted("sandbox.allow_hosts"),
			Msg: "allow_hosts has no effect without network: allow"})
	}
	if c.Network == "allow" && len(c.AllowHosts) == 0 {
		p.Problems = append(p.Problems, problem.Problem{Pos: p.Noted("sandbox.network"),
			Msg: "network: allow without allow_hosts", Hint: "list the hosts in allow_hosts:, or write network: none"})
	}
}

func (p *parsing) comparison(s *dialect.Section) { p.settings(s, comparisonKeys(&p.r.Comparison)) }

func comparisonKeys(c *ComparisonConfig) []dialect.Key {
	return []dialect.Key{
		dialect.IntKey("trials", &c.Trials, 1),
		dialect.ContestantKey("baseline", &c.Baseline),
		dialect.FloatKey("confidence", &c.Confidence, dialect.Bounds{High: 1, OpenLow: true, OpenHigh: true}),
		dialect.IntKey("seed", &c.Seed, math.MinInt64),
		dialect.EnumKey("order", &c.Order, "interleaved"),
		dialect.TextKey("until_decided", &c.UntilDecided),
		dialect.FloatKey("alpha", &c.Alpha, dialect.Bounds{High: 0.5, OpenLow: true}),
		dialect.FloatKey("delta", &c.Delta, dialect.Bounds{High: 100, OpenHigh: true}),
	}
}

func (p *parsing) metadata(s *dialect.Section) { p.settings(s, metadataKeys(&p.r.Metadata)) }

func metadataKeys(m *MetadataConfig) []dialect.Key {
	return []dialect.Key{
		dialect.TextKey("name", &m.Name),
		dialect.TextKey("description", &m.Description),
		dialect.ListKey("tags", &m.Tags),
		dialect.TextKey("author", &m.Author),
		dialect.TextKey("version", &m.Version),
		dialect.ListKey("extends", &m.Extends),
		dialect.BoolKey("contribute", &m.Contribute),
		rootKey(&m.ProjectRoot),
	}
}

// together checks what only the whole file can show.
func (p *parsing) together() {
	r := p.r
	if s := p.noModels; s != nil && len(r.Contestants) == 0 {
		p.Problem(s.Off, "list provider/model ids, or take the section out", "section %q lists no model", s.Title)
	}
	if c, m := r.Constraints.ProjectRoot, r.Metadata.ProjectRoot; c != "" && m != "" && c != m {
		p.Problems = append(p.Problems, problem.Problem{Pos: p.Noted("metadata.project_root"),
			Msg: fmt.Sprintf("project_root is %q here and %q in Constraints", m, c), Hint: "keep one of them"})
	}
}

func subAgentKeys(c *SubAgentConfig) []dialect.Key {
	return []dialect.Key{
		dialect.ModelKey("model", &c.Model),
		dialect.IntKey("max_depth", &c.MaxDepth, -1),
		{Name: "tools", Many: true, Read: func(p *dialect.Reader, e dialect.Entry, origin source.Slot) {
			var names []string
			dialect.ListKey("tools", &names).Read(p, e, origin)
			if len(names) > 1 && slices.Contains(names, "inherit") {
				p.Problem(e.Val.Off, "", "tools: \"inherit\" stands alone or not at all")
			}
			c.Tools = strings.Join(names, ", ")
		}, Show: func() string { return c.Tools }},
	}
}

func sandboxKeys(c *SandboxConfig) []dialect.Key {
	return []dialect.Key{
		dialect.EnumKey("filesystem", &c.Filesystem, "unrestricted", "project_only", "read_only"),
		dialect.EnumKey("network", &c.Network, "none", "allow", "full"),
		dialect.ListKey("allow_hosts", &c.AllowHosts),
		dialect.BoolKey("allow_local_fetch", &c.AllowLocalFetch),
		dialect.EnumKey("backend", &c.Backend, "auto", "native", "bwrap", "container", "gvisor"),
		dialect.EnumKey("isolation", &c.Isolation, "strong"),
		dialect.TextKey("image", &c.Image),
		dialect.MountsKey(&c.Mounts),
		dialect.TextKey("root", &c.Root),
		dialect.EnumKey("user", &c.User, "root", "root+others"),
		dialect.SizeKey("memory", &c.Memory),
		dialect.IntKey("processes", &c.Processes, 0),
		dialect.SizeKey("disk", &c.Disk),
		dialect.SizeKey("file_size", &c.FileSize),
		dialect.EnvKey("env", &c.Env),
		dialect.TextKey("prepare", &c.Prepare),
		dialect.SomeDurationKey("prepare_timeout", &c.PrepareTimeout, "the ten minutes that it has by itself"),
		dialect.TextKey("warm", &c.Warm),
	}
}
