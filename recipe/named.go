package recipe

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cookoff/contestant"
	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"

	"github.com/yuin/goldmark/ast"
)

// NoneOf stands alone in a list that is to be empty.
const NoneOf = "none"

// ContestantConfig is a contestant with a name of its own: a model, or an agent and its
// model, and what differs from the recipe for this one only. What is not set is as the
// recipe has it.
type ContestantConfig struct {
	Name         string
	Model        string   // provider/model
	Agent        string   // program that works with the model; "": none
	SystemPrompt *string  // "": none
	Tools        []string // items as in Tools, and no others; "none" alone: no tool
	AddTools     []string // items as in Tools, beside the recipe's
	DropTools    []string // names, server.tool, server.*, repair(GLOB), probe(GLOB)
	MCP          []string `toml:"mcp"` // servers, by their names in MCP Servers, or "name: command"; "none" alone: none
	Files        []string // FILE or FILE:PLACE, beside the recipe and in its world

	Temperature       *float64
	TopP              *float64
	MaxTokens         *int
	Seed              *int64
	ReasoningEffort   string
	ParallelToolCalls *bool
}

// Behind is what stands behind the name, as Models would have it.
func (c *ContestantConfig) Behind() string { return contestant.Join(c.Agent, c.Model) }

// Params are the parameters that differ from the recipe's.
func (c *ContestantConfig) Params() ModelParamsConfig {
	return ModelParamsConfig{c.Temperature, c.TopP, c.MaxTokens, c.Seed, c.ReasoningEffort, c.ParallelToolCalls}
}

// FileAt splits an item of files: what lies beside the recipe, and where it is put in
// the world, relative to the project or below ~/.
func FileAt(item string) (from, at string) {
	if from, at, moved := strings.Cut(item, ":"); moved {
		return strings.TrimSpace(from), strings.TrimSpace(at)
	}
	return item, item
}

// Names are all contestants in table order: those of Models, then those of Contestants.
func (r *Recipe) Names() []string {
	names := slices.Clone(r.Models)
	for _, c := range r.Contestants {
		names = append(names, c.Name)
	}
	return names
}

// Named gives a contestant of Contestants; nil: no such name is there.
func (r *Recipe) Named(name string) *ContestantConfig {
	for i := range r.Contestants {
		if r.Contestants[i].Name == name {
			return &r.Contestants[i]
		}
	}
	return nil
}

// ContestantKey is the key of a contestant of Contestants, as At has it.
func (r *Recipe) ContestantKey(name string) string {
	return source.At("contestants", slices.IndexFunc(r.AllContestants(),
		func(c ContestantConfig) bool { return c.Name == name }))
}

// Behind gives what stands behind the name of a contestant, as Models would have it:
// the name itself where it is none of Contestants.
func (r *Recipe) Behind(name string) string {
	if c := r.Named(name); c != nil {
		return c.Behind()
	}
	return name
}

// AllContestants are those that the recipe has, also where others were chosen.
func (r *Recipe) AllContestants() []ContestantConfig {
	if r.unchosen != nil {
		return r.unchosen
	}
	return r.Contestants
}

// Choose gives a recipe that compares these alone, in this order: contestants by their
// names, all else as models.
func (r *Recipe) Choose(names []string) *Recipe {
	out := *r
	out.Models, out.Contestants, out.unchosen = nil, nil, r.AllContestants()
	for _, name := range names {
		i := slices.IndexFunc(out.unchosen, func(c ContestantConfig) bool { return c.Name == name })
		if i < 0 {
			if id := contestant.Canonical(name); !slices.Contains(out.Models, id) {
				out.Models = append(out.Models, id)
			}
		} else if out.Named(name) == nil {
			out.Contestants = append(out.Contestants, out.unchosen[i])
		}
	}
	if all := out.Names(); len(names) > 0 && !slices.Contains(all, out.Comparison.Baseline) {
		out.Comparison.Baseline = "" // the first of those asked for
		if first := names[0]; len(all) > 0 && first != all[0] && slices.Contains(all, first) {
			out.Comparison.Baseline = first
		}
	}
	return &out
}

