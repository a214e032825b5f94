package recipe

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// envName is what the name of a variable may be.
var envName = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ownEnv are variables that a world sets itself; all else may be set.
var ownEnv = []string{"HOME", "USER", "LOGNAME", "SHELL", "PATH", "TMPDIR", "COOKOFF_DRAW", "HTTP_PROXY", "HTTPS_PROXY",
	"NO_PROXY"}

// envKey reads NAME=VALUE, several with commas or as bullets.
func envKey(name string, to *[]string) key {
	k := listKey(name, to)
	return key{name, true, func(p *reader, e entry, origin source.Slot) {
		for _, v := range p.list(e) {
			if envEntry(p, v, *to) {
				p.Note(origin, len(*to), v.Off)
				*to = append(*to, v.Plain())
			}
		}
	}, k.show}
}

// envEntry reports whether v is NAME=VALUE that may be set beside those before.
func envEntry(p *reader, v source.Span, before []string) bool {
	name, value, set := strings.Cut(v.Plain(), "=")
	switch {
	case !set || !envName.MatchString(name):
		p.problem(v.Off, "write NAME=value, and \"NAME=a, b\" in quotes where the value has a comma",
			"%q sets no variable", v.Plain())
	case strings.ContainsAny(value, "\x00\n"):
		p.problem(v.Off, "", "the value of %s has a line break or a NUL in it", name).Kind = problem.Unreadable
	case slices.Contains(ownEnv, strings.ToUpper(name)):
		p.problem(v.Off, hintOfOwn(name), "%s belongs to the world: a recipe can't set it", name)
	case slices.ContainsFunc(before, func(e string) bool { return strings.HasPrefix(e, name+"=") }):
		p.problem(v.Off, "", "%s is set twice", name).Kind = problem.Twice
	default:
		return true
	}
	return false
}

func hintOfOwn(name string) string {
	if name == "PATH" {
		return "path: names the task's own directories of programs"
	}
	return ""
}
