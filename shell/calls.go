package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Call is one command of a script.
type Call struct {
	Words   []string // "": known only when it runs
	Negated bool     // its failure is what is wanted
	// Dir is where it does its work, relative to where the script starts, by the directories that the script names;
	// "": known only when it runs, or outside.
	Dir string
}

// Calls gives the commands of a script; none where it is no script.
func Calls(src string) []Call {
	f := Parsed(src)
	if f == nil {
		return nil
	}
	c := calls{negated: map[syntax.Node]bool{}, piped: map[*syntax.Stmt]bool{}, dir: "."}
	syntax.Walk(f, c.visit)
	return c.list
}

// calls collects the calls of a script, and follows where it stands.
type calls struct {
	list    []Call
	negated map[syntax.Node]bool
	piped   map[*syntax.Stmt]bool // each in a shell of its own
	dir     string                // "": not known
	// back is, for each node that is open, where the script stands behind it; "=": where it stands at its end.
	back []string
}

// visit is told of each node as it begins, and by nil that one ends.
func (c *calls) visit(n syntax.Node) bool {
	if n == nil {
		last := c.back[len(c.back)-1]
		if c.back = c.back[:len(c.back)-1]; last != "=" {
			c.dir = last
		}
		return true
	}
	back := "="
	switch n := n.(type) {
	case *syntax.Stmt:
		c.negated[n.Cmd] = n.Negated || c.negated[n]
		if n.Background || c.piped[n] {
			back = c.dir
		}
	case *syntax.BinaryCmd:
		c.negated[n.X], c.negated[n.Y] = c.negated[n], c.negated[n]
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			c.piped[n.X], c.piped[n.Y] = true, true
		}
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
		back = c.dir
	case *syntax.CallExpr:
		c.add(n)
	}
	c.back = append(c.back, back)
	return true
}

// add notes a call, and goes where it goes.
func (c *calls) add(n *syntax.CallExpr) {
	words := CommandWords(n)
	call := Call{Negated: c.negated[n], Dir: c.dir}
	for _, w := range words {
		call.Words = append(call.Words, Text(w))
	}
	var all []string
	for _, w := range n.Args {
		all = append(all, Text(w))
	}
	dirs, _ := Moved(all)
	for _, dir := range dirs {
		call.Dir = below(call.Dir, dir)
	}
	c.list = append(c.list, call)
	if len(words) == 0 || call.Words[0] != "cd" && call.Words[0] != "pushd" {
		return
	}
	to := ""
	for _, w := range call.Words[1:] {
		if to = w; w != "--" && w != "-P" && w != "-L" {
			break
		}
	}
	c.dir = below(c.dir, to)
}

// below is a directory that is named in another; "": it is not known, or lies outside of where all starts.
func below(dir, name string) string {
	to := path.Join(dir, name)
	if dir == "" || name == "" || name == "-" || strings.HasPrefix(name, "~") || path.IsAbs(name) || to == ".." ||
		strings.HasPrefix(to, "../") {
		return ""
	}
	return to
}
