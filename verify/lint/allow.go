package lint

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/recipe"
)

// rules are the names of warnings that a recipe may allow.
var rules = []string{
	"literal-grep", "existence", "prefix-match", "opposite-match", "command-line", "cannot-fail", "open-tests",
	"no-control", "not-simple", "no-before", "no-solution", "undecided",
}

// rule adds a warning that a recipe may allow by name.
func (fs *Findings) rule(name, key, hint, format string, args ...any) {
	fs.List = append(fs.List, Finding{Key: fs.prefix + key, Rule: name, Msg: fmt.Sprintf(format, args...), Hint: hint,
		Warning: true})
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
func lintAllowed(fs *Findings, scripts []keyed) {
	var list []*allowed
	is := map[string]bool{}
	for _, s := range scripts {
		is[s.key] = true
		for _, m := range allowLine.FindAllStringSubmatch(s.text, -1) {
			switch {
			case !slices.Contains(rules, m[1]):
				fs.Warn(s.key, oneOf(m[1], rules), "lint: allow %s: no warning has that name", m[1])
			case m[2] == "":
				fs.Warn(s.key, "# lint: allow "+m[1]+": REASON", "lint: allow %s gives no reason", m[1])
			default:
				list = append(list, &allowed{key: s.key, rule: m[1]})
			}
		}
	}
	fs.List = slices.DeleteFunc(fs.List, func(f Finding) bool {
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
			fs.Warn(a.key, "drop the comment", "lint: allow %s: there is nothing to allow", a.rule)
		}
	}
	for i, f := range fs.List {
		if f.Rule != "" && f.Hint != "" {
			fs.List[i].Hint += "; or say in a comment of the script why it is right: # lint: allow " +
				f.Rule + ": REASON"
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