// contestantReader reads the section Contestants.
type contestantReader struct {
	*dialect.Reader
	r *Recipe
}

func (p *parsing) contestants(s *dialect.Section) { contestantReader{p.Reader, p.r}.section(s) }

// section reads "### name", a map, and perhaps a system prompt.
func (p contestantReader) section(s *dialect.Section) {
	bs := p.Named(s, "name")
	if len(bs) == 0 {
		p.Problem(s.Off, "write \"### name\" and \"model: provider/model\" below it, or take the section out",
			"section %q has no contestant", s.Title)
	}
	for i, b := range bs {
		p.contestantBlock(source.At("contestants", i), b)
	}
}

func (p contestantReader) contestantBlock(at string, b dialect.SubBlock) {
	c := ContestantConfig{Name: b.Name.Plain()}
	who := halves{}
	p.Origin(at, b.Name.Off)
	es, rest := p.MapThenProse(b)
	p.Mapping(at, es, contestantKeys(&c, &who))
	if ok := p.whoIs(b, &c, who); ok && strings.ContainsAny(c.Name, ",\n") {
		p.Problem(b.Name.Off, "", "contestant %q: a comma parts names in --models, and can't be in one", c.Name)
	} else if ok && strings.Contains(c.Name, "/") && contestant.Canonical(c.Name) != c.Behind() {
		p.Problem(b.Name.Off, "",
			"contestant %q: only the id of its own model may have a slash in a name, and that is %q",
			c.Name, c.Behind())
	}
	p.keysWithin(rest, contestantKeys(&ContestantConfig{}, &halves{}))
	text := p.Prose(rest)
	switch {
	case text == "":
	case c.SystemPrompt != nil:
		p.Problem(rest.Start, "keep one of them", "contestant %q has a text below its keys and system_prompt: as well",
			c.Name)
	default:
		p.Origin(at+".system_prompt", p.firstOf(rest))
		c.SystemPrompt = &text
	}
	if len(c.Tools) > 0 && len(c.AddTools)+len(c.DropTools) > 0 {
		p.Problem(b.Name.Off, "tools: names all that it has; add_tools: and drop_tools: change the recipe's",
			"contestant %q has tools: and add_tools: or drop_tools: as well", c.Name)
	}
	p.r.Contestants = append(p.r.Contestants, c)
}

// firstOf is the offset of the first thing in a block.
func (p contestantReader) firstOf(b dialect.Block) int {
	for _, n := range b.Nodes {
		if !p.Inert(n) {
			return n.Pos()
		}
	}
	return b.Start
}

// keysWithin reports keys that are left within a text: they would be told to a model,
// and do nothing.
func (p contestantReader) keysWithin(b dialect.Block, keys []dialect.Key) {
	for _, n := range b.Nodes {
		if !source.IsKind[*ast.Paragraph](n) {
			continue
		}
		for i := range n.Lines().Len() {
			seg := n.Lines().At(i)
			line := p.Span(seg.Start, seg.Stop).Trim()
			if name := dialect.KeyOf(line.Text); name != "" && slices.Contains(dialect.KeyNames(keys), name) {
				p.Problem(line.Off, "keep all keys together, without empty lines between them; "+
					"or put the system prompt into a \"```"+dialect.Verbatim+"\" fence",
					"%q stands within the system prompt", source.FirstLine(line.Plain(), 60))
			}
		}
	}
}

// halves are what model: and agent: say of one contestant.
type halves struct{ model, agent source.Span }

