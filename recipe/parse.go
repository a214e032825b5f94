package recipe

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/problem"
)

// Parse reads and parses the recipe at path, without resolving what it
// extends. See ParseContent for what the error holds.
func Parse(path string) (*Recipe, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a recipe: %w", err)
	}
	r, err := ParseNamed(path, content)
	r.readFrom(path, path)
	return r, err
}

// ParseContent parses a recipe that lies in no file: where it does, Parse also
// knows to keep that file from the models (see LocalFiles). All that is wrong with it is reported at once,
// as a problem.List sorted by position; the recipe is then what could be read of it,
// so that a caller may go on to check the names in it.
func ParseContent(content []byte) (*Recipe, error) {
	return ParseNamed("recipe.md", content)
}

// ParseNamed is ParseContent of what file holds.
func ParseNamed(file string, content []byte) (*Recipe, error) {
	r := &Recipe{SubAgent: SubAgentConfig{MaxDepth: -1}, SectionsPresent: map[string]bool{}}
	src, problems := newSource(file, content)
	if src.root == nil {
		return r, problems
	}
	p := &parsing{reader: newReader(src), r: r}
	p.problems = problems
	p.notes = make([]place, 0, min(len(src.lines)/2, 1<<16)) // about as many as there will be
	p.document()
	r.origins = map[string]*places{"name": src.places, "version": src.places}
	for name := range r.SectionsPresent {
		r.origins[sectionKey(name)] = src.places
	}
	if len(p.problems) > 0 {
		p.problems.Sort()
		return r, slices.Compact(p.problems) // a list may be read twice
	}
	return r, nil
}

// parsing is one recipe being read: its sections, one by one.
type parsing struct {
	*reader
	r        *Recipe
	noModels *section // Models, where it is there and empty
}

// section is one "## Name" and the blocks below it.
type section struct {
	name  string // lower case
	title string // as written
	off   int    // of the name
	block
}

// block is a run of sibling Markdown blocks and the text they cover.
type block struct {
	nodes      []ast.Node
	start, end int
}

// document splits the file into what stands before the first section and the
// sections, and reads each.
func (p *parsing) document() {
	var sections []*section
	head := block{end: len(p.text)}
	for n := p.root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		switch {
		case ok && h.Level == 2:
			name := p.heading(h)
			s := &section{name: strings.ToLower(name.plain()), title: name.plain(), off: name.off}
			s.start, s.end = p.nextLine(n.Pos()), len(p.text)
			if len(sections) == 0 {
				head.end = p.lineStart(n.Pos())
			} else {
				sections[len(sections)-1].end = p.lineStart(n.Pos())
			}
			sections = append(sections, s)
		case len(sections) == 0:
			head.nodes = append(head.nodes, n)
		default:
			s := sections[len(sections)-1]
			s.nodes = append(s.nodes, n)
		}
	}
	before := len(p.problems)
	if p.root.FirstChild() == nil && blank(p.raw) {
		p.problem(0, "cookoff init writes one to start from", "the file is empty").Kind = problem.Unreadable
		return
	}
	readable := p.preamble(head)
	if len(sections) == 0 && p.r.Version == 0 && len(p.problems) > before+2 {
		p.problems = p.problems[:before] // a complaint about each line helps nobody
		p.problem(0, "cookoff init writes one to start from", "this is no recipe: it has no version and no \"## Section\"").
			Kind = problem.Unreadable
		return
	}
	if !readable {
		return
	}
	known := sectionTable()
	for _, s := range sections {
		p.section(s, known)
		p.nearHeadings(s, known)
	}
	p.together()
}

