package verify

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/recipe"
	"cookoff/shell"
)

// rules are the names of warnings that a recipe may allow.
var rules = []string{"literal-grep", "prefix-match", "command-line", "cannot-fail", "open-tests", "no-control", "not-simple", "no-before", "no-solution"}

// rule adds a warning that a recipe may allow by name.
func (fs *findings) rule(name, key, hint, format string, args ...any) {
	fs.list = append(fs.list, Finding{Key: fs.prefix + key, Rule: name, Msg: fmt.Sprintf(format, args...), Hint: hint, Warning: true})
}

// allowLine is how a script allows a warning.
var allowLine = pattern.New(`(?m)(?:^|[ \t;])#[ \t]*lint:[ \t]*allow[ \t]+([\w-]+)[ \t]*(?::[ \t]*(.*?))?[ \t]*$`)

// allowed is one warning that a script allows.
type allowed struct {
	key, rule string
	used      bool
}

// lintAllowed takes away the warnings that scripts, by key, allow, and warns of
// what they allow in vain. A warning at a key that is no script may be allowed
// in any script of its task.
func lintAllowed(fs *findings, scripts []keyed) {
	var list []*allowed
	is := map[string]bool{}
	for _, s := range scripts {
		is[s.key] = true
		for _, m := range allowLine.FindAllStringSubmatch(s.text, -1) {
			switch {
			case !slices.Contains(rules, m[1]):
				fs.warn(s.key, oneOf(m[1], rules), "lint: allow %s: no warning has that name", m[1])
			case m[2] == "":
				fs.warn(s.key, "# lint: allow "+m[1]+": REASON", "lint: allow %s gives no reason", m[1])
			default:
				list = append(list, &allowed{key: s.key, rule: m[1]})
			}
		}
	}
	fs.list = slices.DeleteFunc(fs.list, func(f Finding) bool {
		for _, a := range list {
			if f.Rule == a.rule && (a.key == f.Key || !is[f.Key] && taskOf(a.key) == taskOf(f.Key)) {
				a.used = true
				return true
			}
		}
		return false
	})
	for _, a := range list {
		if !a.used {
			fs.warn(a.key, "drop the comment", "lint: allow %s: there is nothing to allow", a.rule)
		}
	}
	for i, f := range fs.list {
		if f.Rule != "" && f.Hint != "" {
			fs.list[i].Hint += fmt.Sprintf("; or say in a comment of the script why it is right: # lint: allow %s: REASON", f.Rule)
		}
	}
}

// taskOf gives the part of a key that names its task; "": none, or the task
// alone is linted.
func taskOf(key string) string {
	if !strings.HasPrefix(key, "tasks[") {
		return ""
	}
	head, _, _ := strings.Cut(key, "].")
	return strings.TrimSuffix(head, "]")
}

// keyed is a script, and the key that it stands at.
type keyed struct{ key, text string }

// scriptsOf are the scripts of a task that may allow warnings.
func scriptsOf(prefix string, t recipe.Task) []keyed {
	list := []keyed{{prefix + "setup", t.Setup}, {prefix + "before", t.Before}, {prefix + "solution", t.Solution}}
	for i, c := range t.After {
		list = append(list, keyed{fmt.Sprintf("%safter[%d]", prefix, i), c.Script})
	}
	for i, c := range t.Guard {
		list = append(list, keyed{fmt.Sprintf("%sguard[%d]", prefix, i), c.Script})
	}
	for i, b := range t.Verify {
		list = append(list, keyed{fmt.Sprintf("%sverify[%d].command", prefix, i), b.Command})
	}
	return slices.DeleteFunc(list, func(s keyed) bool { return s.text == "" })
}

// parsed is a script; nil: it is none.
func parsed(src string) *syntax.File {
	f, err := shell.Parse(src)
	if err != nil {
		return nil
	}
	return f
}
