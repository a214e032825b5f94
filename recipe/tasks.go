package recipe

import (
	"reflect"
	"slices"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"

	"github.com/yuin/goldmark/ast"
)

// taskReader reads the tasks of a recipe.
type taskReader struct {
	*dialect.Reader
	r       *Recipe
	current Task          // that is being read
	keys    []dialect.Key // of current
	names   []string      // of keys
}

func (p *parsing) tasks(s *dialect.Section) { (&taskReader{Reader: p.Reader, r: p.r}).tasks(s) }

// tasks reads bullets, then "### Title" blocks.
func (p *taskReader) tasks(s *dialect.Section) {
	before, bs := p.Blocks(s)
	items := p.Items(before)
	p.r.Tasks = slices.Grow(p.r.Tasks, len(items)+len(bs))
	for _, item := range items {
		p.add(p.bullet(item), item.Off)
	}
	for _, b := range bs {
		p.add(p.task(b, source.At("tasks", len(p.r.Tasks))), b.Name.Off)
	}
	p.plantedNames(bs)
}

// add appends a task, unless it is the same as one before.
func (p *taskReader) add(t Task, off int) {
	p.Listed("tasks", len(p.r.Tasks), off)
	kind, name := "task", t.Title
	switch {
	case name != "":
	case t.Repair != "":
		kind, name = "task of repairs", t.Repair
	case t.Harbor != "":
		kind, name = "tasks of a directory", t.Harbor
	default:
		kind, name = "task without a title", t.Prompt
	}
	if first, dup := p.Again(kind, source.Span{Text: name, Off: off}); dup {
		p.Problem(off, "a task is repeated by \"## Comparison\" trials:", "task %q appears twice: first at line %d",
			t.Name(), p.Line(first)+1).Kind = problem.Twice
	}
	p.r.Tasks = append(p.r.Tasks, t)
}

// bullet reads a task that is its prompt, or stands for those of repairs.
func (p *taskReader) bullet(v source.Span) Task {
	if rest, ok := strings.CutPrefix(v.Text, "harbor:"); ok {
		return Task{Harbor: harborDir(p.Reader, source.Span{Text: rest, Off: v.Off + len("harbor:")}.Trim())}
	}
	rest, ok := strings.CutPrefix(v.Text, "repair:")
	if !ok {
		return Task{Prompt: p.Unquote(v).Plain()}
	}
	glob := p.Unquote(source.Span{Text: rest, Off: v.Off + len(v.Text) - len(rest)}.Trim())
	repairGlob(p.Reader, glob)
	return Task{Repair: glob.Plain()}
}

func repairGlob(p *dialect.Reader, v source.Span) {
	if v.Empty() || strings.ContainsAny(v.Plain(), " \t\n") {
		p.Problem(v.Off, "write \"- repair: GLOB\", or start the prompt with another word",
			"%q is no glob over repair ids", v.Plain())
		return
	}
	p.Glob(v)
}

// taskBlock is a "### Title" block being read: prompt, then tagged fences and
// keys in any order.
type taskBlock struct {
	dialect.SubBlock
	at   string // origin key
	task *Task
	rest int // index of the first node behind the prompt
	seen []seenFence
}

// seenFence is a fence of which a task has one, and where it stands.
type seenFence struct {
	role string
	off  int
}

