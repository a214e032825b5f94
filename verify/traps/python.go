package traps

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// python is what Python reads whenever it starts.
type python struct{}

func (python) Reads(p string) bool {
	switch base(p) {
	case "sitecustomize.py", "usercustomize.py", "sitecustomize", "usercustomize", ".pdbrc", "pyvenv.cfg":
		return true
	}
	switch p {
	case "~/.pythonrc", "~/.pythonrc.py", "~/.pythonstartup", "~/.ipython", "~/.config/pip/pip.conf", "~/.pip/pip.conf":
		return true
	}
	return strings.HasSuffix(p, ".pth") || strings.HasPrefix(p, "~/.ipython/profile_") &&
		strings.Contains(p, "/startup/")
}

// Settings of a .pth file are its lines that are run: the others are places.
func (python) Settings(f sandbox.Item) map[string]string {
	name := base(f.Path)
	if !regular(f) {
		return Whole(f)
	}
	switch {
	case strings.HasSuffix(name, ".pth"):
		out := map[string]string{}
		for line := range strings.Lines(strings.ReplaceAll(text(f), "\r", "\n")) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				out[line] = ""
			}
		}
		return out
	case name == "pyvenv.cfg" || name == "pip.conf":
		return assignments(text(f))
	}
	return Whole(f)
}

// distutils are the lines that pip puts into a new virtual environment.
var distutils = pattern.New(
	`^import os; (var = 'SETUPTOOLS_USE_DISTUTILS'; )?enabled = os\.environ\.get\((var|'SETUPTOOLS_USE_DISTUTILS'), ` +
		`'(local|stdlib)'\) == 'local'; enabled and __import__\('_distutils_hack'\)\.add_shim\(\);$`)

// OfVenv reports whether a line of a .pth file is one that comes with a virtual
// environment by itself.
func OfVenv(line string) bool { return line == "import _virtualenv" || distutils.MatchString(line) }

func (python) Runs(name, _ string) string {
	switch {
	case name == All:
		return "Python runs it whenever it starts"
	case strings.HasPrefix(name, "import ") || strings.HasPrefix(name, "import\t"):
		return "Python runs this line whenever it starts"
	}
	return ""
}
