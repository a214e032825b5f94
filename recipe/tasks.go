package recipe

import (
	"reflect"
	"slices"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"

	"github.com/yuin/goldmark/ast"
)

// taskReader reads the tasks of a recipe.
type taskReader struct {
	*reader
	r       *Recipe
	current Task     // that is being read
	keys    []key    // of current
	names   []string // of keys
}

func (p *parsing) tasks(s *section) { (&taskReader{reader: p.reader, r: p.r}).tasks(s) }

// tasks reads bullets, then "### Title" blocks.
func (p *taskReader) tasks(s *section) {
	before, bs := p.blocks(s)
	items := p.items(before)
	p.r.Tasks = slices.Grow(p.r.Tasks, len(items)+len(bs))
	for _, item := range items {
		p.add(p.bullet(item), item.Off)
	}
	for _, b := range bs {
		p.add(p.task(b, source.At("tasks", len(p.r.Tasks))), b.name.Off)
	}
	p.plantedNames(bs)
}

// add appends a task, unless it is the same as one before.
func (p *taskReader) add(t Task, off int) {
	p.listed("tasks", len(p.r.Tasks), off)
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
	if first, dup := p.again(kind, source.Span{Text: name, Off: off}); dup {
		p.problem(off, "a task is repeated by \"## Comparison\" trials:", "task %q appears twice: first at line %d",
			t.Name(), p.Line(first)+1).Kind = problem.Twice
	}
	p.r.Tasks = append(p.r.Tasks, t)
}

// bullet reads a task that is its prompt, or stands for those of repairs.
func (p *taskReader) bullet(v source.Span) Task {
	if rest, ok := strings.CutPrefix(v.Text, "harbor:"); ok {
		return Task{Harbor: harborDir(p.reader, source.Span{Text: rest, Off: v.Off + len("harbor:")}.Trim())}
	}
	rest, ok := strings.CutPrefix(v.Text, "repair:")
	if !ok {
		return Task{Prompt: p.unquote(v).Plain()}
	}
	glob := p.unquote(source.Span{Text: rest, Off: v.Off + len(v.Text) - len(rest)}.Trim())
	repairGlob(p.reader, glob)
	return Task{Repair: glob.Plain()}
}

func repairGlob(p *reader, v source.Span) {
	if v.Empty() || strings.ContainsAny(v.Plain(), " \t\n") {
		p.problem(v.Off, "write \"- repair: GLOB\", or start the prompt with another word",
			"%q is no glob over repair ids", v.Plain())
		return
	}
	p.glob(v)
}

