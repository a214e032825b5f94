package questions

import (
	"path"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/verify/traps"
)

// OfShells stands for the extension of files that a shell reads by itself: these ask who looks on, and at which
// machine, for good reasons, and have none to ask what they were started for.
const OfShells = "profile"

// interpreted are extensions for programs that say themselves what runs them.
var interpreted = map[string]string{"sh": ".sh", "bash": ".sh", "dash": ".sh", "zsh": ".sh", "ksh": ".sh",
	"python": ".py", "node": ".js", "ruby": ".rb", "php": ".php", "lua": ".lua", "luajit": ".lua", "perl": ".pl"}

// Named is the name of a program with an extension that says its language; "": it has none.
func Named(p, text string) string {
	if path.Ext(p) != "" {
		return p
	}
	line, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return ""
	}
	by := path.Base(words[0])
	if rest := words[1:]; by == "env" && len(rest) > 0 {
		by = path.Base(rest[len(rest)-1])
	}
	if ext := interpreted[strings.TrimRight(by, "0123456789.")]; ext != "" {
		return p + ext
	}
	return ""
}

// IsSource reports whether a file is a program in a language that is read for questions about tests.
func IsSource(p string) bool { return onlookerOf(p) != nil }

func onlookerOf(p string) *pattern.Pattern { return onlookers[Language(p)] }

// Language is the extension by which the language of a program is known; of one that is in none, that of its name.
func Language(p string) string {
	ext := path.Ext(p)
	switch ext {
	case ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx":
		ext = ".js"
	case ".kt", ".groovy", ".scala":
		ext = ".java"
	case ".bash", ".zsh":
		ext = ".sh"
	case ".pm":
		ext = ".pl"
	case ".h", ".cc", ".cpp", ".cxx", ".hpp":
		ext = ".c"
	default:
		if traps.Profile(p) {
			ext = OfShells
		}
	}
	return ext
}

// joined is between two literals that make one: "unit" + "test".
var joined = pattern.New(`"(\s*\+\s*|[ \t]+)"|'(\s*\+\s*|[ \t]+)'`)

// WithoutComments are lines of a program but for those that are nothing but a comment.
func WithoutComments(p, lines string) string {
	if own := onlookerOf(p); own == onlookers[".py"] || own == onlookers[".rb"] || own == onlookers[".sh"] ||
		own == onlookers[OfShells] || own == onlookers[".pl"] {
		return hashed.ReplaceAllString(lines, "")
	}
	return Remarks.ReplaceAllString(lines, "")
}

// joinedNames has words that are written in pieces as one.
func joinedNames(lines string) string {
	return joined.ReplaceAllString(lines, "")
}

// OfTests are words by which the path of a file says that it is of tests.
var OfTests = []string{"test", "spec", "mock", "fixture"}
