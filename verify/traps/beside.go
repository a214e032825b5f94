package traps

import (
	"maps"
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
	passing = pattern.New(`^(/tmp|/var/tmp|/dev|/run/user)(/|$)`)
	// noMask is a mask by which all that is made may be written by everybody.
	noMask = pattern.New(`^(0{1,4}|[au]?go?=rwx|a=rwx|ugo=rwx)$`)
	// moded are programs that are told the mode of what they make, or make what carries no data.
	moded = strings.Fields("mkfifo mknod install umask")
	// ofMany are programs that others run, too, whatever they do with them.
	ofMany = strings.Fields("sh bash dash zsh env node npm python python3 perl ruby java go php sed awk gawk grep cat " +
		"tail head sleep tee git make ssh sshd rsync cp tar gzip find xargs sort curl wget vim nano less cron crond flock " +
		"timeout")
	// signal is an option of pkill and killall that says which signal they send: 0 only asks. ofOwn are options by
	// which pkill ends only the processes of a parent, a group, a session or a file.
	signal = pattern.New(`^-(\d+|(SIG)?[A-Z]{3,}\d?)$`)
	ofOwn  = pattern.New(`^(-[A-Za-z]*[PgsFtu]|--(parent|pgroup|session|pidfile|terminal))`)
)

// toThose counts what a script does to those who run it and to others.
func toThose(script string) map[string]int {
	out := map[string]int{}
	f, err := shell.Parse(script)
	if err != nil {
		return out
	}
	set, pipes := scopeOf(f), map[string]bool{}
	syntax.Walk(f, func(part syntax.Node) bool {
		if c, is := part.(*syntax.CallExpr); is {
			if words := unprefixed(written(c)); len(words) > 1 && slices.Contains(moded, path.Base(words[0])) {
				pipes[words[len(words)-1]] = words[0] == "mkfifo"
			}
			set.toEverybody(c, pipes, out)
			toOthers(c, out)
			if words := unprefixed(written(c)); len(words) > 1 && shellNames.MatchString(path.Base(words[0])) {
				if inner, is := given(words[1:]); is && !strings.Contains(inner, "$") {
					maps.Copy(out, toThose(inner))
				}
			}
		}
		if unmasked(part) {
			out["opens all that it makes"]++
		}
		return true
	})
	if silenced(f) {
		out["hides all its errors"]++
	}
	maps.Copy(out, orders(f))
	if fetched.MatchString(script) {
		out[downloads]++
	}
	return out
}

// downloads is what such a script does: forges and builds have good reasons to.
const downloads = "runs what another machine sends"

// fetched is how a shell, or another interpreter, runs what another machine sends.
var fetched = pattern.New(`(?m)^[^#\n]*(\b(curl|wget)\s[^|;&\n]*\|\s*(sudo\s+(-\w+\s+)*)?(\S*/)?(ba|da|z)?sh\b|` +
	`\b(sh|bash)\s+(-c\s+)?["']?(<\(|\$\()\s*(curl|wget)\s|\beval\s+["']?\$\(\s*(curl|wget)\s)`)

// toEverybody counts commands by which everybody may write what a script makes, names or is given, but for pipes that
// it has made.
func (v scope) toEverybody(c *syntax.CallExpr, pipes map[string]bool, out map[string]int) {
	words := whoseMode(unprefixed(v.modes(written(c))))
	if len(words) < 3 || !slices.ContainsFunc(words[1:], widely.MatchString) {
		return
	}
	for i, is := range v.in(words) {
		w := words[min(i, len(words)-1)]
		if i > 0 && !strings.HasPrefix(w, "-") && !widely.MatchString(w) && !brief.MatchString(w) && !pipes[w] &&
			!passing.MatchString(is) {
			out["opens "+w]++
		}
	}
}

// modes are words in which a variable stands for the mode that it is set to.
func (v scope) modes(words []string) []string {
	out := slices.Clone(words)
	for i, w := range words {
		if m := leading.FindStringSubmatch(w); m != nil && m[0] == w && widely.MatchString(v[m[1]]) {
			out[i] = v[m[1]]
		}
	}
	return out
}

// whoseMode are the words of a command that may say who may write what: those of chmod, also where find starts it for
// what it finds, and of install and mkdir, where they are told a mode.
func whoseMode(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	switch name := path.Base(words[0]); name {
	case "chmod":
		return words
	case "find":
		at := slices.Index(words, "chmod")
		if at < 2 || !strings.HasPrefix(words[at-1], "-exec") {
			return nil
		}
		var rest []string
		for _, w := range words[at+1:] {
			if !slices.Contains([]string{"{}", "+", ";", `\\;`}, w) {
				rest = append(rest, w)
			}
		}
		return append(append([]string{"chmod"}, rest...), words[1])
	case "install", "mkdir":
		for i, w := range words {
			mode := strings.TrimPrefix(strings.TrimPrefix(w, "--mode="), "-m")
			if w == "-m" || w == "--mode" {
				mode = words[min(i+1, len(words)-1)]
			}
			if mode != w && widely.MatchString(mode) {
				return []string{name, mode, words[len(words)-1]}
			}
		}
	}
	return nil
}

