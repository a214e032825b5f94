// Package offers says what a module of a program gives to those who use it from outside of the project.
package offers

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// language is how modules of a language give names to others.
type language struct {
	offered []*pattern.Pattern // the name is the last group
	empty   string             // a function of the name NAME that does nothing
	open    *pattern.Pattern   // gives names that it does not say
	comment *pattern.Pattern
}

var slashes, hashes = pattern.New(`(?m)//.*$`), pattern.New(`(?m)#.*$`)

var languages = map[string]language{
	".go": {
		offered: []*pattern.Pattern{
			pattern.New(`(?m)^func (?:\((?:\w+ )?\*?([A-Z]\w*)(?:\[[^\]\n]*\])?\) )?([A-Z]\w*)[(\[]`),
			pattern.New(`(?m)^(?:type|var|const) ([A-Z]\w*)`),
		},
		empty:   `(?m)^func (?:\([^)\n]*\) )?NAME\(.*\{\s*(?:return(?: nil)?\s*)?\}\s*$`,
		open:    pattern.New(`\A\z`),
		comment: slashes,
	},
	".py": {
		offered: []*pattern.Pattern{pattern.New(`(?m)^(?:    )?(?:async )?(?:def|class) ([A-Za-z]\w*)`)},
		empty: `(?m)^(?:    )?(?:async )?def NAME\(.*:\s*\n(?:\s+(?:"""[^"]*"""|'''[^']*''')\s*\n)?` +
			`\s+(?:pass|\.\.\.|return(?: None)?)\s*\n(?:\s*\n)*(?:\z|\S|    (?:def|@))`,
		open:    pattern.New(`import \*|\b__getattr__\b|\bsetattr\(|\bglobals\(\)`),
		comment: hashes,
	},
	".js": {
		offered: []*pattern.Pattern{
			pattern.New(`(?m)^(?:module\.)?exports\.(\w+)\s*=[^=]`),
			pattern.New(`(?m)^export (?:default )?(?:declare )?(?:async )?(?:function\*?|class|const|let|var|type|` +
				`interface|enum) (\w+)`),
		},
		empty: `(?m)^(?:export )?(?:default )?(?:async )?function NAME\(.*\{\s*` +
			`(?:return(?: (?:null|undefined))?;?\s*)?\}\s*$`,
		open: pattern.New(`\.\.\.|\bexport \*|\bmodule\.exports\s*=\s*[^{\s]|\bexports\[|` +
			`\bObject\.(assign|defineProperty|defineProperties|entries)\(`),
		comment: slashes,
	},
}

// listed are the names that a module of JavaScript gives in one list.
var listed = pattern.New(`(?m)^(?:module\.exports\s*=|export)\s*\{([^{}]*)\}`)

// A Module is a text of a program at a path, and what other programs of the project say: a name of which they speak is
// theirs to ask for.
type Module struct {
	Path, Text string
	Users      []string
}

// Lost are the names that a module gave, and that neither it (is, "" if it is gone) nor what else is new gives any
// more, and the functions that do nothing any more. A module that gives nothing of what it gave is missed by checks.
func (m Module) Lost(is, others string) (gone, emptied []string) {
	l, _ := of(m.Path)
	rest := l.comment.ReplaceAllString(is+"\n"+others, "")
	isOpen := l.open.MatchString(rest)
	kept := false
	for _, name := range l.names(l.comment.ReplaceAllString(m.Text, "")) {
		gives := l.gives(rest, name)
		kept = kept || gives
		switch {
		case !gives:
			if !isOpen && !m.uses(name) {
				gone = append(gone, name)
			}
		case l.doesNothing(is, name) && !l.doesNothing(m.Text, name):
			emptied = append(emptied, name)
		}
	}
	if !kept {
		return nil, nil
	}
	return gone, emptied
}

// uses reports whether other programs use a name, or of Python the module itself.
func (m Module) uses(name string) bool {
	word := regexp.MustCompile(`\b` + name + `\b`)
	return slices.ContainsFunc(m.Users, word.MatchString) ||
		path.Ext(m.Path) == ".py" && len(word.FindAllString(m.Text, 2)) > 1
}

func of(p string) (language, bool) {
	ext := path.Ext(p)
	switch ext {
	case ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx":
		ext = ".js"
	}
	l, ok := languages[ext]
	return l, ok
}

// program is a package of Go that nobody can use.
var program = pattern.New(`(?m)^package main\b`)

// Outside reports whether a text is a module that others than the project may use. One of Python lies in a package.
func Outside(p, text string, inPackage bool) bool {
	_, ok := of(p)
	switch {
	case !ok || Built(p) || strings.HasPrefix(text, "#!") || strings.Contains("/"+p, "/internal/"):
		return false
	case path.Ext(p) == ".go":
		return !program.MatchString(text)
	case path.Ext(p) == ".py":
		return inPackage && !strings.Contains(text, "__main__")
	}
	return true
}

var built = pattern.New(`(^|/)(dist|build|out|target|coverage|htmlcov|site)/|\.min\.\w+$`)

// Built reports whether a file lies where programs are put together from others: what it says is said there.
func Built(p string) bool { return built.MatchString(p) }

func (l language) names(text string) (names []string) {
	for _, p := range l.offered {
		for _, m := range p.FindAllStringSubmatch(text, -1) {
			names = append(names, m[len(m)-1])
		}
	}
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(m[1], ",") {
			name, _, _ = strings.Cut(name, ":")
			if _, as, ok := strings.Cut(name, " as "); ok {
				name = as
			}
			if name = strings.TrimSpace(name); word.MatchString(name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var word = pattern.New(`^\w+$`)

// gives reports whether a text has a name where names are given; of Python, anywhere.
func (l language) gives(text, name string) bool {
	if l.comment == hashes {
		return regexp.MustCompile(`\b` + name + `\b`).MatchString(text)
	}
	return slices.Contains(l.names(text), name) ||
		l.open == languages[".go"].open &&
			regexp.MustCompile(`(?m)^\s*(?:var |const |type )?[\w, ]*\b`+name+`\b`).MatchString(text)
}

func (l language) doesNothing(text, name string) bool {
	return regexp.MustCompile(strings.ReplaceAll(l.empty, "NAME", name)).MatchString(text)
}