// whoIs puts the model and the agent of a contestant together.
func (p contestantReader) whoIs(b dialect.SubBlock, c *ContestantConfig, who halves) bool {
	agent, model := who.agent.Plain(), who.model.Plain()
	of, inner := contestant.Split(agent)
	switch {
	case agent == "" && model == "":
		p.Problem(b.Name.Off, "write \"model: openai/gpt-5-mini\", or \"agent: opencode: openai/gpt-5-mini\"",
			"contestant %q has neither a model nor an agent", c.Name)
	case agent == "":
		v, ok := p.Contestant(who.model)
		c.Agent, c.Model = contestant.Split(v.Plain())
		return ok
	case of == "" && strings.Contains(agent, "/"):
		p.Problem(who.agent.Off, "write \"model: "+agent+"\", or \"agent: opencode: "+agent+"\"", "%q names no agent",
			agent)
	case of == "" && !contestant.IsAgentName(agent):
		p.Problem(who.agent.Off, "for example opencode", "%q can't name an agent", source.FirstLine(agent, 60))
	case of == "" && model == "":
		p.Problem(who.agent.Off, "write \"agent: "+agent+": openai/gpt-5-mini\"", "the agent %s has no model", agent)
	case of == "":
		if strings.Contains(strings.SplitN(model, "/", 2)[0], ":") {
			p.Problem(who.model.Off, "keep one of them", "contestant %q has two agents: %s, and the one in %q", c.Name,
				agent, model)
			return false
		}
		c.Agent, c.Model = agent, model
		return p.ModelID(who.model)
	case model != "":
		p.Problem(who.model.Off, "keep one of them", "contestant %q has a model and an agent with its own: %q and %q",
			c.Name, model, inner)
	default:
		v, ok := p.Contestant(who.agent)
		c.Agent, c.Model = contestant.Split(v.Plain())
		return ok
	}
	return false
}

// contestantKeys: the keys of a contestant. What model and agent say goes to who.
func contestantKeys(c *ContestantConfig, who *halves) []dialect.Key {
	half := func(name string, to *source.Span) dialect.Key {
		return dialect.Key{Name: name, Read: func(p *dialect.Reader, e dialect.Entry, _ source.Slot) { *to = p.Scalar(e) },
			Show: func() string { return dialect.QuoteUnless(to.Plain(), dialect.PlainValue(to.Plain())) }}
	}
	return []dialect.Key{
		half("model", &who.model),
		half("agent", &who.agent),
		promptKey(&c.SystemPrompt),
		itemsKey("tools", &c.Tools, toolItem),
		itemsKey("add_tools", &c.AddTools, toolItem),
		itemsKey("drop_tools", &c.DropTools, toolItem),
		itemsKey("mcp", &c.MCP, nil),
		itemsKey("files", &c.Files, givenFile),
		dialect.FloatPtrKey("temperature", &c.Temperature, dialect.Bounds{High: 2}),
		dialect.FloatPtrKey("top_p", &c.TopP, dialect.Bounds{High: 1}),
		dialect.IntPtrKey("max_tokens", &c.MaxTokens, 1),
		dialect.IntPtrKey("seed", &c.Seed, math.MinInt64),
		dialect.TextKey("reasoning_effort", &c.ReasoningEffort),
		dialect.BoolPtrKey("parallel_tool_calls", &c.ParallelToolCalls),
	}
}

// promptKey reads a system prompt in one line; none is an empty one.
func promptKey(to **string) dialect.Key {
	return dialect.Key{Name: "system_prompt", Read: func(p *dialect.Reader, e dialect.Entry, _ source.Slot) {
		text := p.Scalar(e).Plain()
		if text == NoneOf {
			text = ""
		}
		*to = &text
	}, Show: func() string {
		switch {
		case *to == nil:
			return ""
		case **to == "":
			return NoneOf
		}
		return dialect.QuoteUnless(**to, dialect.PlainValue(**to))
	}}
}

