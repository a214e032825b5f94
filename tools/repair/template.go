package repair

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// text is a command or label: a text/template over texts. Only values are
// filled in; there is nothing to range over and nothing to include.
type text struct {
	src  string
	tmpl *template.Template
	vars []string // sorted
	// The rewritten tree: each action that prints hands its value to emit.
}

// slotMark begins the words that stand for values while a command is analysed.
const slotMark = "cookoffslot"

// maxConditions bounds the if and with of one template: every combination is
// analysed when it is loaded.
const maxConditions = 6

func slot(i int) string { return fmt.Sprintf("%s%dx", slotMark, i) }

// parseText reads a text with {{.Name}} in it, and refuses what a repair has no use for.
// vars of the text are the names that it takes.
func parseText(src string) (*text, error) {
	if strings.Contains(src, slotMark) {
		return nil, fmt.Errorf("the word %s is reserved", slotMark)
	}
	funcs := template.FuncMap{"index": strictIndex,
		"emit": func(any) (string, error) { return "", errors.ErrUnsupported }}
	tmpl, err := template.New("").Funcs(funcs).Option("missingkey=error").Parse(src)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "template: "))
	}
	if len(tmpl.Templates()) > 1 {
		return nil, errors.New("define and block have no use here")
	}
	t := &text{src: src, tmpl: tmpl}
	if tmpl.Tree == nil || tmpl.Root == nil {
		return t, nil
	}
	w := treeWalk{vars: map[string]bool{}}
	if err := w.list(tmpl.Root, true); err != nil {
		return nil, err
	}
	if w.conditions > maxConditions {
		return nil, fmt.Errorf("%d conditions are more than the %d that can be analysed", w.conditions, maxConditions)
	}
	for v := range w.vars {
		t.vars = append(t.vars, v)
	}
	slices.Sort(t.vars)
	return t, nil
}

// strictIndex is index that knows no default: a missing key is an error, as it
// is for a field.
func strictIndex(m map[string]string, key string) (string, error) {
	v, ok := m[key]
	if !ok {
		return "", fmt.Errorf("map has no entry for key %q", key)
	}
	return v, nil
}

// treeWalk checks a template tree, collects its variables and makes each
// action that prints end in emit.
type treeWalk struct {
	vars       map[string]bool
	conditions int
}

// list walks nodes; top says that dot is the map of values.
func (w *treeWalk) list(l *parse.ListNode, top bool) error {
	if l == nil {
		return nil
	}
	for _, n := range l.Nodes {
		var err error
		switch n := n.(type) {
		case *parse.TextNode, *parse.CommentNode:
		case *parse.ActionNode:
			err = w.pipe(n.Pipe, top)
			if len(n.Pipe.Decl) == 0 {
				emit := parse.NewIdentifier("emit").SetTree(nil).SetPos(n.Pos)
				n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos,
					Args: []parse.Node{emit}})
			}
		case *parse.IfNode:
			err = w.branch(&n.BranchNode, top, top)
		case *parse.WithNode:
			err = w.branch(&n.BranchNode, top, false)
		default:
			err = fmt.Errorf("%s has no use here: every value is a text", n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *treeWalk) branch(b *parse.BranchNode, top, inner bool) error {
	w.conditions++
	return errors.Join(w.pipe(b.Pipe, top), w.list(b.List, inner), w.list(b.ElseList, top))
}

func (w *treeWalk) pipe(p *parse.PipeNode, top bool) error {
	for _, c := range p.Cmds {
		if err := w.command(c, top); err != nil {
			return err
		}
	}
	return nil
}

// command notes the variables that one command of a template takes. top says that its dot
// is that of the whole text.
func (w *treeWalk) command(c *parse.CommandNode, top bool) error {
	if id, ok := c.Args[0].(*parse.IdentifierNode); ok {
		if id.Ident == "call" || id.Ident == "emit" {
			return fmt.Errorf("the function %s has no use here", id.Ident)
		}
		if id.Ident == "index" && len(c.Args) == 3 {
			if key, ok := c.Args[2].(*parse.StringNode); ok {
				w.vars[key.Text] = true
			}
		}
	}
	for _, a := range c.Args {
		var err error
		switch a := a.(type) {
		case *parse.FieldNode:
			err = w.field(a.Ident, top)
		case *parse.VariableNode:
			if a.Ident[0] == "$" && len(a.Ident) > 1 {
				err = w.field(a.Ident[1:], true)
			}
		case *parse.PipeNode:
			err = w.pipe(a, top)
		case *parse.ChainNode:
			err = fmt.Errorf("%s: a value is a text and has no fields", a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *treeWalk) field(ident []string, top bool) error {
	name := strings.Join(ident, ".")
	switch {
	case len(ident) > 1:
		return fmt.Errorf("{{.%s}}: a value is a text and has no fields", name)
	case !top:
		return fmt.Errorf("{{.%s}} inside with: write {{$.%s}}", name, name)
	}
	w.vars[ident[0]] = true
	return nil
}

// execute renders the template; emit turns each printed value into text.
func (t *text) execute(values map[string]string, emit func(string) (string, error)) (string, error) {
	tmpl, err := t.tmpl.Clone()
	if err != nil {
		return "", err
	}
	tmpl.Funcs(template.FuncMap{"emit": func(v any) (string, error) { return emit(fmt.Sprint(v)) }})
	var b strings.Builder
	if err := tmpl.Execute(&b, values); err != nil {
		var ee template.ExecError
		if errors.As(err, &ee) {
			_, msg := templateLine(errors.New(strings.TrimPrefix(ee.Error(), "template: ")))
			return "", errors.New(msg)
		}
		return "", err
	}
	return b.String(), nil
}

// plain renders the template with the values as they are: for people, never
// for a shell.
func (t *text) plain(values map[string]string) (string, error) {
	return t.execute(values, func(s string) (string, error) { return s, nil })
}

// variants gives the text for every combination of its conditions, with a slot
// for each value printed.
func (t *text) variants() []string {
	if t.tmpl.Tree == nil || t.tmpl.Root == nil {
		return []string{""}
	}
	var all []string
	for bits := range 1 << maxConditions {
		v := variant{bits: bits}
		v.list(t.tmpl.Root)
		if s := v.b.String(); !slices.Contains(all, s) {
			all = append(all, s)
		}
		if v.conditions == 0 {
			break
		}
	}
	return all
}

type variant struct {
	bits, conditions, slots int
	b                       strings.Builder
}

func (v *variant) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			v.b.Write(n.Text)
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				v.b.WriteString(slot(v.slots))
				v.slots++
			}
		case *parse.IfNode:
			v.branch(&n.BranchNode)
		case *parse.WithNode:
			v.branch(&n.BranchNode)
		}
	}
}

func (v *variant) branch(b *parse.BranchNode) {
	bit := 1 << v.conditions
	v.conditions++
	if v.bits&bit != 0 {
		v.list(b.List)
	} else {
		v.list(b.ElseList)
	}
}
