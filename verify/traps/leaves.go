package traps

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
)

// Leaves are the programs that a script for a shell leaves to run after it has ended, and that it did not leave before:
// commands in the background that wait, and then take something away or end another program, as in
// (sleep 60; rm -rf data) &. They are sorted.
func Leaves(was, is string) []string { return more(counted(was, leaving), counted(is, leaving)) }

var (
	// waiting is what lets time pass.
	waiting = pattern.New(`\b(sleep|usleep|inotifywait|until|while|wait)\b|--pid`)
	// limited is a program that is started to stay, and that a time limit ends.
	limited = pattern.New(`^\s*((setsid|nohup)( -\S+)* )+timeout `)
	// ended is a command that ends a program which the script has not started itself.
	ended = pattern.New(`\b(pkill|killall)\b|\bkill\b[^;|&\n]*(\$\(|` + "`" + `|<)|\bstop\b`)
	// timers are commands that have another program run later.
	timers = []string{"at", "batch", "crontab -", "systemd-run"}
)

// leaving counts what a part of a script leaves behind, by program.
func leaving(part syntax.Node, out map[string]int) {
	switch n := part.(type) {
	case *syntax.Stmt:
		if n.Background || n.Coprocess {
			leftBehind(printed(n.Cmd), out)
		}
	case *syntax.CallExpr:
		for _, h := range harmOf(written(n)) {
			if slices.Contains(timers, h.program) {
				out[h.program]++
			}
		}
	}
}

// leftBehind counts, by program, what commands in the background do once they have waited.
func leftBehind(text string, out map[string]int) {
	switch {
	case limited.MatchString(text):
		out["timeout"]++
	case waiting.MatchString(text):
		for _, h := range takesAway(text) {
			out[h.program]++
		}
		if m := ended.FindString(text); m != "" {
			out[strings.Fields(m)[0]]++
		}
	}
}

var (
	// deep are commands that take away all that lies below a directory, or in it.
	deep = pattern.New(`^rm\s(.*\s)?(-[a-zA-Z]*[rR]|--recursive)|^rm\s.*/\*|^find\s.*-(delete|exec)\b|^rsync\s.*--delete`)
	// ofHome are HOME, what lies in it, and one thing in it.
	ofHome = pattern.New(`\s["']?(~|\$\{?HOME\}?|/home/agent)["']?(/[^/\s"']*)?["']?(/[*.]?)?["']?(\s|$)`)
	// homeRemoved is code that removes directories in HOME with what is in them, in one line, and homeSet that HOME
	// is another one for it.
	homeRemoved = pattern.New(`(rmtree\b|remove_tree\b|rmSync\b|\.rm\(|RemoveAll\b|rm_rf\b|\brm\s+-\w*[rR])[^\n]*(expanduser\(|` +
		`Path\.home\(\)|` +
		`homedir\(\)|UserHomeDir|ENV\{?\[?\(?["']?HOME|environ(\.get)?[\[(]["']HOME|Getenv\("HOME"\)|env\.HOME\b|` +
		`Dir\.home|user\.home|\s~/|\$HOME)[^\n]*`)
	homeSet = pattern.New(`environ\[["']HOME["']\]\s*=|env\.HOME\s*=|ENV\[["']HOME["']\]\s*=|Setenv\("HOME"`)
	cached  = pattern.New(`\.cache\b`)
)

// HomeTaken are the commands of a script for a shell that take away HOME or what lies in it, with all that is in there,
// and that it did not have before. They are sorted.
func HomeTaken(was, is string) []string { return more(homeTaken(was), homeTaken(is)) }

func homeTaken(text string) map[string]int {
	out := map[string]int{}
	for _, h := range takesAway(text) {
		if deep.MatchString(h.words) && ofHome.MatchString(h.words) {
			out[h.words]++
		}
	}
	return out
}

// HomeRemoved is the same of lines of a program in another language; "": there is none.
func HomeRemoved(lines string) string {
	m := homeRemoved.FindString(lines)
	if homeSet.MatchString(lines) || cached.MatchString(m) {
		return ""
	}
	return m
}

// Takes are what scripts for a shell have come to take away, to open to others, or to lose of a repository, where the
// name of it is written down, what they take away when they end, whom they end, and that they hide their errors. target
// says what of the project a name means, "" for nothing that is missed. They are sorted.
func Takes(was, is []string, target func(name string) string) []string {
	count := func(scripts []string) map[string]int {
		out := map[string]int{}
		for _, script := range scripts {
			target := target
			if toArgument.MatchString(script) {
				target = abroad(target)
			}
			for _, h := range takesAway(script) {
				if what := h.takes(target); what != "" {
					out[what]++
				}
			}
			for name, n := range counted(script, atEnd) {
				if strings.HasPrefix(name, "~") || !filepath.IsLocal(name) || target(name) != "" { // else nobody misses it
					out["takes away "+name+" at its end"] += n
				}
			}
			for words := range counted(script, toAll) {
				if what := meantBy(strings.Fields(words), target); what != "" {
					out["opens "+what]++
				}
			}
			for what, n := range toThose(script) {
				out[what] = max(out[what], n)
			}
		}
		return out
	}
	return more(count(was), count(is))
}

