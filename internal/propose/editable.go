package propose

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/shell"
)

// interpreter is the Python that has what the project needs: that of its virtual
// environment, which trials have a copy of, else the one that PATH finds. What the
// environment finds at the project's own place ("pip install -e .") is not there in
// trials, which work on a copy elsewhere: PYTHONPATH names it from where the command runs.
func (p project) interpreter() string {
	venv := p.first(".venv/bin/python", "venv/bin/python")
	dirs := p.editable(strings.TrimSuffix(venv, "/bin/python"))
	if len(dirs) == 0 {
		return cmp.Or(venv, "python3")
	}
	path, err := shell.Quote([]string{strings.Join(dirs, ":")})
	if err != nil {
		return venv
	}
	return "PYTHONPATH=" + path + " " + venv
}

// editable gives the directories below the project's own, with slashes, that a virtual
// environment finds by absolute paths. The project's own is where Python looks at once.
func (p project) editable(venv string) (dirs []string) {
	if venv == "" {
		return nil
	}
	own, err := filepath.Abs(p.dir)
	if err != nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(own)
	if err != nil {
		return nil
	}
	lists, _ := filepath.Glob(filepath.Join(own, venv, "lib", "python*", "site-packages", "*.pth")) // a fixed pattern
	for _, list := range lists {
		name, err := filepath.Rel(own, list)
		if err != nil {
			continue
		}
		for line := range strings.Lines(p.text(name)) {
			line = strings.TrimRight(line, "\r\n ")
			for _, root := range []string{own, real} {
				if rest, below := strings.CutPrefix(line, root+"/"); below {
					rest = filepath.ToSlash(filepath.Clean(rest))
					if rest != "." && !strings.Contains(rest, ":") && !slices.Contains(dirs, rest) {
						dirs = append(dirs, rest)
					}
					break
				}
			}
		}
	}
	return dirs
}

// WithoutProject is a preparation for when the project in dir can't be installed itself: what pyproject.toml says that
// it depends on is, and what runs test, where that is pytest. Zero: the project was not to be installed, or nothing is
// left.
func (p Preparation) WithoutProject(dir, test string) Preparation {
	own := ownPackage.FindStringSubmatch(p.Command + " ")
	if p.Dir != environment || own == nil {
		return Preparation{}
	}
	about := readPyproject(project{dir}.text("pyproject.toml"))
	var extras []string
	if own[1] != "" {
		extras = strings.Split(own[1], ",")
	}
	what := toPip(slices.Concat(about.Project.Dependencies, about.inExtras(extras)))
	rest := strings.Fields(p.Command[strings.Index(p.Command+" ", own[0])+len(own[0])-1:])
	if strings.Contains(test, "pytest") && !slices.ContainsFunc(slices.Concat(what, rest), packageOf("pytest")) {
		rest = append(rest, "pytest")
	}
	if len(what)+len(rest) == 0 {
		return Preparation{}
	}
	p.Command, _, _ = strings.Cut(p.Command+" ", own[0])
	p.Command += " " + strings.Join(append(what, rest...), " ")
	return p
}