func (p *taskReader) task(b dialect.SubBlock, at string) Task {
	t := &p.current
	*t = Task{Title: b.Name.Plain()}
	tb := p.parts(b, at, t)
	end := b.End
	if tb.rest < len(b.Nodes) {
		end = p.LineStart(b.Nodes[tb.rest].Pos())
	}
	t.Prompt = p.Prose(dialect.Block{Nodes: b.Nodes[:tb.rest], Start: b.Start, End: end})
	if t.Prompt != "" {
		p.Note(source.Slot{At: at, Name: "prompt"}, -1, p.Span(b.Start, end).Trim().Off)
	}
	var es []dialect.Entry
	for _, n := range b.Nodes[tb.rest:] {
		f, ok := n.(*ast.FencedCodeBlock)
		switch {
		case ok && p.Info(f).Text == dialect.Verbatim:
			p.NoVerbatim([]ast.Node{n})
		case ok && p.tagged(f):
			p.taskFence(tb, f)
		case source.IsKind[*ast.Paragraph](n) || source.IsKind[*ast.List](n):
			es = append(es, p.Entries([]ast.Node{n},
				"behind the first tagged fence stand fences and keys; the prompt stands before it")...)
		case p.Inert(n):
		default:
			p.Problem(n.Pos(),
				"the prompt stands before the first tagged fence; what comes behind it is tagged fences and keys",
				"%s behind the fixture of task %q", dialect.KindName(n), t.Title)
		}
	}
	if t.Prompt == "" && !slices.ContainsFunc(es,
		func(e dialect.Entry) bool {
			return e.Key.Text == "repair" || e.Key.Text == "harbor" || e.Key.Text == "plant"
		}) {
		p.Problem(b.Name.Off, "write below the heading what a model is told, before any fence", "task %q has no prompt",
			t.Title)
	}
	p.Mapping(at, es, p.keysOfTask())
	p.varied(t, b.Name.Off)
	p.planting(t, b.Name.Off)
	p.wholeServices(t, b.Name.Off)
	if t.Harbor != "" && !reflect.DeepEqual(*t, Task{Harbor: t.Harbor}) {
		p.Problem(b.Name.Off, "write it as a bullet: \"- harbor: DIR\"",
			"a task that stands for those of a directory has nothing else: no title, prompt, fence or key")
	}
	if t.Repair != "" && !reflect.DeepEqual(*t, Task{Repair: t.Repair}) {
		p.Problem(b.Name.Off, "write it as a bullet: \"- repair: GLOB\"",
			"a task that stands for those of repairs has nothing else: no title, prompt, fence or key")
	}
	return *t
}

// parts tells the prompt of a block from what stands behind it.
func (p *taskReader) parts(b dialect.SubBlock, at string, t *Task) *taskBlock {
	p.keysOfTask()
	tb := &taskBlock{SubBlock: b, at: at, task: t, rest: len(b.Nodes)}
	for i, n := range b.Nodes {
		if f, ok := n.(*ast.FencedCodeBlock); ok && p.tagged(f) {
			tb.rest = i
			break
		}
	}
	p.promptEnd(tb)
	return tb
}

// keysOfTask gives the table of the keys of the current task.
func (p *taskReader) keysOfTask() []dialect.Key {
	if p.keys == nil {
		p.keys = taskKeys(&p.current)
		p.names = dialect.KeyNames(p.keys)
	}
	return p.keys
}

// tagged tells whether a fence belongs to the fixture: its info string has
// more than one word. Verbatim is the prompt's.
func (p *taskReader) tagged(f *ast.FencedCodeBlock) bool {
	info := p.Info(f).Text
	return info != dialect.Verbatim && len(strings.Fields(info)) > 1
}

// promptEnd moves the end of the prompt before a last paragraph or list of
// keys. What is half keys is reported: a key taken for prompt would show a
// model what it must not see, and do nothing.
func (p *taskReader) promptEnd(tb *taskBlock) {
	last := tb.rest - 1
	for last >= 0 && p.Inert(tb.Nodes[last]) && !source.IsKind[*ast.ThematicBreak](tb.Nodes[last]) {
		last--
	}
	if last < 0 {
		return
	}
	lines := p.looseLines(tb.Nodes[last])
	known := p.names
	for _, n := range tb.Nodes[:last] {
		if ls := p.looseLines(n); len(ls) > 0 && !slices.ContainsFunc(ls, func(l source.Span) bool {
			return !slices.Contains(known, dialect.KeyOf(l.Text))
		}) {
			p.Problem(ls[0].Off, "keys stand behind the prompt and its fences",
				"keys in front of the prompt of task %q", tb.task.Title)
		}
	}
	var keyed, unkeyed int
	var first source.Span
	for _, l := range lines {
		k := dialect.KeyOf(l.Text)
		switch {
		case k == "":
			unkeyed++
		case slices.Contains(known, k):
			if keyed++; first.Text == "" {
				first = l
			}
		case slipOf(k, known):
			if unkeyed == 0 {
				keyed++
			}
		default:
			unkeyed++
		}
	}
	switch {
	case keyed > 0 && unkeyed == 0:
		tb.rest = last
	case first.Text != "" && source.IsKind[*ast.Paragraph](tb.Nodes[last]):
		p.Problem(first.Off, "put an empty line before the keys, with nothing but keys below it; "+
			"or put the prompt into a \"```"+dialect.Verbatim+"\" fence",
			"%q stands within the prompt of task %q", source.FirstLine(first.Plain(), 40), tb.task.Title)
	}
}

