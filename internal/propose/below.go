package propose

import (
	"cmp"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
)

// Bounds of Below: how deep it looks, and how many it gives.
const (
	deepest   = 3
	mostBelow = 9
)

// Member is the first proposal of a project that lies below another directory; From and Dir,
// the project's own directory, are paths below that, with slashes.
type Member struct {
	Command
	Dir string
}

// Below gives the proposals of the projects below dir, where dir itself proposes nothing.
func Below(dir string) []Member {
	var list []Member
	_ = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what can't be read proposes nothing
		}
		if !d.IsDir() || at == dir {
			return nil
		}
		rel, err := filepath.Rel(dir, at)
		rel = filepath.ToSlash(rel)
		if err != nil || strings.HasPrefix(d.Name(), ".") || slices.Contains(others, d.Name()) ||
			strings.Count(rel, "/") >= deepest {
			return fs.SkipDir
		}
		found := Commands(at)
		if len(found) == 0 {
			return nil
		}
		c := Command{found[0].Text, path.Join(rel, found[0].From)}
		if list = append(list, Member{c, rel}); len(list) == mostBelow {
			return fs.SkipAll
		}
		return fs.SkipDir
	})
	return list
}

// OneOfSeveral reports whether all that dir proposes tests only one of several projects
// that lie below it: tests of Python are found two directories down, and beside them may
// be others.
func OneOfSeveral(dir string, list []Command) bool {
	below := Below(dir)
	if len(below) < 2 {
		return false
	}
	return !slices.ContainsFunc(list, func(c Command) bool {
		return !slices.ContainsFunc(below, func(m Member) bool {
			return strings.HasPrefix(c.From, m.Dir+"/") && !ofTests.MatchString(path.Base(m.Dir))
		})
	})
}

// Together gives the command that tests all of several projects that Below gave. They are too many where there may be
// more of them.
func Together(below []Member) (c Command, ok bool) {
	if len(below) < 2 || len(below) == mostBelow {
		return Command{}, false
	}
	var calls, from []string
	for _, b := range below {
		call, ok := within(b.Dir, b.Text)
		if !ok {
			return Command{}, false
		}
		calls, from = append(calls, call), append(from, b.From)
	}
	return Command{strings.Join(calls, " && "), strings.Join(from, ", ")}, true
}

// OneByOne gives what Together gave without its conditions: each project is tested, though another one fails.
func OneByOne(all string) string {
	f, err := shell.Parse(all)
	if err != nil || len(f.Stmts) != 1 {
		return all
	}
	var parts []string
	s := f.Stmts[0]
	for {
		and, is := s.Cmd.(*syntax.BinaryCmd)
		if !is || and.Op != syntax.AndStmt {
			break
		}
		parts = append(parts, all[and.Y.Pos().Offset():and.Y.End().Offset()])
		s = and.X
	}
	parts = append(parts, all[s.Pos().Offset():s.End().Offset()])
	slices.Reverse(parts)
	return strings.Join(parts, "\n")
}

// within is a command that runs another in a directory of the project.
func within(dir, command string) (string, bool) {
	quoted, err := syntax.Quote(dir, syntax.LangBash)
	return "(cd " + quoted + " && " + command + ")", err == nil
}

// PrepareTogether is Prepare for several projects that Below gave, which one command tests: what the first
// of them missed says that the others lack theirs, too.
func PrepareTogether(dir string, below []Member, output string, installed func(program string) bool) Preparation {
	var gets, tests []string
	for _, b := range below {
		at := b.Dir
		p := Prepare(filepath.Join(dir, at), cmp.Or(missing(b.Text), output), installed)
		test, ok := within(at, p.Called(b.Text))
		if !ok {
			return Preparation{}
		}
		tests = append(tests, test)
		if got, _ := within(at, p.Command); p.Command != "" && (project{filepath.Join(dir, at)}).first("node_modules") == "" {
			gets = append(gets, got)
		}
	}
	if len(gets) == 0 || Hint(output) == "" {
		return Preparation{}
	}
	return Preparation{Command: strings.Join(gets, " && "), Test: strings.Join(tests, " && ")}
}

// PrepareBelow is Prepare for a test command, which may work in directories below the project's: where nothing of the
// project itself gets what it missed, or it is no project by itself, the files there are asked.
func PrepareBelow(dir, test, output string, installed func(program string) bool) Preparation {
	_, dirs := byDirectory(test)
	if p := Prepare(dir, output, installed); p.Command != "" &&
		(len(dirs) == 0 || project{dir}.first(manifests...) != "") {
		return p
	}
	var gets []string
	as := test
	for _, d := range dirs {
		p := Prepare(filepath.Join(dir, d), output, installed)
		got, ok := within(d, p.Command)
		if !ok || p.Command == "" || leadsOut(dir, d) != "" {
			continue
		}
		if called := p.Called("python3"); called != "python3" { // by the Python of an environment
			to, rest, is := strings.Cut(test, " && ")
			if is = is && strings.TrimPrefix(to, "cd ") == d && p.Called(rest) != rest; !is {
				continue
			}
			as = to + " && " + p.Called(rest)
		}
		gets = append(gets, got)
	}
	if len(gets) == 0 {
		return Preparation{}
	}
	return Preparation{Command: strings.Join(gets, " && "), Test: as}
}

// missing is what a test command says of a project whose packages nobody has got yet; "": that is not known.
func missing(test string) string {
	for _, k := range []struct{ command, says string }{{"go test", "module lookup disabled by GOPROXY=off"},
		{"cargo test", "no matching package named"}, {"npm", "ERR_MODULE_NOT_FOUND"}, {"yarn", "ERR_MODULE_NOT_FOUND"},
		{"node", "ERR_MODULE_NOT_FOUND"}, {"pytest", "No module named pytest"}, {"unittest", "No module named "}} {
		if calls(test, k.command) {
			return k.says
		}
	}
	return ""
}