// nearHeadings reports text that was meant as a section and is none in
// Markdown: it would reach a model instead of setting anything.
func (p *parsing) nearHeadings(s *section, known []sectionSpec) {
	isSection := func(name string) bool {
		return slices.ContainsFunc(known, func(k sectionSpec) bool { return strings.EqualFold(k.name, name) })
	}
	for _, n := range s.nodes {
		if !isKind[*ast.Paragraph](n) {
			continue
		}
		lines := n.Lines()
		for i := range lines.Len() {
			seg := lines.At(i)
			if name, ok := strings.CutPrefix(p.raw[seg.Start:seg.Stop], "##"); ok &&
				isSection(strings.TrimSpace(name)) {
				p.problem(seg.Start, "put a blank behind the ##, or the text into a fence", "%q is no heading",
					strings.TrimSpace(p.raw[seg.Start:seg.Stop]))
			}
		}
		last := lines.At(lines.Len() - 1)
		under := strings.TrimSpace(p.raw[last.Start:last.Stop])
		if rule, ok := n.NextSibling().(*ast.ThematicBreak); ok && p.line(rule.Pos()) == p.line(last.Start)+1 &&
			p.raw[rule.Pos()] == '-' && isSection(under) {
			p.problem(last.Start, "write \"## "+under+"\"", "an underlined heading is text here")
		}
	}
}

// heading gives the text of a heading, comments and quotes removed.
func (p *reader) heading(h *ast.Heading) span {
	if h.Lines().Len() == 0 {
		return span{"", h.Pos()}
	}
	seg := h.Lines().At(0)
	return p.unquote(p.span(seg.Start, seg.Stop).trim())
}

// preamble reads the title and the version. It tells whether the rest can be
// read by this binary.
func (p *parsing) preamble(b block) bool {
	titled, versions := false, 0
	for _, n := range b.nodes {
		h, ok := n.(*ast.Heading)
		switch {
		case ok && h.Level == 1 && !titled:
			title := p.heading(h)
			p.r.Name, titled = title.plain(), true
			p.origin("name", title.off)
		case ok:
			p.problem(n.Pos(), "a recipe has one \"# Title\"; sections are \"## Name\"",
				"a heading of level %d before the first section", h.Level)
		case p.inert(n):
		case isKind[*ast.Paragraph](n) || isKind[*ast.List](n):
			for _, e := range p.entries([]ast.Node{n},
				"only a title and a version stand before the first section; "+
					"a description goes under \"## Metadata\" or into <!-- a comment -->") {
				if e.key.plain() != "version" {
					p.problem(e.key.off, "settings belong to a section: \"## Metadata\", \"## Constraints\", …",
						"unknown key %q before the first section: allowed is version", e.key.plain()).Kind = problem.UnknownKey
					continue
				}
				if versions++; versions > 1 {
					p.problem(e.key.off, "", "version is given twice").Kind = problem.Twice
					continue
				}
				p.version(e)
			}
		default:
			p.problem(n.Pos(), "write a description under \"## Metadata\" as description:, or as <!-- a comment -->",
				"text before the first section that is neither the title nor the version")
		}
	}
	if versions == 0 {
		p.problem(0, fmt.Sprintf("write \"version: %d\" below the title, before the first section", MaxVersion),
			"no version").Kind = problem.Unreadable
	}
	return p.r.Version <= MaxVersion
}

func (p *parsing) version(e entry) {
	v := p.scalar(e)
	p.origin("version", v.off)
	n, err := strconv.Atoi(v.plain())
	if err != nil || n < 1 {
		p.problem(v.off, "", "version %q is not an integer from 1 to %d", v.plain(), MaxVersion)
		return
	}
	p.r.Version = n
	if n > MaxVersion {
		p.problem(v.off, "a newer cookoff may read it",
			"recipe version %d is not supported: this binary supports 1..%d", n, MaxVersion).Kind = problem.Unreadable
	}
}

// section reads one section by its name.
func (p *parsing) section(s *section, known []sectionSpec) {
	names := make([]string, len(known))
	for i, k := range known {
		if names[i] = k.name; strings.ToLower(k.name) != s.name {
			continue
		}
		if first, dup := p.again("section", span{s.name, s.off}); dup {
			p.problem(s.off, "put all of it under one heading", "section %q appears twice: first at line %d", s.title,
				p.line(first)+1).Kind = problem.SectionTwice
			return
		}
		p.r.SectionsPresent[s.name] = true
		p.origin(sectionKey(s.name), s.off)
		k.read(p, s)
		return
	}
	if s.name == "" {
		p.problem(s.off, "", "a section without a name: allowed are %s", strings.Join(names, ", "))
		return
	}
	p.unknown(span{s.title, s.off}, "section", names)
}

// sectionKey is the first part of the origin keys of a section.
func sectionKey(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
}