// unmasked reports whether a part of a script takes the mask away for what is made after that in it: by the time
// there is another one, not only what has a mode of its own has been made.
func unmasked(part syntax.Node) bool {
	var list []*syntax.Stmt
	switch n := part.(type) {
	case *syntax.File:
		list = n.Stmts
	case *syntax.Subshell:
		list = n.Stmts
	case *syntax.Block:
		list = n.Stmts
	case *syntax.CmdSubst:
		list = n.Stmts
	}
	open, restored, makes := false, false, false
	for _, s := range list {
		syntax.Walk(s, func(n syntax.Node) bool {
			c, is := n.(*syntax.CallExpr)
			if !is {
				_, apart := n.(*syntax.Subshell)
				_, asked := n.(*syntax.CmdSubst)
				return open || !apart && !asked // a mask in there is none out here
			}
			words := unprefixed(written(c))
			switch {
			case len(words) == 2 && words[0] == "umask" && noMask.MatchString(words[1]):
				open, restored = true, false
			case len(words) == 2 && words[0] == "umask":
				restored = true
			case open && !restored && len(words) > 0:
				makes = makes || !slices.Contains(moded, path.Base(words[0])) &&
					!(path.Base(words[0]) == "mkdir" && slices.ContainsFunc(words, ofMode.MatchString))
			}
			return true
		})
	}
	return open && (makes || !restored && len(list) == 1)
}

// ofMode is how mkdir is told a mode.
var ofMode = pattern.New(`^(-\w*m|--mode)`)

// toOthers counts commands that end all processes of a user, or all that run a program which others run, too.
func toOthers(c *syntax.CallExpr, out map[string]int) {
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
		own := func(w string) bool { return w == "-0" || ofOwn.MatchString(w) && !signal.MatchString(w) }
		if slices.Contains(ofMany, strings.Trim(last, "^$")) && !slices.ContainsFunc(words, own) {
			out["ends every "+last]++
		}
	}
}

// silenced reports whether a script throws away all that it and its commands say of errors. One that lets go of its
// input as well is none that anybody looks at, and one that takes them back before it goes on has only asked something.
func silenced(f *syntax.File) bool {
	thrown := false
	for i, s := range f.Stmts {
		c, is := s.Cmd.(*syntax.CallExpr)
		if !is || len(c.Args) != 1 || shell.Text(c.Args[0]) != "exec" || s.Background {
			continue
		}
		for _, r := range s.Redirs {
			away, of := shell.Text(r.Word) == "/dev/null", ""
			if r.N != nil {
				of = r.N.Value
			}
			switch {
			case r.Op == syntax.DplIn && shell.Text(r.Word) == "-" && (of == "" || of == "0"),
				away && (r.Op == syntax.RdrIn || of == "0"):
				return false
			case away && (r.Op == syntax.RdrAll || of == "2"),
				r.Op == syntax.DplOut && of == "2" && slices.ContainsFunc(s.Redirs, throwsOutput):
				thrown = true
			case of == "2" && i < len(f.Stmts)-1:
				thrown = false
			}
		}
	}
	return thrown
}

// throwsOutput reports whether a redirection throws standard output away.
func throwsOutput(r *syntax.Redirect) bool {
	return r.Op == syntax.RdrOut && (r.N == nil || r.N.Value == "1") && shell.Text(r.Word) == "/dev/null"
}

var (
	// forgiving is how a Makefile has make go on whatever fails, or where what it builds or tests fails.
	forgiving = pattern.New(`(?m)^\.IGNORE[ \t]*:([ \t]*$|.*(\$|%|\w\.\w|\b(all|test|check|build)\b))|` +
		`^(export )?(GNU)?MAKEFLAGS\s*[:+?]?=[^$\n]*(\s|=|^)(-\w*i|--ignore-errors|i)\b`)
	// forgiven is a command of a recipe whose failure is none.
	forgiven = pattern.New(`(?m)^\t[@+ ]*-[@+ ]*([^\n]+)$|^\t[@+\- ]*([^\n]+?)\s*(?:\|\||;)\s*(?:true|:|exit 0)\s*$`)
	// building is a command that builds or tests something.
	building = pattern.New(`>\s*"?\$@|\$[({](CC|CXX|LD|AR|GO|PYTHON|NODE|CARGO)[)}]|\b(gcc|cc|` +
		`clang|g\+\+|ld|javac|rustc|tsc)\s|\b(go|cargo|npm|mvn|gradle|make|dotnet)\s+` +
		`(build|test|vet|run|compile|install)\b|\b(pytest|unittest|ctest|jest)\b`)
	// minor is a command, or the last of a pipe, whose failure is an answer; what only asks, cleans up or is told
	// to look at style.
	minor = pattern.New(`^(diff|cmp|[ef]?grep|command|which|type|test|\[|git|echo|printf)\s|--?version\b|` +
		`(\)|\bgo|\brun|\s-m|\bpip)\s+(clean|uninstall|version|env|lint|watch|dev|flake8|pylint|mypy|ruff|black)\b`)
	// ending is a command after whose failure the recipe ends.
	ending = pattern.New(`[^;|&]*\|\|\s*(exit\s+[1-9$]|\{[^}]*\bexit\s+[1-9$][^}]*\})`)
	// between stands between commands of a recipe, but for those of a pipe.
	between = pattern.New(`;|&&|\|\|`)
)

// Forgives are the commands of a Makefile of which make has come to forgive that they fail, and "everything".
func Forgives(was, is string) (list []string) {
	if forgiving.MatchString(is) && !forgiving.MatchString(was) {
		list = append(list, "everything")
	}
	count := func(text string) map[string]int {
		out := map[string]int{}
		for _, m := range forgiven.FindAllStringSubmatch(text, -1) {
			command := m[1] + ending.ReplaceAllString(m[2], "")
			if slices.ContainsFunc(strings.Split(between.ReplaceAllString(command, "\n"), "\n"), builds) {
				out[m[1]+m[2]]++
			}
		}
		return out
	}
	return append(list, more(count(was), count(is))...)
}

// builds reports whether a command of a recipe builds or tests something.
func builds(command string) bool {
	last := command[strings.LastIndexByte(command, '|')+1:]
	return building.MatchString(command) && !minor.MatchString(strings.TrimSpace(command)) &&
		!minor.MatchString(strings.TrimSpace(last))
}
