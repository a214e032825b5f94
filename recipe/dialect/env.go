package dialect

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// EnvName is what the name of a variable may be.
var EnvName = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ownEnv are variables that a world sets itself; all else may be set.
var ownEnv = []string{"HOME", "USER", "LOGNAME", "SHELL", "PATH", "TMPDIR", "COOKOFF_DRAW", "HTTP_PROXY", "HTTPS_PROXY",
	"NO_PROXY"}

// EnvKey reads NAME=VALUE, several with commas or as bullets.
func EnvKey(name string, to *[]string) Key {
	k := ListKey(name, to)
	return Key{name, true, func(p *Reader, e Entry, origin source.Slot) {
		for _, v := range p.List(e) {
			if EnvEntry(p, v, *to) {
				p.Note(origin, len(*to), v.Off)
				*to = append(*to, v.Plain())
			}
		}
	}, k.Show}
}

// EnvEntry reports whether v is NAME=VALUE that may be set beside those before.
func EnvEntry(p *Reader, v source.Span, before []string) bool {
	name, value, set := strings.Cut(v.Plain(), "=")
	switch {
	case !set || !EnvName.MatchString(name):
		p.Problem(v.Off, "write NAME=value, and \"NAME=a, b\" in quotes where the value has a comma",
			"%q sets no variable", v.Plain())
	case strings.ContainsAny(value, "\x00\n"):
		p.Problem(v.Off, "", "the value of %s has a line break or a NUL in it", name).Kind = problem.Unreadable
	case slices.Contains(ownEnv, strings.ToUpper(name)):
		p.Problem(v.Off, hintOfOwn(name), "%s belongs to the world: a recipe can't set it", name)
	case slices.ContainsFunc(before, func(e string) bool { return strings.HasPrefix(e, name+"=") }):
		p.Problem(v.Off, "", "%s is set twice", name).Kind = problem.Twice
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
