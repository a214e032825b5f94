package propose

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/diagnose"
	"cookoff/internal/pattern"
	"cookoff/shell"
)

// offline is what stands before a test command that calls pip: it finds that of the environment, where everything is
// already, and asks nobody.
const offline = `PATH="$PWD/` + environment + `:$PATH" PIP_NO_INDEX=1 PIP_NO_BUILD_ISOLATION=0 `

// AsTestsInstall is a preparation of tests in dir which call pip themselves, also in a script or a target of make, and
// found no network, as they said: it gets what they would, and what builds the project; they are called so that pip
// finds it there.
func (p Preparation) AsTestsInstall(dir, test, said string) Preparation {
	file := shell.Parsed(test)
	if p.Dir != environment || !strings.Contains(p.Command, ".venv/bin/pip install ") ||
		!diagnose.UnmetByPip.MatchString(said) ||
		file == nil || len(file.Stmts) != 1 || inVenv.MatchString(test) || interpreters.MatchString(test) {
		return p
	}
	if _, simple := file.Stmts[0].Cmd.(*syntax.CallExpr); !simple {
		return p
	}
	about := readPyproject(project{dir}.text("pyproject.toml"))
	build := toPip(about.Build.Requires)
	if len(build) == 0 {
		build = []string{"setuptools"}
	}
	for _, one := range slices.Concat(build, []string{"wheel"}, installsOf(dir, test)) {
		if one == "-e ." && ownPackage.MatchString(p.Command+" ") || strings.Contains(p.Command+" ", " "+one+" ") {
			continue
		}
		p.Command += " " + one
	}
	p.Test = offline + test
	return p
}

var (
	pipProgram = pattern.New(`^pip[\d.]*$`)
	pythonName = pattern.New(`^python[\d.]*$`)
)

// installsOf are the words that pip would be told by what a test command leads to, quoted for a shell.
func installsOf(dir, test string) (out []string) {
	j := judges{project: project{dir}, scripts: []string{test}, seen: map[string]bool{}}
	for n := 0; n < len(j.scripts) && n < mostScripts; n++ {
		for _, call := range shell.Calls(j.scripts[n]) {
			j.follow(call.Words)
			words := call.Words
			if len(words) > 2 && pythonName.MatchString(path.Base(words[0])) && words[1] == "-m" {
				words = words[2:]
			}
			if len(words) > 1 && pipProgram.MatchString(path.Base(words[0])) && words[1] == "install" {
				out = append(out, j.toInstall(words[2:])...)
			}
		}
	}
	return out
}

// toInstall are those of the words of a call of pip that name packages, lists of them, and the project itself.
func (p project) toInstall(words []string) (out []string) {
	add := func(flag, word string) {
		if q, err := shell.Quote([]string{word}); err == nil {
			out = append(out, strings.TrimSpace(flag+" "+q))
		}
	}
	for i, w := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		switch {
		case before == "-r" || before == "--requirement":
			if filepath.IsLocal(w) && p.regular(w) {
				add("-r", w)
			}
		case ownDir.MatchString(w):
			add("-e", w)
		case before == "-e" || ofPip.MatchString(before) || strings.HasPrefix(w, "-"):
		case requirement.MatchString(w):
			add("", w)
		}
	}
	return out
}