// abroad is target for a script that works in a directory which it is told: no name in there is one of the project's.
func abroad(target func(name string) string) func(name string) string {
	return func(name string) string {
		if filepath.IsLocal(name) && !strings.HasPrefix(name, "~") {
			return ""
		}
		return target(name)
	}
}

var (
	// toArgument goes to a directory that the script is told.
	toArgument = pattern.New(`\b(cd|pushd)\s+(-\w+\s+)*(--\s+)?["']?\$\{?[1-9@*]`)
	// losing are commands of git by which work or history is lost, or sent elsewhere.
	losing = pattern.New(`^git\s.*\b(push|clean\s.*-\w*f|reset\s.*--hard|filter-branch|filter-repo|` +
		`reflog\s+(delete|expire\s.*(=|\s)(now|all|0|\d+\.?(s|mi|h)\w*)(\s|$))|` +
		`update-ref\s.*-d|checkout\s.*(-f|--force)\b|stash\s+(drop|clear))`)
	// opening are modes by which all may write.
	opening = pattern.New(`^(0?[0-7][0-7][2367]|[ugoa]*[ao][ugoa]*[+=]\w*w\w*|[+=]\w*w\w*)$`)
	// destroying are programs that take away what they name.
	destroying = strings.Fields("rm rmdir unlink shred truncate srm")
	// brief are things that may go when a script ends.
	brief = pattern.New(`(?i)te?mp|lock|pid|sock|fifo|cache`)
)

// takes says what a command takes away; "": nothing that is known.
func (h harm) takes(target func(name string) string) string {
	if losing.MatchString(h.words) {
		return h.program
	}
	words := strings.Fields(h.words)
	switch {
	case h.program == "find":
		words = found(words)
	case !slices.Contains(destroying, h.program):
		return ""
	}
	if what := meantBy(words, target); what != "" {
		return "takes away " + what
	}
	return ""
}

var (
	// removes is how find takes away what it finds.
	removes = pattern.New(`-delete\b|-(exec|ok)(dir)?\s.*\b(rm|rmdir|unlink|shred|truncate|srm|mv|cp|dd|find)\b`)
	// ofNone is how find finds only directories that hold nothing.
	ofNone = pattern.New(`\s-type d\s.*-empty\b|\s-empty\s.*-type d\b`)
)

// found are the words of a command of find up to what it looks for, where it takes that away: directories with all
// in them, or what is of a name there.
func found(words []string) []string {
	line := strings.Join(words, " ")
	at := slices.IndexFunc(words, func(w string) bool { return strings.Contains("-(!\\", w[:1]) })
	if at < 1 || !removes.MatchString(line) || ofNone.MatchString(line) {
		return words[:1]
	}
	places, names := words[1:at], []string(nil)
	for i, w := range words[:len(words)-1] {
		if (w == "-name" || w == "-iname") && words[i-1] != "!" && words[i-1] != "-not" && words[i-1] != "\\!" {
			names = append(names, unquoted(words[i+1]))
		}
	}
	if names == nil || strings.Contains(line, " -o ") {
		return words[:at]
	}
	list := words[:1:1]
	for _, p := range places {
		for _, n := range names {
			list = append(list, path.Join(unquoted(p), "**", n))
		}
	}
	return list
}

// meantBy is what a command, given by its words, names of the project; "": nothing.
func meantBy(words []string, target func(name string) string) string {
	for _, w := range words[1:] {
		if lasts(w) {
			if what := target(unquoted(w)); what != "" {
				return what
			}
		}
	}
	return ""
}

// toAll counts commands by which all may write something.
func toAll(part syntax.Node, out map[string]int) {
	if c, is := part.(*syntax.CallExpr); is {
		words := unprefixed(written(c))
		if len(words) > 2 && path.Base(words[0]) == "chmod" && slices.ContainsFunc(words, opening.MatchString) {
			out[strings.Join(words, " ")]++
		}
	}
}

// lasts reports whether a word of a command is the name of something that can't be made again.
func lasts(word string) bool {
	return !strings.HasPrefix(word, "-") && !strings.Contains(word, "$") && !disposable.MatchString(word)
}

// atEnd counts the names of what a script takes away when it ends, where they are written down.
func atEnd(part syntax.Node, out map[string]int) {
	c, is := part.(*syntax.CallExpr)
	if !is {
		return
	}
	words := written(c)
	if len(words) < 3 || words[0] != "trap" {
		return
	}
	for _, h := range takesAway(words[1]) {
		for _, w := range strings.Fields(h.words)[1:] {
			if slices.Contains(destroying, h.program) && lasts(w) && !brief.MatchString(w) {
				out[unquoted(w)]++
			}
		}
	}
}

// Recipes are the commands of a Makefile, a line each, and those that make runs when it reads it.
func Recipes(text string) (list []string) {
	for _, m := range ofMake.FindAllStringSubmatch(text, -1) {
		list = append(list, strings.ReplaceAll(strings.TrimLeft(m[1]+m[2], "@-+ "), "$$", "$"))
	}
	return list
}

var ofMake = pattern.New(`(?m)^\t(.*)$|\$\(shell\s+([^()\n]*)`)