// slipOf reports whether a word at the end of a prompt is a key that was mistyped.
// Short words need to be closer than elsewhere: "note:" is no "date:".
func slipOf(word string, known []string) bool {
	n := nearest.Name(word, known)
	return n != "" && nearest.Distance(strings.ToLower(word), n) <= max(1, len(word)/3)
}

// looseLines gives the lines that could be keys: of a paragraph, or the first
// of each bullet.
func (p *taskReader) looseLines(n ast.Node) (lines []source.Span) {
	nodes := []ast.Node{n}
	switch {
	case source.IsKind[*ast.List](n):
		nodes = nil
		for it := n.FirstChild(); it != nil; it = it.NextSibling() {
			if it.FirstChild() == nil {
				return nil
			}
			nodes = append(nodes, it.FirstChild())
		}
	case !source.IsKind[*ast.Paragraph](n):
		return nil
	}
	for _, n := range nodes {
		for i := range n.Lines().Len() {
			seg := n.Lines().At(i)
			if l := p.Span(seg.Start, seg.Stop).Trim(); l.Text != "" {
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// noTools is what "tools:" says for a task that offers none.
const noTools = "none"

func taskKeys(t *Task) []dialect.Key {
	return slices.Concat([]dialect.Key{
		dialect.ListKey("protect", &t.Protect),
		dialect.ListKey("may_change", &t.MayChange),
		dialect.ListKey("may_add", &t.MayAdd),
		dialect.ListKey("path", &t.Path),
		dialect.MountsKey(&t.Mounts),
		dialect.TextKey("root", &t.Root),
		dialect.EnumKey("user", &t.User, "root", "root+others"),
		dialect.ListKey("hidden", &t.Hidden),
		dialect.EnumKey("judge", &t.Judge, "patch"),
		dialect.TextKey("judge_files", &t.JudgeFiles),
		dialect.TextKey("project", &t.Project),
		dialect.TextKey("base", &t.Base),
		dialect.TextKey("prepare", &t.Prepare),
		dialect.TextKey("warm", &t.Warm),
		dialect.TextKey("probe", &t.Probe),
		dialect.SomeDurationKey("timeout", &t.Timeout, "what the recipe gives every task"),
		dialect.EnvKey("env", &t.Env),
		dialect.EnvKey("judge_env", &t.JudgeEnv),
		dialect.IntPtrKey("max_steps", &t.MaxSteps, 0),
		{Name: "tools", Many: true, Read: func(p *dialect.Reader, e dialect.Entry, origin source.Slot) {
			dialect.ListKey("tools", &t.Tools).Read(p, e, origin)
			if slices.Contains(t.Tools, noTools) {
				if len(t.Tools) > 1 {
					p.Problem(e.Val.Off, "", "tools: %q stands alone or not at all", noTools)
				}
				t.Tools = []string{}
			}
		}, Show: func() string {
			if t.Tools != nil && len(t.Tools) == 0 {
				return noTools
			}
			return dialect.QuoteList(t.Tools)
		}},
		dialect.EnumKey("verify_env", &t.VerifyEnv, "agent"),
		dialect.TextKey("image", &t.Image),
		dialect.ListKey("needs", &t.Needs),
		varyKey(&t.Vary),
		dialect.ListKey("tags", &t.Tags),
		dialect.DateKey("date", &t.Date),
		{Name: "repair", Read: func(p *dialect.Reader, e dialect.Entry, _ source.Slot) {
			v := p.Scalar(e)
			repairGlob(p, v)
			t.Repair = v.Plain()
		}, Show: dialect.ShowText(&t.Repair)},
		{Name: "harbor", Read: func(p *dialect.Reader, e dialect.Entry, _ source.Slot) {
			t.Harbor = harborDir(p, p.Scalar(e))
		},
			Show: dialect.ShowText(&t.Harbor)}, dialect.EnumKey("network", &t.Network, "none"),
		dialect.SizeKey("memory", &t.Memory),
		dialect.SizeKey("disk", &t.Disk),
	}, plantKeys(t))
}
