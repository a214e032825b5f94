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

// keyLike are values that services give out as keys: GitHub, OpenAI and Anthropic, Slack, AWS, Google,
// GitLab, Hugging Face.
var keyLike = pattern.New(`^(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|sk-[A-Za-z0-9_-]{20,}|` +
	`xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|glpat-[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{20,})$`)

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
	case keyLike.MatchString(value):
		p.Problem(v.Off, "who reads the recipe reads it, and contestants do; a check may take a made-up one",
			"the value of %s looks like a key of a service", name)
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