// sectionSpec is one row of the table of sections: how it is read, written, and put into
// canonical form.
type sectionSpec struct {
	name  string
	read  func(*parsing, *section)
	write func(*writing)

	format func(*formatting, *section)
}

// SectionNames are the titles of all sections, in the order in which recipes are written.
func SectionNames() (titles []string) {
	for _, s := range sectionTable() {
		titles = append(titles, s.name)
	}
	return titles
}

func sectionTable() []sectionSpec {
	settings := func(name string, read func(*parsing, *section), keys func(*Recipe) []key) sectionSpec {
		return sectionSpec{name, read, func(w *writing) { w.settings(keys(w.r), sectionKey(name)) }, mapBody(keys)}
	}
	return []sectionSpec{
		{"Models", (*parsing).models, (*writing).models, (*formatting).listBody},
		{"Contestants", (*parsing).contestants, (*writing).contestants, (*formatting).contestants},
		{"System Prompt", func(p *parsing, s *section) { p.r.SystemPrompt = p.prose(s.block) },
			func(w *writing) { w.sectionProse("System Prompt", w.r.SystemPrompt) }, (*formatting).proseBody},
		{"Tools", (*parsing).tools, (*writing).tools, (*formatting).listBody},
		{"Tool Descriptions", func(p *parsing, s *section) { p.r.ToolDescriptions = p.proseBlocks(s, "tool") },
			func(w *writing) { w.proseBlocks(w.r.ToolDescriptions) }, (*formatting).proseSections},
		{"Tool Guidance", func(p *parsing, s *section) { p.r.ToolGuidance = p.prose(s.block) },
			func(w *writing) { w.sectionProse("Tool Guidance", w.r.ToolGuidance) }, (*formatting).proseBody},
		{"MCP Servers", (*parsing).mcpServers, (*writing).mcpServers, (*formatting).listBody},
		settings("Model Parameters", (*parsing).modelParams,
			func(r *Recipe) []key { return modelParamsKeys(&r.ModelParams) }),
		settings("Constraints", (*parsing).constraints,
			func(r *Recipe) []key { return constraintsKeys(&r.Constraints) }),
		settings("Context", (*parsing).context, func(r *Recipe) []key { return contextKeys(&r.Context) }),
		{"Context Summarization Prompt", func(p *parsing, s *section) { p.r.SummarizationPrompt = p.prose(s.block) },
			func(w *writing) { w.sectionProse("Context Summarization Prompt", w.r.SummarizationPrompt) },
			(*formatting).proseBody},
		settings("Sub-Agent", (*parsing).subAgent, func(r *Recipe) []key { return subAgentKeys(&r.SubAgent) }),
		{"Sub-Agent Modes", func(p *parsing, s *section) { p.r.SubAgentModes = p.proseBlocks(s, "mode") },
			func(w *writing) { w.proseBlocks(w.r.SubAgentModes) }, (*formatting).proseSections},
		settings("Sandbox", (*parsing).sandbox, func(r *Recipe) []key { return sandboxKeys(&r.Sandbox) }),
		{"System Reminders", (*parsing).reminders, (*writing).reminders, (*formatting).reminders},
		{"Hooks", (*parsing).hooks, (*writing).hooks, mapBlocks(func() []key { return hookKeys(&HookConfig{}) })},
		{"Output Processing", (*parsing).outputProcessing, (*writing).outputProcessing,
			mapBlocks(func() []key { return outputKeys(&OutputRuleConfig{}) })},
		{"Model Profiles", (*parsing).modelProfiles, (*writing).modelProfiles,
			mapBlocks(func() []key { return profileKeys(&ModelProfileConfig{}) })},
		{"Tasks", (*parsing).tasks, (*writing).tasks, (*formatting).tasks},
		{"Success Criteria", (*parsing).criteria, (*writing).criteria, (*formatting).listBody},
		{"Verify", (*parsing).verify, (*writing).verify, (*formatting).verify},
		settings("Comparison", (*parsing).comparison, func(r *Recipe) []key { return comparisonKeys(&r.Comparison) }),
		settings("Metadata", (*parsing).metadata, func(r *Recipe) []key { return metadataKeys(&r.Metadata) }),
	}
}
