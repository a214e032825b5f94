// Package traps knows the files by which something runs by itself later: what
// shells, git, npm, Python and other programs read and obey unasked. It only
// reads what such a file says; it never runs a program.
package traps

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/glob"
	"cookoff/sandbox"
)

// All is the name of the one setting of a file that counts as a whole.
const All = ""

// Tool is a program, or a kind of programs, that obeys files.
type Tool interface {
	// Reads reports whether the tool reads a file of that path, which is as in
	// a manifest.
	Reads(path string) bool
	// Settings gives what a file says, by name. A file that can't be read as
	// the tool's has one setting, All.
	Settings(f sandbox.Item) map[string]string
	// Runs says what comes to run by a setting; "" for nothing.
	Runs(name, value string) string
}

// Tools are all that are known.
func Tools() []Tool {
	return []Tool{
		gitConfig{}, gitHooks{}, gitReplacements{}, npmPackage{}, npmSettings{}, pipelines{}, javaScript{}, python{}, goSettings{},
		cargo{}, rustup{},
		makeFiles{}, jvm{}, jvmProperties{}, variables{}, shells{}, sshConfig{}, sessions{}, programs{}, editors{}, styles{},
		servers{},
		loaders{}, managers{}, mise{}, guards{},
	}
}

// For gives the first tool that reads a file; nil for none.
func For(tools []Tool, path string) Tool {
	for _, t := range tools {
		if t.Reads(path) {
			return t
		}
	}
	return nil
}

// Whole is what a file says that counts as a whole.
func Whole(f sandbox.Item) map[string]string {
	switch {
	case f.Gone || f.Mode.IsDir():
		return nil
	case f.Link != "":
		return map[string]string{All: "-> " + f.Link}
	}
	return map[string]string{All: string(f.Data)}
}

// matches reports whether a glob matches a path.
func matches(globs []string, p string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(g, p) })
}

// within reports whether a path is one of the directories, or below one, or a
// directory on the way to one, which a link may stand for.
func within(dirs []string, p string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool {
		return p == d || strings.HasPrefix(p, d+"/") ||
			strings.HasPrefix(d, p+"/")
	})
}

// wholeFiles is a tool that has files run, or obeys all that they say.
type wholeFiles struct{}

func (wholeFiles) Settings(f sandbox.Item) map[string]string { return Whole(f) }

// text is the content of a file that lines are read from.
func text(f sandbox.Item) string { return strings.ReplaceAll(string(f.Data), "\r\n", "\n") }

// regular reports whether the content of a file is there to be read.
func regular(f sandbox.Item) bool {
	return !f.Gone && f.Link == "" && f.Mode.IsRegular() && f.Left == ""
}

// base is the last part of a path.
func base(p string) string { return path.Base(p) }
