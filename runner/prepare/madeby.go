package prepare

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/glob"
	"cookoff/internal/pattern"
	"cookoff/internal/propose"
)

// Commands that make a directory of dependencies anew, as its lockfile says, whatever lies there.
var (
	makesModules = pattern.New(`\b(?:npm|pnpm|yarn|bun)(?:\s+-[^&;|]*?)?\s+(?:ci|clean-install|install|i)\b` +
		`|\byarn\s*($|&&|;|--)`)
	makesSynced = pattern.New(`\buv sync\b|\b(?:poetry|pdm|pipenv) (?:install|sync)\b`)
	// makesBuilt installs the project itself, by which setuptools writes beside its sources.
	makesBuilt = pattern.New(`\b(?:pip3?|uv) install\b[^&;|]*?\s(?:-e|--editable|['"]?\.(?:\[[^&;|]*\])?['"]?(?:\s|$))|` +
		`\buv sync\b|\b(?:poetry|pdm) (?:install|sync)\b|\bsetup\.py\s+(?:develop|install|build)`)
	makesVenv = pattern.New(`(?:-m venv|\b(?:uv venv|virtualenv))((?:\s+-\S+)*)\s+([\w.][\w./-]*)`)
)

// builtBeside are what setuptools writes there.
var builtBeside = []string{"*.egg-info", "*/*.egg-info", "*/*/*.egg-info", "*/*/*/*.egg-info", "build/lib",
	"build/bdist.*"}

// modulesFiles are those beside which a package manager of Node makes its directory.
var modulesFiles = []string{"package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock",
	"bun.lock"}

// MadeBy gives the directories of a project that a command makes anew, by their paths in it, with slashes:
// what lies there is this machine's own, and no world needs a copy of it, nor of a link to where it lies.
func MadeBy(command, project string) (out []string, err error) {
	add := func(dir string) {
		st, err := os.Lstat(filepath.Join(project, filepath.FromSlash(dir)))
		if err != nil || !st.IsDir() && st.Mode().Type() != os.ModeSymlink {
			return
		}
		if filepath.IsLocal(dir) && path.Clean(dir) != "." && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	if project == "" {
		return nil, nil
	}
	if m := makesVenv.FindStringSubmatch(command); m != nil {
		add(path.Clean(m[2]))
	}
	if makesSynced.MatchString(command) {
		add(".venv")
	}
	if makesBuilt.MatchString(command) {
		for _, g := range builtBeside {
			found, err := fs.Glob(os.DirFS(project), g)
			if err != nil {
				return nil, err
			}
			for _, dir := range found {
				add(dir)
			}
		}
	}
	if !makesModules.MatchString(command) {
		return out, nil
	}
	locks, err := Lockfiles(project)
	var members []string // globs of directories
	for i, l := range locks {
		l = filepath.ToSlash(l)
		locks[i] = l
		if dir := path.Dir(l); slices.Contains(modulesFiles, path.Base(l)) && (dir == "." || strings.Contains(command, dir)) {
			add(path.Join(dir, "node_modules"))
			for _, g := range propose.Members(filepath.Join(project, dir)) {
				members = append(members, path.Join(dir, g))
			}
		}
	}
	for _, l := range locks { // one command makes those of all packages of a workspace
		is := func(g string) bool { return glob.Match(g, path.Dir(l)) }
		if path.Base(l) == "package.json" && slices.ContainsFunc(members, is) {
			add(path.Join(path.Dir(l), "node_modules"))
		}
	}
	return out, err
}
