package propose

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

var (
	toxSection  = pattern.New(`(?m)^\[testenv\][^\n]*\n((?:[^\[\n][^\n]*\n?|\n)*)`)
	toxDeps     = pattern.New(`(?m)^deps[ \t]*=[ \t]*((?:[^\n]*)(?:\n(?:[ \t]+[^\n]*|[ \t]*))*)`)
	toxFile     = pattern.New(`^-r ?(?:\{toxinidir\}/)?([\w./-]+)$`)
	noxInstalls = pattern.New(`session\.install\(([^)]*)\)`)
	noxWord     = pattern.New(`"([^"\n]*)"|'([^'\n]*)'`)
)

// byEnvironments are the packages that tox.ini and noxfile.py get for tests, as pip is told of them:
// requirements, quoted for a shell, and files of them that are there ("-r FILE"). What holds for some versions of Python alone is left out.
func byEnvironments(f files) (out []string) {
	if m := toxSection.FindStringSubmatch(f.text("tox.ini")); m != nil {
		if deps := toxDeps.FindStringSubmatch(m[1]); deps != nil {
			for line := range strings.Lines(deps[1]) {
				out = append(out, asked(f, strings.TrimSpace(line))...)
			}
		}
	}
	for _, call := range noxInstalls.FindAllStringSubmatch(f.text("noxfile.py"), -1) {
		words := noxWord.FindAllStringSubmatch(call[1], -1)
		for i := 0; i < len(words); i++ {
			word := words[i][1] + words[i][2]
			if word == "-r" && i+1 < len(words) {
				i++
				word = "-r " + words[i][1] + words[i][2]
			}
			out = append(out, asked(f, word)...)
		}
	}
	return out
}

// asked is a line of what an environment gets, as pip is told; none where it is nothing for pip.
func asked(f files, line string) []string {
	line, _, _ = strings.Cut(line, " #")
	line = strings.TrimSpace(line)
	if m := toxFile.FindStringSubmatch(line); m != nil {
		if f.have(m[1]) && !strings.Contains(m[1], "..") {
			return []string{"-r " + m[1]}
		}
		return nil
	}
	if lintPackages.MatchString(line) || !requirement.MatchString(line) {
		return nil
	}
	if q, err := shell.Quote([]string{line}); err == nil {
		return []string{q}
	}
	return nil
}

// lintPackages look at how code is written: tests run without them.
var lintPackages = pattern.New(`^(?i)(flake8|black|mypy|ruff|isort|pylint|pre-commit|twine|` +
	`build|sphinx|codecov|nox|tox)\b`)
