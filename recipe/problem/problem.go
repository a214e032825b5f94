// Package problem holds what may be wrong with a recipe, or with another file that a
// user wrote: where, what was found, and what to do next.
package problem

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a recipe file; lines and columns (in bytes) count from 1.
// The zero Pos is "no file".
type Pos struct {
	File string
	Line int
	Col  int
}

// String gives file:line:col, as editors and CI logs link it.
func (p Pos) String() string {
	switch {
	case p.File == "" && p.Line == 0:
		return "recipe"
	case p.Line == 0:
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Problem is one thing wrong with a recipe: where, what was found, what is
// allowed, and what to do next.
type Problem struct {
	Pos     Pos
	Msg     string
	InTask  string     // Msg without the name of its task, for who says that beside it; "": of no task
	Hint    string     // "" or a next step
	Needs   Permission // of the user, "" where that would not help
	Warning bool       // worth saying, no reason to refuse
	Kind    Kind       // "" or what is to be told apart by programs
	Near    string     // the allowed name that an unknown one is most likely a slip of; ""
	Note    bool       // a warning of what can't be otherwise: no strictness minds it
}

// Kind tells problems apart for who mends them.
type Kind string

// Kinds of problems.
const (
	Unreadable     Kind = "unreadable"      // the file is no recipe of a version that can be read
	UnknownSection Kind = "unknown section" // see Near
	UnknownKey     Kind = "unknown key"     // see Near
	SectionTwice   Kind = "section twice"
	Twice          Kind = "twice"        // something other than a section
	Unexpected     Kind = "unexpected"   // something else belongs there
	TextAtKeys     Kind = "text at keys" // text that an empty line should part from keys
	NotBool        Kind = "not bool"
)

// Permission is what a user lets a recipe do, as --allow names it.
type Permission string

// What a recipe may need.
const (
	AllowUnrestricted Permission = "unrestricted" // the files of the whole host
	AllowNetwork      Permission = "network"      // any host
	AllowHosts        Permission = "hosts"        // those that it names
	AllowHostMCP      Permission = "host-mcp"     // MCP servers that are asked from this machine
)

// List are all problems found, reported together. As an error it prints
// one a line, hints below.
type List []Problem

func (ps List) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: ", p.Pos)
		if p.Warning {
			b.WriteString("warning: ")
		}
		b.WriteString(p.Msg)
		if p.Hint != "" {
			fmt.Fprintf(&b, "\n  hint: %s", p.Hint)
		}
	}
	return b.String()
}

// Sort orders problems by file, line and column.
func (ps List) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
}

// Errors gives the problems that are no warnings.
func (ps List) Errors() List {
	return slices.DeleteFunc(slices.Clone(ps), func(p Problem) bool { return p.Warning })
}

// Strict gives the problems that are no notes.
func (ps List) Strict() List {
	return slices.DeleteFunc(slices.Clone(ps), func(p Problem) bool { return p.Note })
}
