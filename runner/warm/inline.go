package warm

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
)

// interpreters are programs that run a program which is a word of the command.
var interpreters = []string{
	"python", "node", "tsx", "ts-node", "bun", "deno", "ruby", "perl", "php", "bash", "sh", "dash", "zsh",
}

// isInline reports whether a command runs a program that is part of the script, as one of its
// words or on standard input: it may lay a hidden test beside the project.
func isInline(c *syntax.CallExpr) bool {
	var words []string
	for _, w := range shell.CommandWords(c) {
		words = append(words, shell.Text(w))
	}
	if len(words) == 0 {
		return false
	}
	return runsInline(words, true) || slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "data:") || strings.Contains(w, "=data:")
	})
}

// runsInline is isInline of words. alone: they are a command, not what another
// program may be asked to run, so that no file means standard input.
func runsInline(words []string, alone bool) bool {
	name, args := path.Base(words[0]), words[1:]
	switch {
	case isPython(name):
		return pythonInline(args, alone)
	case name == "node" || name == "nodejs":
		return nodeInline(args, alone)
	case name == "make" || name == "gmake":
		return hasFlag(args, "--eval", "-E") || asksStdin(args)
	case name == "mypy":
		return hasFlag(args, "-c", "--command")
	case slices.Contains(interpreters, name) && !alone:
		return len(args) > 0 && (args[0] == "eval" || args[0] == "-" || strings.HasPrefix(args[0], "-") &&
			(strings.HasPrefix(args[0], "--eval") || !strings.HasPrefix(args[0], "--") &&
				strings.ContainsAny(args[0], "ceEpr")))
	case slices.Contains([]string{"npm", "npx", "pnpm", "yarn"}, name) && hasFlag(args, "-c", "--call", "--shell-mode"):
		return true
	}
	if _, is := builders[name]; !is && !slices.Contains(nodes, name) {
		return false
	}
	for i := range args { // what uv, poetry, npx, tox, … run
		if base := path.Base(args[i]); (isPython(base) || slices.Contains(interpreters, base) || base == "mypy") &&
			runsInline(args[i:], false) {
			return true
		}
	}
	return asksStdin(args)
}

// isPython knows python, python3, python3.12 and pypy3.
func isPython(name string) bool {
	rest, is := strings.CutPrefix(name, "python")
	if !is {
		rest, is = strings.CutPrefix(name, "pypy")
	}
	return is && strings.Trim(rest, "0123456789.") == ""
}

// pythonInline reads the words behind a Python.
func pythonInline(args []string, alone bool) bool {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--version" || strings.HasPrefix(a, "--help"):
			return false
		case a == "--check-hash-based-pycs":
			i++
		case strings.HasPrefix(a, "--"):
		case len(a) < 2 || a[0] != '-':
			return asksStdin(args[i : i+1])
		default:
			switch at := strings.IndexAny(a, "cmWXVh?"); {
			case at < 0:
			case a[at] == 'c':
				return true
			case a[at] == 'm':
				module := append([]string{a[at+1:]}, args[i+1:]...)
				if module[0] == "" {
					module = module[1:]
				}
				return len(module) > 0 && (slices.Contains([]string{"timeit", "pdb", "code", "asyncio"}, module[0]) ||
					runsInline(module, false))
			case a[at] == 'V' || a[at] == 'h' || a[at] == '?':
				return false
			case at == len(a)-1:
				i++
			}
		}
	}
	return alone
}

// nodeInline reads the words behind node.
func nodeInline(args []string, alone bool) bool {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case slices.Contains([]string{"-v", "--version", "-h", "--help", "--test"}, a):
			return false
		case slices.Contains([]string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C",
			"--conditions"}, a):
			i++
		case strings.HasPrefix(a, "--eval"), strings.HasPrefix(a, "--print"):
			return true
		case strings.HasPrefix(a, "--"):
		case len(a) > 1 && a[0] == '-':
			if strings.ContainsAny(a, "ep") {
				return true
			}
		default:
			return asksStdin(args[i : i+1])
		}
	}
	return alone
}

// hasFlag reports whether one of the words is a flag, or begins with it and its value.
func hasFlag(args []string, flags ...string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return slices.ContainsFunc(flags, func(f string) bool {
			return a == f || strings.HasPrefix(a, f+"=") || len(f) == 2 && f == "-E" && strings.HasPrefix(a, f)
		})
	})
}

// asksStdin reports whether one of the words is standard input, as a file.
func asksStdin(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "-" || a == "-f-" || strings.HasSuffix(a, "=-") || strings.HasPrefix(a, "/dev/stdin") ||
			strings.HasPrefix(a, "/dev/fd/") || strings.HasPrefix(a, "/proc/self/fd/")
	})
}
