package recipe

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

func (p *parsing) models(s *section) {
	found := len(p.problems)
	items := p.items(s.nodes)
	if len(items) == 0 && len(p.problems) == found {
		p.noModels = s
	}
	for _, item := range items {
		v, ok := p.contestant(p.unquote(item))
		if !ok {
			continue
		}
		id := v.Plain()
		if first, dup := p.again("model", v); dup {
			p.problem(v.Off, "repeats are set by \"## Comparison\" trials:",
				"model %q is listed twice: first at line %d", id, p.Pos(first).Line).Kind = problem.Twice
			continue
		}
		p.listed("models", len(p.r.Models), v.Off)
		p.r.Models = append(p.r.Models, id)
	}
}

// tools reads "- name", "- name: guidance", "- name(a, b)".
func (p *parsing) tools(s *section) {
	t := &ToolsConfig{Allowlist: []string{}}
	p.r.Tools = t
	for _, item := range p.items(s.nodes) {
		toolReader{p.reader}.tool(t, item)
	}
}

// toolReader reads the items of the section Tools.
type toolReader struct{ *reader }

func (p toolReader) tool(t *ToolsConfig, item source.Span) {
	n := strings.IndexAny(item.Text, "(: \t\n")
	if n < 0 {
		n = len(item.Text)
	}
	name, rest := item.Slice(0, n).Trim(), item.From(n).Trim()
	tool := name.Plain()
	if tool == "" {
		p.problem(item.Off, "", "expected a tool name, found %q", source.FirstLine(item.Plain(), 40)).Kind = problem.Unexpected
		return
	}
	var args []source.Span
	called := strings.HasPrefix(rest.Text, "(")
	if called {
		end := closeParen(rest.Text)
		if end < 0 {
			p.problem(rest.Off, "", "%s(: the bracket is never closed", tool).Kind = problem.Unreadable
			return
		}
		args, rest = p.args(rest.Slice(1, end), tool), rest.From(end+1).Trim()
		if len(args) == 0 {
			return
		}
	}
	guided := strings.HasPrefix(rest.Text, ":")
	if !guided && rest.Text != "" {
		p.problem(rest.Off, "write \"- name\", \"- name: guidance\" or \"- bash(go test, go build)\"",
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
		p.problem(name.Off, "", "tool %q takes no arguments: only bash(…), repair(…) and probe(…) do", tool)
		return
	}
	if _, dup := p.again("tool", name); dup {
		p.problem(name.Off, "", "tool %q is listed twice", tool).Kind = problem.Twice
		return
	}
	p.listed("tools.allowlist", len(t.Allowlist), name.Off)
	t.Allowlist = append(t.Allowlist, tool)
	for i, a := range args {
		p.listed("tools.bash_prefixes", i, a.Off)
		t.BashPrefixes = append(t.BashPrefixes, strings.Join(strings.Fields(a.Plain()), " "))
	}
	if guided {
		if t.Guidance == nil {
			t.Guidance = map[string]string{}
		}
		text := rest.From(1).Trim()
		p.origin("tools.guidance."+tool, text.Off)
		t.Guidance[tool] = p.unquote(text).Plain()
	}
}

// args reads what stands in a tool's brackets; none is never "everything".
func (p toolReader) args(in source.Span, tool string) (args []source.Span) {
	for _, a := range split(in) {
		if a = p.unquote(a); a.Empty() {
			hint := fmt.Sprintf("name what is allowed, as in %s(%s), or write \"- %s\" for no limit", tool,
				"go test, go build", tool)
			if tool == "repair" || tool == "probe" {
				hint = fmt.Sprintf("write %[1]s(*) for every %[1]s", tool)
			}
			p.problem(a.Off, hint, "%s(…) with nothing in it", tool)
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
		p.problem(name.Off, "", "%[1]s(…) takes no guidance: a %[1]s describes itself", kind)
	}
	if args == nil {
		p.problem(name.Off, fmt.Sprintf("write %[1]s(*) for every %[1]s", kind), "%s without globs", kind)
	}
	for _, a := range args {
		if _, dup := p.again(kind, a); dup {
			p.problem(a.Off, "", "%s glob %q is listed twice", kind, a.Plain()).Kind = problem.Twice
			continue
		}
		p.glob(a)
		p.listed("tools."+kind+"s", len(*list), a.Off)
		*list = append(*list, a.Plain())
	}
}

func closeParen(s string) int {
	depth := 0
	for i := 0; i < len(s); i = skipQuoted(s, i) {
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

func (p *parsing) mcpServers(s *section) {
	for _, item := range p.items(s.nodes) {
		n := len(keyOf(item.Text))
		if n == 0 || item.From(n+1).Empty() {
			p.problem(item.Off, "write \"- name: command arg\" or \"- name: https://…\"",
				"expected an MCP server, found %q", source.FirstLine(item.Plain(), 40)).Kind = problem.Unexpected
			continue
		}
		name := item.Slice(0, n)
		if _, dup := p.again("MCP server", name); dup {
			p.problem(name.Off, "", "MCP server %q is listed twice", name.Plain()).Kind = problem.Twice
			continue
		}
		cmd := p.unquote(item.From(n + 1).Trim())
		p.listed("mcp_servers", len(p.r.MCPServers), name.Off)
		p.r.MCPServers = append(p.r.MCPServers, MCPServerEntry{Name: name.Plain(), Command: cmd.Plain()})
	}
}

// settings reads a section that is one map.
func (p *parsing) settings(s *section, keys []key) {
	p.mapping(sectionKey(s.name), p.entries(s.nodes, ""), keys)
}

func (p *parsing) modelParams(s *section) { p.settings(s, modelParamsKeys(&p.r.ModelParams)) }

func modelParamsKeys(m *ModelParamsConfig) []key {
	return []key{
		floatPtrKey("temperature", &m.Temperature, bounds{high: 2}),
		floatPtrKey("top_p", &m.TopP, bounds{high: 1}),
		intPtrKey("max_tokens", &m.MaxTokens, 1),
		intPtrKey("seed", &m.Seed, math.MinInt64),
		textKey("reasoning_effort", &m.ReasoningEffort),
		boolPtrKey("parallel_tool_calls", &m.ParallelToolCalls),
	}
}

func (p *parsing) constraints(s *section) { p.settings(s, constraintsKeys(&p.r.Constraints)) }

func constraintsKeys(c *ConstraintsConfig) []key {
	return []key{
		intKey("max_steps", &c.MaxSteps, 0),
		durationKey("timeout", &c.Timeout),
		durationKey("bash_timeout", &c.BashTimeout),
		intKey("max_tool_calls", &c.MaxToolCalls, 0),
		costKey("max_cost", &c.MaxCost),
		rootKey(&c.ProjectRoot),
		classesKey(&c.AllowClasses),
	}
}

// costKey reads a limit in USD. Nothing written stands for no limit, and 0 for neither that
// nor for its opposite.
func costKey(name string, to *float64) key {
	inner := floatKey(name, to, bounds{high: math.Inf(1)})
	return key{name, false, func(p *reader, e entry, origin source.Slot) {
		*to = -1
		inner.read(p, e, origin)
		if *to == 0 {
			v := p.scalar(e)
			p.problem(v.Off, "leave it out for no limit", "%s: %q is not a number above 0", name, v.Plain())
		}
		*to = max(*to, 0)
	}, inner.show}
}

// rootKey reads a project root, which may not climb out of where the user stands.
func rootKey(to *string) key {
	return key{"project_root", false, func(p *reader, e entry, _ source.Slot) {
		v := p.scalar(e)
		if root := v.Plain(); !filepath.IsLocal(filepath.FromSlash(root)) || root[0] == '~' {
			p.problem(v.Off, "write a path below the working directory",
				"project_root %q lies outside the working directory", root)
		}
		*to = v.Plain()
	}, showText(to)}
}

// classesKey reads the classes of repairs that trials may run.
func classesKey(to *[]string) key {
	inner := listKey("allow_classes", to)
	return key{"allow_classes", true, func(p *reader, e entry, origin source.Slot) {
		for _, v := range p.list(e) {
			switch v.Plain() {
			case "safe", "shared", "destructive":
			case "privileged":
				p.problem(v.Off, "", "class \"privileged\" can't be allowed: such a repair is shown, never run")
			default:
				p.unknown(v, "class", []string{"safe", "shared", "destructive"})
			}
		}
		inner.read(p, e, origin)
	}, inner.show}
}

func (p *parsing) context(s *section) { p.settings(s, contextKeys(&p.r.Context)) }

func contextKeys(c *ContextConfig) []key {
	return []key{
		intKey("max_history_turns", &c.MaxHistoryTurns, 0),
		enumKey("strategy", &c.Strategy, "auto_compact", "manual", "off"),
		floatKey("compact_threshold", &c.CompactThreshold, bounds{high: 1, openLow: true}),
		enumKey("task_mode", &c.TaskMode, "independent", "sequential"),
	}
}

func (p *parsing) subAgent(s *section) { p.settings(s, subAgentKeys(&p.r.SubAgent)) }

func (p *parsing) sandbox(s *section) {
	p.settings(s, sandboxKeys(&p.r.Sandbox))
	c := &p.r.Sandbox
	if len(c.AllowHosts) > 0 && c.Network != "allow" {
		p.problems = append(p.problems, problem.Problem{Pos: p.noted("sandbox.allow_hosts"),
			Msg: "allow_hosts has no effect without network: allow"})
	}
	if c.Network == "allow" && len(c.AllowHosts) == 0 {
		p.problems = append(p.problems, problem.Problem{Pos: p.noted("sandbox.network"),
			Msg: "network: allow without allow_hosts", Hint: "list the hosts in allow_hosts:, or write network: none"})
	}
}

func (p *parsing) comparison(s *section) { p.settings(s, comparisonKeys(&p.r.Comparison)) }

func comparisonKeys(c *ComparisonConfig) []key {
	return []key{
		intKey("trials", &c.Trials, 1),
		contestantKey("baseline", &c.Baseline),
		floatKey("confidence", &c.Confidence, bounds{high: 1, openLow: true, openHigh: true}),
		intKey("seed", &c.Seed, math.MinInt64),
		enumKey("order", &c.Order, "interleaved"),
		textKey("until_decided", &c.UntilDecided),
		floatKey("alpha", &c.Alpha, bounds{high: 0.5, openLow: true}),
		floatKey("delta", &c.Delta, bounds{high: 100, openHigh: true}),
	}
}

func (p *parsing) metadata(s *section) { p.settings(s, metadataKeys(&p.r.Metadata)) }

func metadataKeys(m *MetadataConfig) []key {
	return []key{
		textKey("name", &m.Name),
		textKey("description", &m.Description),
		listKey("tags", &m.Tags),
		textKey("author", &m.Author),
		textKey("version", &m.Version),
		listKey("extends", &m.Extends),
		boolKey("contribute", &m.Contribute),
		rootKey(&m.ProjectRoot),
	}
}

// together checks what only the whole file can show.
func (p *parsing) together() {
	r := p.r
	if s := p.noModels; s != nil && len(r.Contestants) == 0 {
		p.problem(s.off, "list provider/model ids, or take the section out", "section %q lists no model", s.title)
	}
	if c, m := r.Constraints.ProjectRoot, r.Metadata.ProjectRoot; c != "" && m != "" && c != m {
		p.problems = append(p.problems, problem.Problem{Pos: p.noted("metadata.project_root"),
			Msg: fmt.Sprintf("project_root is %q here and %q in Constraints", m, c), Hint: "keep one of them"})
	}
}

func subAgentKeys(c *SubAgentConfig) []key {
	return []key{
		modelKey("model", &c.Model),
		intKey("max_depth", &c.MaxDepth, -1),
		{"tools", true, func(p *reader, e entry, origin source.Slot) {
			var names []string
			listKey("tools", &names).read(p, e, origin)
			if len(names) > 1 && slices.Contains(names, "inherit") {
				p.problem(e.val.Off, "", "tools: \"inherit\" stands alone or not at all")
			}
			c.Tools = strings.Join(names, ", ")
		}, func() string { return c.Tools }},
	}
}

func sandboxKeys(c *SandboxConfig) []key {
	return []key{
		enumKey("filesystem", &c.Filesystem, "unrestricted", "project_only", "read_only"),
		enumKey("network", &c.Network, "none", "allow", "full"),
		listKey("allow_hosts", &c.AllowHosts),
		boolKey("allow_local_fetch", &c.AllowLocalFetch),
		enumKey("backend", &c.Backend, "auto", "native", "bwrap", "container", "gvisor"),
		enumKey("isolation", &c.Isolation, "strong"),
		textKey("image", &c.Image),
		mountsKey(&c.Mounts),
		textKey("root", &c.Root),
		enumKey("user", &c.User, "root"),
		sizeKey("memory", &c.Memory),
		intKey("processes", &c.Processes, 0),
		sizeKey("disk", &c.Disk),
		sizeKey("file_size", &c.FileSize),
		envKey("env", &c.Env),
		textKey("prepare", &c.Prepare),
		durationKey("prepare_timeout", &c.PrepareTimeout),
		textKey("warm", &c.Warm),
	}
}