// itemsKey reads a list of items that have a grammar of their own; fits reports
// whether one is well-formed.
func itemsKey(name string, to *[]string, fits func(p *dialect.Reader, v source.Span) bool) dialect.Key {
	return dialect.Key{Name: name, Many: true, Read: func(p *dialect.Reader, e dialect.Entry, origin source.Slot) {
		vs := p.List(e)
		for _, v := range vs {
			switch {
			case slices.Contains(*to, v.Plain()):
				p.Problem(v.Off, "", "%q is listed twice", v.Plain()).Kind = problem.Twice
			case v.Plain() == NoneOf && len(vs) > 1:
				p.Problem(v.Off, "", "%s: %q stands alone or not at all", name, NoneOf)
			case v.Plain() == NoneOf && name != "tools" && name != "mcp":
				p.Problem(v.Off, "leave the line out", "%s: %q changes nothing", name, NoneOf)
			case v.Plain() == NoneOf || fits == nil || fits(p, v):
				p.Note(origin, len(*to), v.Off)
				*to = append(*to, v.Plain())
			}
		}
	}, Show: func() string {
		out := make([]string, len(*to))
		for i, s := range *to {
			one := len(dialect.Split(source.Span{Text: s})) == 1 && !strings.ContainsAny(s, `"'#`)
			out[i] = dialect.QuoteUnless(s, one && dialect.PlainValue(s))
		}
		return strings.Join(out, ", ")
	}}
}

// toolItem reads one item as the section Tools has it.
func toolItem(p *dialect.Reader, v source.Span) bool {
	own := p.Apart()
	toolReader{own}.tool(&ToolsConfig{}, v)
	p.Problems = append(p.Problems, own.Problems...)
	return len(own.Problems) == 0
}

// ToolItems reads items as the section Tools has them. The items are those of a
// contestant, and well-formed; "none" alone is no tool.
func ToolItems(items []string) *ToolsConfig {
	t := &ToolsConfig{Allowlist: []string{}}
	p := toolReader{dialect.NewReader(source.Line(""))}
	for _, item := range items {
		if item != NoneOf {
			p.tool(t, source.Span{Text: item})
		}
	}
	return t
}

// givenFile reports whether v is FILE or FILE:PLACE, both inside of where they belong.
func givenFile(p *dialect.Reader, v source.Span) bool {
	const hint = "write AGENTS.md for a file beside the recipe, " +
		"notes/short.md:AGENTS.md to have it at another place, or :~/PLACE below the home"
	from, at := FileAt(v.Plain())
	why := outside("what stands before the colon", from)
	at = strings.TrimPrefix(at, "~/")
	if why == "" {
		why = outside("the place", at)
	}
	if first, _, _ := strings.Cut(at, "/"); why == "" && first == ".git" {
		why = "the place is in the repository's own directory"
	}
	if why == "" {
		return true
	}
	p.Problem(v.Off, hint, "files: %q can't be given: %s", v.Plain(), why)
	return false
}

// outside says why a path is none below the directory that it is relative to.
func outside(what, path string) string {
	switch {
	case path == "" || path == "~":
		return what + " is empty"
	case strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") || strings.Contains(path, `\`):
		return what + " is no path below a directory"
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return what + fmt.Sprintf(" has %q in it", part)
		}
	}
	return ""
}

func (w *writing) contestants() {
	for i, c := range w.r.Contestants {
		w.heading(i, c.Name)
		who := halves{model: source.Span{Text: c.Model}, agent: source.Span{Text: c.Agent}}
		text := c.SystemPrompt
		if text != nil && *text != "" {
			c.SystemPrompt = nil
		}
		w.settings(contestantKeys(&c, &who), "")
		if text == nil || *text == "" {
			continue
		}
		w.line("")
		w.prose(*text, where{"\n## Contestants\n\n### a\n\nmodel: a/b\n\n", "### b\n\nmodel: a/b\n\nc\n",
			func(r *Recipe) string {
				if len(r.Contestants) != 2 || r.Contestants[0].SystemPrompt == nil {
					return ""
				}
				return *r.Contestants[0].SystemPrompt
			}})
	}
}

// contestants writes "### name", a map and a text.
func (f *formatting) contestants(s *dialect.Section) {
	f.mapsAndTexts(s, func() []dialect.Key { return contestantKeys(&ContestantConfig{}, &halves{}) })
}
