package traps

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// python is what Python reads whenever it starts.
type python struct{}

func (python) Reads(p string) bool {
	if isPlugins(p) {
		return true
	}
	switch base(p) {
	case "sitecustomize.py", "usercustomize.py", "sitecustomize", "usercustomize", ".pdbrc", "pyvenv.cfg":
		return true
	}
	switch p {
	case "~/.pythonrc", "~/.pythonrc.py", "~/.pythonstartup", "~/.ipython", "~/.config/pip/pip.conf", "~/.pip/pip.conf",
		"~/.config/uv/uv.toml", "~/.pypirc":
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
	case isPlugins(f.Path):
		return groups(text(f))
	case slices.Contains([]string{"pyvenv.cfg", "pip.conf", "uv.toml", ".pypirc"}, name):
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

func (python) Runs(name, value string) string {
	switch {
	case name == All:
		return "Python runs it whenever it starts"
	case strings.HasPrefix(name, "import ") || strings.HasPrefix(name, "import\t"):
		return "Python runs this line whenever it starts"
	case pluggedIn.MatchString(name):
		return "the tests or a build load it by themselves"
	}
	return elsewhere(name, value)
}

// isPlugins reports whether a file says which parts of an installed package other programs look for.
func isPlugins(p string) bool {
	dir, name := path.Split(p)
	ext := path.Ext(strings.TrimSuffix(dir, "/"))
	return name == "entry_points.txt" && (ext == ".egg-info" || ext == ".dist-info")
}

// groups are the sections of such a file, with their lines.
func groups(s string) map[string]string {
	out, group := map[string]string{}, ""
	for line := range strings.Lines(s) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			group = strings.Trim(line, "[] \t")
		default:
			out[group] += line + "\n"
		}
	}
	return out
}

// pluggedIn are groups of which a program loads all that it finds, whenever it starts.
var pluggedIn = pattern.New(`^(pytest11|nose\.plugins.*|nose2.*|hypothesis|(setuptools|distutils)\..+)$`)

// Plugin reports whether a setting is such a group.
func Plugin(name string) bool { return pluggedIn.MatchString(name) }
