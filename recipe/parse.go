package recipe

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
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
	src, problems := source.Parse(file, content)
	if src.Root == nil {
		return r, problems
	}
	p := &parsing{Reader: dialect.NewReader(src), r: r}
	p.Problems = problems
	p.Expect(min(len(src.Lines)/2, 1<<16))
	p.document()
	r.origins = map[string]*source.Places{"name": src.Places, "version": src.Places}
	for name := range r.SectionsPresent {
		r.origins[dialect.SectionKey(name)] = src.Places
	}
	if len(p.Problems) > 0 {
		p.Problems.Sort()
		return r, slices.Compact(p.Problems) // a list may be read twice
	}
	return r, nil
}

// parsing is one recipe being read: its sections, one by one.
type parsing struct {
	*dialect.Reader
	r        *Recipe
	noModels *dialect.Section // Models, where it is there and empty
}

// document splits the file into what stands before the first section and the
// sections, and reads each.
func (p *parsing) document() {
	var sections []*dialect.Section
	head := dialect.Block{End: len(p.Bytes)}
	for n := p.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		switch {
		case ok && h.Level == 2:
			name := p.Heading(h)
			s := &dialect.Section{Name: strings.ToLower(name.Plain()), Title: name.Plain(), Off: name.Off}
			s.Start, s.End = p.NextLine(n.Pos()), len(p.Bytes)
			if len(sections) == 0 {
				head.End = p.LineStart(n.Pos())
			} else {
				sections[len(sections)-1].End = p.LineStart(n.Pos())
			}
			sections = append(sections, s)
		case len(sections) == 0:
			head.Nodes = append(head.Nodes, n)
		default:
			s := sections[len(sections)-1]
			s.Nodes = append(s.Nodes, n)
		}
	}
	before := len(p.Problems)
	if p.Root.FirstChild() == nil && source.Blank(p.Raw) {
		p.Problem(0, "cookoff init writes one to start from", "the file is empty").Kind = problem.Unreadable
		return
	}
	readable := p.preamble(head)
	if len(sections) == 0 && p.r.Version == 0 && len(p.Problems) > before+2 {
		p.Problems = p.Problems[:before] // a complaint about each line helps nobody
		p.Problem(0, "cookoff init writes one to start from", "this is no recipe: it has no version and no \"## Section\"").
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
func (p *parsing) nearHeadings(s *dialect.Section, known []sectionSpec) {
	isSection := func(name string) bool {
		return slices.ContainsFunc(known, func(k sectionSpec) bool { return strings.EqualFold(k.name, name) })
	}
	for _, n := range s.Nodes {
		if !source.IsKind[*ast.Paragraph](n) {
			continue
		}
		lines := n.Lines()
		for i := range lines.Len() {
			seg := lines.At(i)
			if name, ok := strings.CutPrefix(p.Raw[seg.Start:seg.Stop], "##"); ok &&
				isSection(strings.TrimSpace(name)) {
				p.Problem(seg.Start, "put a blank behind the ##, or the text into a fence", "%q is no heading",
					strings.TrimSpace(p.Raw[seg.Start:seg.Stop]))
			}
		}
		last := lines.At(lines.Len() - 1)
		under := strings.TrimSpace(p.Raw[last.Start:last.Stop])
		if rule, ok := n.NextSibling().(*ast.ThematicBreak); ok && p.Line(rule.Pos()) == p.Line(last.Start)+1 &&
			p.Raw[rule.Pos()] == '-' && isSection(under) {
			p.Problem(last.Start, "write \"## "+under+"\"", "an underlined heading is text here")
		}
	}
}

// preamble reads the title and the version. It tells whether the rest can be
// read by this binary.
func (p *parsing) preamble(b dialect.Block) bool {
	titled, versions := false, 0
	for _, n := range b.Nodes {
		h, ok := n.(*ast.Heading)
		switch {
		case ok && h.Level == 1 && !titled:
			title := p.Heading(h)
			p.r.Name, titled = title.Plain(), true
			p.Origin("name", title.Off)
		case ok:
			p.Problem(n.Pos(), "a recipe has one \"# Title\"; sections are \"## Name\"",
				"a heading of level %d before the first section", h.Level)
		case p.Inert(n):
		case source.IsKind[*ast.Paragraph](n) || source.IsKind[*ast.List](n):
			for _, e := range p.Entries([]ast.Node{n},
				"only a title and a version stand before the first section; "+
					"a description goes under \"## Metadata\" or into <!-- a comment -->") {
				if e.Key.Plain() != "version" {
					p.Problem(e.Key.Off, "settings belong to a section: \"## Metadata\", \"## Constraints\", …",
						"unknown key %q before the first section: allowed is version", e.Key.Plain()).Kind = problem.UnknownKey
					continue
				}
				if versions++; versions > 1 {
					p.Problem(e.Key.Off, "", "version is given twice").Kind = problem.Twice
					continue
				}
				p.version(e)
			}
		default:
			p.Problem(n.Pos(), "write a description under \"## Metadata\" as description:, or as <!-- a comment -->",
				"text before the first section that is neither the title nor the version")
		}
	}
	if versions == 0 {
		p.Problem(0, fmt.Sprintf("write \"version: %d\" below the title, before the first section", MaxVersion),
			"no version").Kind = problem.Unreadable
	}
	return p.r.Version <= MaxVersion
}

func (p *parsing) version(e dialect.Entry) {
	v := p.Scalar(e)
	p.Origin("version", v.Off)
	n, err := strconv.Atoi(v.Plain())
	if err != nil || n < 1 {
		p.Problem(v.Off, "", "version %q is not an integer from 1 to %d", v.Plain(), MaxVersion)
		return
	}
	p.r.Version = n
	if n > MaxVersion {
		p.Problem(v.Off, "a newer cookoff may read it",
			"recipe version %d is not supported: this binary supports 1..%d", n, MaxVersion).Kind = problem.Unreadable
	}
}

// section reads one section by its name.
func (p *parsing) section(s *dialect.Section, known []sectionSpec) {
	names := make([]string, len(known))
	for i, k := range known {
		if names[i] = k.name; strings.ToLower(k.name) != s.Name {
			continue
		}
		if first, dup := p.Again("section", source.Span{Text: s.Name, Off: s.Off}); dup {
			p.Problem(s.Off, "put all of it under one heading", "section %q appears twice: first at line %d", s.Title,
				p.Line(first)+1).Kind = problem.SectionTwice
			return
		}
		p.r.SectionsPresent[s.Name] = true
		p.Origin(dialect.SectionKey(s.Name), s.Off)
		k.read(p, s)
		return
	}
	if s.Name == "" {
		p.Problem(s.Off, "", "a section without a name: allowed are %s", strings.Join(names, ", "))
		return
	}
	p.Unknown(source.Span{Text: s.Title, Off: s.Off}, "section", names)
}

// sectionSpec is one row of the table of sections: how it is read, written, and put into
// canonical form.
type sectionSpec struct {
	name  string
	read  func(*parsing, *dialect.Section)
	write func(*writing)

	format func(*formatting, *dialect.Section)
}

// SectionNames are the titles of all sections, in the order in which recipes are written.
func SectionNames() (titles []string) {
	for _, s := range sectionTable() {
		titles = append(titles, s.name)
	}
	return titles
}

func sectionTable() []sectionSpec {
	settings := func(name string, read func(*parsing, *dialect.Section), keys func(*Recipe) []dialect.Key) sectionSpec {
		return sectionSpec{name, read, func(w *writing) { w.settings(keys(w.r), dialect.SectionKey(name)) }, mapBody(keys)}
	}
	return []sectionSpec{
		{"Models", (*parsing).models, (*writing).models, (*formatting).listBody},
		{"Contestants", (*parsing).contestants, (*writing).contestants, (*formatting).contestants},
		{"System Prompt", func(p *parsing, s *dialect.Section) { p.r.SystemPrompt = p.Prose(s.Block) },
			func(w *writing) { w.sectionProse("System Prompt", w.r.SystemPrompt) }, (*formatting).proseBody},
		{"Tools", (*parsing).tools, (*writing).tools, (*formatting).listBody},
		{"Tool Descriptions", func(p *parsing, s *dialect.Section) { p.r.ToolDescriptions = p.ProseBlocks(s, "tool") },
			func(w *writing) { w.proseBlocks(w.r.ToolDescriptions) }, (*formatting).proseSections},
		{"Tool Guidance", func(p *parsing, s *dialect.Section) { p.r.ToolGuidance = p.Prose(s.Block) },
			func(w *writing) { w.sectionProse("Tool Guidance", w.r.ToolGuidance) }, (*formatting).proseBody},
		{"MCP Servers", (*parsing).mcpServers, (*writing).mcpServers, (*formatting).listBody},
		settings("Model Parameters", (*parsing).modelParams,
			func(r *Recipe) []dialect.Key { return modelParamsKeys(&r.ModelParams) }),
		settings("Constraints", (*parsing).constraints,
			func(r *Recipe) []dialect.Key { return constraintsKeys(&r.Constraints) }),
		settings("Context", (*parsing).context, func(r *Recipe) []dialect.Key { return contextKeys(&r.Context) }),
		{"Context Summarization Prompt", func(p *parsing, s *dialect.Section) { p.r.SummarizationPrompt = p.Prose(s.Block) },
			func(w *writing) { w.sectionProse("Context Summarization Prompt", w.r.SummarizationPrompt) },
			(*formatting).proseBody},
		settings("Sub-Agent", (*parsing).subAgent, func(r *Recipe) []dialect.Key { return subAgentKeys(&r.SubAgent) }),
		{"Sub-Agent Modes", func(p *parsing, s *dialect.Section) { p.r.SubAgentModes = p.ProseBlocks(s, "mode") },
			func(w *writing) { w.proseBlocks(w.r.SubAgentModes) }, (*formatting).proseSections},
		settings("Sandbox", (*parsing).sandbox, func(r *Recipe) []dialect.Key { return sandboxKeys(&r.Sandbox) }),
		{"System Reminders", (*parsing).reminders, (*writing).reminders, (*formatting).reminders},
		{"Hooks", (*parsing).hooks, (*writing).hooks, mapBlocks(func() []dialect.Key { return hookKeys(&HookConfig{}) })},
		{"Output Processing", (*parsing).outputProcessing, (*writing).outputProcessing,
			mapBlocks(func() []dialect.Key { return outputKeys(&OutputRuleConfig{}) })},
		{"Model Profiles", (*parsing).modelProfiles, (*writing).modelProfiles,
			mapBlocks(func() []dialect.Key { return profileKeys(&ModelProfileConfig{}) })},
		{"Tasks", (*parsing).tasks, (*writing).tasks, (*formatting).tasks},
		{"Success Criteria", (*parsing).criteria, (*writing).criteria, (*formatting).listBody},
		{"Verify", (*parsing).verify, (*writing).verify, (*formatting).verify},
		settings("Comparison", (*parsing).comparison, func(r *Recipe) []dialect.Key { return comparisonKeys(&r.Comparison) }),
		settings("Metadata", (*parsing).metadata, func(r *Recipe) []dialect.Key { return metadataKeys(&r.Metadata) }),
	}
}
