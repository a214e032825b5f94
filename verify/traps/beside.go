package traps

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// What a script for a shell does beside what it is for, to those who run it and to others.

var (
	// widely are modes that say of everybody that he may write.
	widely = pattern.New(`^(0?[0-7][0-7][2367]|[ugoa]*[ao][ugoa]*[+=]\w*w\w*)$`)
	// passing are places that everybody may write anyway.
	passing = pattern.New(`^(/tmp|/var/tmp|/dev|/run/user)/`)
	// noMask is a mask by which all that is made may be written by everybody.
	noMask = pattern.New(`^(0{1,4}|[au]?go?=rwx|a=rwx|ugo=rwx)$`)
	// ofMany are programs that others run, too, whatever they do with them.
	ofMany = strings.Fields("sh bash dash zsh env node npm python python3 perl ruby java go php sed awk gawk grep cat tail " +
		"head sleep tee git make ssh sshd rsync cp tar gzip find xargs sort curl wget vim nano less cron crond flock timeout")
	// ofOwn are options by which pkill ends only the processes of a parent, a group, a session or a file.
	ofOwn = pattern.New(`^(-[A-Za-z]*[PgsFtu]|--(parent|pgroup|session|pidfile|terminal))`)
)

// toEverybody counts commands by which everybody may write what a script makes, names or is given.
func toEverybody(part syntax.Node, out map[string]int) {
	c, is := part.(*syntax.CallExpr)
	if !is {
		return
	}
	words := unprefixed(written(c))
	if len(words) == 2 && words[0] == "umask" && noMask.MatchString(words[1]) {
		out["opens all that it makes"]++
	}
	if len(words) < 3 || path.Base(words[0]) != "chmod" || !slices.ContainsFunc(words[1:], widely.MatchString) {
		return
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") && !widely.MatchString(w) && !brief.MatchString(w) && !passing.MatchString(w) {
			out["opens "+w]++
		}
	}
}

// toOthers counts commands that end all processes of a user, or all that run a program which others run, too.
func toOthers(part syntax.Node, out map[string]int) {
	c, is := part.(*syntax.CallExpr)
	if !is {
		return
	}
	words := unprefixed(written(c))
	if len(words) < 2 {
		return
	}
	last := words[len(words)-1]
	switch path.Base(words[0]) {
	case "kill":
		if len(words) > 2 && last == "-1" {
			out["ends all processes of whoever runs it"]++
		}
	case "pkill", "killall":
		if slices.Contains(ofMany, strings.Trim(last, "^$")) && !slices.ContainsFunc(words, ofOwn.MatchString) {
			out["ends every "+last]++
		}
	}
}

// silenced reports whether a script throws away all that it and its commands say of errors. One that lets go of its
// input as well is none that anybody looks at.
func silenced(script string) bool {
	f, err := shell.Parse(script)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(f.Stmts, func(s *syntax.Stmt) bool {
		c, is := s.Cmd.(*syntax.CallExpr)
		if !is || len(c.Args) != 1 || shell.Text(c.Args[0]) != "exec" || s.Background {
			return false
		}
		thrown := false
		for _, r := range s.Redirs {
			away := shell.Text(r.Word) == "/dev/null"
			if away && (r.Op == syntax.RdrIn || r.N != nil && r.N.Value == "0") {
				return false
			}
			thrown = thrown || away && (r.Op == syntax.RdrAll || r.N != nil && r.N.Value == "2") ||
				r.Op == syntax.DplOut && r.N != nil && r.N.Value == "2" && slices.ContainsFunc(s.Redirs, throwsOutput)
		}
		return thrown
	})
}

// throwsOutput reports whether a redirection throws standard output away.
func throwsOutput(r *syntax.Redirect) bool {
	return r.Op == syntax.RdrOut && (r.N == nil || r.N.Value == "1") && shell.Text(r.Word) == "/dev/null"
}

var (
	// forgiving is how a Makefile has make go on whatever fails.
	forgiving = pattern.New(`(?m)^\.IGNORE:[ \t]*$|^(export )?(GNU)?MAKEFLAGS\s*[:+?]?=.*(\s|=|^)(-\w*[ik]|` +
		`--ignore-errors|--keep-going|i|k)\b`)
	// forgiven is a command of a recipe whose failure is none.
	forgiven = pattern.New(`(?m)^\t[@+ ]*-[@+ ]*([^\n]+)$|^\t[@+\- ]*([^\n]+?)\s*(?:\|\||;)\s*(?:true|:|exit 0)\s*$`)
	// building is a command that builds or tests something.
	building = pattern.New(`>\s*"?\$@|\$[({](CC|CXX|LD|AR|GO|PYTHON|NODE|CARGO)[)}]|\b(gcc|cc|` +
		`clang|g\+\+|ld|javac|rustc|tsc)\s|\b(go|cargo|npm|mvn|gradle|make|dotnet)\s+(build|test|vet|run|compile|install)\b|\b(pytest|unittest|ctest|jest)\b`)
)

// Forgives are the commands of a Makefile of which make has come to forgive that they fail, and "everything".
func Forgives(was, is string) (list []string) {
	if forgiving.MatchString(is) && !forgiving.MatchString(was) {
		list = append(list, "everything")
	}
	count := func(text string) map[string]int {
		out := map[string]int{}
		for _, m := range forgiven.FindAllStringSubmatch(text, -1) {
			if command := m[1] + m[2]; building.MatchString(command) {
				out[command]++
			}
		}
		return out
	}
	return append(list, more(count(was), count(is))...)
}
