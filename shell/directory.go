package shell

import (
	"path"
	"slices"
	"strings"
)

// directoryFlags are the flags by which a program goes to another directory before it does anything.
var directoryFlags = map[string][]string{
	"env": {"-C", "--chdir"}, "go": {"-C"}, "make": {"-C", "--directory"}, "gmake": {"-C", "--directory"},
	"npm": {"-C", "--prefix"}, "pnpm": {"-C", "--dir"}, "yarn": {"--cwd"},
	"uv": {"--directory"}, "poetry": {"-C", "--directory"},
}

// leading are programs that take such a flag only in front of what they are told to do, or of what they run.
var leading = []string{"go", "pnpm", "yarn", "uv", "poetry"}

// Moved gives the directories that a command goes to, one after another, and the command that does there what it does.
func Moved(argv []string) (dirs, rest []string) {
	program, told := 0, false
	for i := 0; i < len(argv); i++ {
		if i > 0 && i == program+Prefixed(argv[program:]) { // what env runs
			program, told = i, false
		}
		prog := path.Base(argv[program])
		flags := directoryFlags[prog]
		name, value, joined := strings.Cut(argv[i], "=")
		switch {
		case i == program:
		case argv[i] == "--" || told && slices.Contains(leading, prog):
			return dirs, append(rest, argv[i:]...)
		case slices.Contains(flags, name) && joined:
			dirs = append(dirs, value)
			continue
		case slices.Contains(flags, name) && i+1 < len(argv):
			i++
			dirs = append(dirs, argv[i])
			continue
		case strings.HasSuffix(prog, "make") && strings.HasPrefix(name, "-C") && name != "-C":
			dirs = append(dirs, argv[i][len("-C"):])
			continue
		default:
			told = told || (argv[i] != "test" || prog != "go") && (argv[i] != "run" || prog != "uv") &&
				(!strings.HasPrefix(argv[i], "-") || prog == "go")
		}
		rest = append(rest, argv[i])
	}
	return dirs, rest
}