// taskBlock is a "### Title" block being read: prompt, then tagged fences and
// keys in any order.
type taskBlock struct {
	subBlock
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

func (p *taskReader) task(b subBlock, at string) Task {
	t := &p.current
	*t = Task{Title: b.name.Plain()}
	tb := p.parts(b, at, t)
	end := b.end
	if tb.rest < len(b.nodes) {
		end = p.LineStart(b.nodes[tb.rest].Pos())
	}
	t.Prompt = p.prose(block{b.nodes[:tb.rest], b.start, end})
	if t.Prompt != "" {
		p.Note(source.Slot{At: at, Name: "prompt"}, -1, p.Span(b.start, end).Trim().Off)
	}
	var es []entry
	for _, n := range b.nodes[tb.rest:] {
		f, ok := n.(*ast.FencedCodeBlock)
		switch {
		case ok && p.Info(f).Text == verbatim:
			p.noVerbatim([]ast.Node{n})
		case ok && p.tagged(f):
			p.taskFence(tb, f)
		case source.IsKind[*ast.Paragraph](n) || source.IsKind[*ast.List](n):
			es = append(es, p.entries([]ast.Node{n},
				"behind the first tagged fence stand fences and keys; the prompt stands before it")...)
		case p.Inert(n):
		default:
			p.problem(n.Pos(),
				"the prompt stands before the first tagged fence; what comes behind it is tagged fences and keys",
				"%s behind the fixture of task %q", kindName(n), t.Title)
		}
	}
	if t.Prompt == "" && !slices.ContainsFunc(es,
		func(e entry) bool { return e.key.Text == "repair" || e.key.Text == "harbor" || e.key.Text == "plant" }) {
		p.problem(b.name.Off, "write below the heading what a model is told, before any fence", "task %q has no prompt",
			t.Title)
	}
	p.mapping(at, es, p.keysOfTask())
	p.varied(t, b.name.Off)
	p.planting(t, b.name.Off)
	p.wholeServices(t, b.name.Off)
	if t.Harbor != "" && !reflect.DeepEqual(*t, Task{Harbor: t.Harbor}) {
		p.problem(b.name.Off, "write it as a bullet: \"- harbor: DIR\"",
			"a task that stands for those of a directory has nothing else: no title, prompt, fence or key")
	}
	if t.Repair != "" && !reflect.DeepEqual(*t, Task{Repair: t.Repair}) {
		p.problem(b.name.Off, "write it as a bullet: \"- repair: GLOB\"",
			"a task that stands for those of repairs has nothing else: no title, prompt, fence or key")
	}
	return *t
}

// parts tells the prompt of a block from what stands behind it.
func (p *taskReader) parts(b subBlock, at string, t *Task) *taskBlock {
	p.keysOfTask()
	tb := &taskBlock{subBlock: b, at: at, task: t, rest: len(b.nodes)}
	for i, n := range b.nodes {
		if f, ok := n.(*ast.FencedCodeBlock); ok && p.tagged(f) {
			tb.rest = i
			break
		}
	}
	p.promptEnd(tb)
	return tb
}

// keysOfTask gives the table of the keys of the current task.
func (p *taskReader) keysOfTask() []key {
	if p.keys == nil {
		p.keys = taskKeys(&p.current)
		p.names = keyNames(p.keys)
	}
	return p.keys
}

// tagged tells whether a fence belongs to the fixture: its info string has
// more than one word. Verbatim is the prompt's.
func (p *taskReader) tagged(f *ast.FencedCodeBlock) bool {
	info := p.Info(f).Text
	return info != verbatim && len(strings.Fields(info)) > 1
}

// promptEnd moves the end of the prompt before a last paragraph or list of
// keys. What is half keys is reported: a key taken for prompt would show a
// model what it must not see, and do nothing.
func (p *taskReader) promptEnd(tb *taskBlock) {
	last := tb.rest - 1
	for last >= 0 && p.Inert(tb.nodes[last]) && !source.IsKind[*ast.ThematicBreak](tb.nodes[last]) {
		last--
	}
	if last < 0 {
		return
	}
	lines := p.looseLines(tb.nodes[last])
	known := p.names
	for _, n := range tb.nodes[:last] {
		if ls := p.looseLines(n); len(ls) > 0 && !slices.ContainsFunc(ls, func(l source.Span) bool {
			return !slices.Contains(known, keyOf(l.Text))
		}) {
			p.problem(ls[0].Off, "keys stand behind the prompt and its fences",
				"keys in front of the prompt of task %q", tb.task.Title)
		}
	}
	var keyed, unkeyed int
	var first source.Span
	for _, l := range lines {
		k := keyOf(l.Text)
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
	case first.Text != "" && source.IsKind[*ast.Paragraph](tb.nodes[last]):
		p.problem(first.Off, "put an empty line before the keys, with nothing but keys below it; "+
			"or put the prompt into a \"```"+verbatim+"\" fence",
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

func taskKeys(t *Task) []key {
	return slices.Concat([]key{
		listKey("protect", &t.Protect),
		listKey("may_change", &t.MayChange),
		listKey("may_add", &t.MayAdd),
		listKey("path", &t.Path),
		mountsKey(&t.Mounts),
		textKey("root", &t.Root),
		enumKey("user", &t.User, "root"),
		listKey("hidden", &t.Hidden),
		enumKey("judge", &t.Judge, "patch"),
		textKey("judge_files", &t.JudgeFiles),
		textKey("project", &t.Project),
		textKey("base", &t.Base),
		textKey("prepare", &t.Prepare),
		textKey("warm", &t.Warm),
		textKey("probe", &t.Probe),
		durationKey("timeout", &t.Timeout),
		envKey("env", &t.Env),
		envKey("judge_env", &t.JudgeEnv),
		intPtrKey("max_steps", &t.MaxSteps, 0),
		{"tools", true, func(p *reader, e entry, origin source.Slot) {
			listKey("tools", &t.Tools).read(p, e, origin)
			if slices.Contains(t.Tools, noTools) {
				if len(t.Tools) > 1 {
					p.problem(e.val.Off, "", "tools: %q stands alone or not at all", noTools)
				}
				t.Tools = []string{}
			}
		}, func() string {
			if t.Tools != nil && len(t.Tools) == 0 {
				return noTools
			}
			return quoteList(t.Tools)
		}},
		enumKey("verify_env", &t.VerifyEnv, "agent"),
		textKey("image", &t.Image),
		listKey("needs", &t.Needs),
		varyKey(&t.Vary),
		listKey("tags", &t.Tags),
		dateKey("date", &t.Date),
		{"repair", false, func(p *reader, e entry, _ source.Slot) {
			v := p.scalar(e)
			repairGlob(p, v)
			t.Repair = v.Plain()
		}, showText(&t.Repair)},
		{"harbor", false, func(p *reader, e entry, _ source.Slot) { t.Harbor = harborDir(p, p.scalar(e)) },
			showText(&t.Harbor)}, enumKey("network", &t.Network, "none"),
		sizeKey("memory", &t.Memory),
		sizeKey("disk", &t.Disk),
	}, plantKeys(t))
}
