package propose

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"cookoff/internal/pattern"
)

// Members gives the globs of the packages that package.json or pnpm-workspace.yaml in dir
// names as its workspaces.
func Members(dir string) []string { return project{dir}.members() }

func (p project) members() (globs []string) {
	var pkg struct{ Workspaces json.RawMessage }
	_ = json.Unmarshal([]byte(p.text("package.json")), &pkg) // a file that npm can't read has none
	var list []string
	var named struct{ Packages []string }
	if json.Unmarshal(pkg.Workspaces, &list) != nil && json.Unmarshal(pkg.Workspaces, &named) == nil {
		list = named.Packages // as older yarns have it
	}
	if named.Packages = nil; yaml.Unmarshal([]byte(p.text("pnpm-workspace.yaml")), &named) == nil {
		list = append(list, named.Packages...)
	}
	for _, g := range list {
		g = path.Clean(strings.TrimSuffix(g, "/"))
		if g != "." && !path.IsAbs(g) && !strings.HasPrefix(g, "!") && !strings.HasPrefix(g, "..") {
			globs = append(globs, g)
		}
	}
	return globs
}

// ownLocks are files by which a package knows what it needs without the workspace that it lies in.
var ownLocks = []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
	"bun.lockb", "uv.lock", "Cargo.lock"}

// WorkspaceOf gives the nearest directory above the project in dir whose package.json, pnpm-workspace.yaml, go.work,
// Cargo.toml or pyproject.toml (of uv) names it as a member of its workspace; "": it is none of one, or has a
// lockfile of its own.
func WorkspaceOf(dir string) string {
	if (project{dir}).first(ownLocks...) != "" {
		return ""
	}
	for _, top := range above(dir) {
		rel, err := filepath.Rel(top, dir)
		if err != nil {
			return ""
		}
		for _, g := range (project{top}).workspace() {
			if ok, err := doublestar.Match(g, filepath.ToSlash(rel)); ok && err == nil {
				return top
			}
		}
	}
	return ""
}

// workspace gives the globs of the members of a workspace, of whatever language.
func (p project) workspace() []string {
	globs := p.members()
	for _, m := range workspaceUse.FindAllStringSubmatch(p.text("go.work"), -1) {
		globs = append(globs, path.Clean(m[1]))
	}
	var set struct {
		Workspace struct{ Members []string }
		Tool      struct {
			UV struct {
				Workspace struct{ Members []string }
			}
		}
	}
	for _, name := range []string{"Cargo.toml", "pyproject.toml"} {
		if _, err := toml.Decode(p.text(name), &set); err == nil {
			globs = append(globs, slices.Concat(set.Workspace.Members, set.Tool.UV.Workspace.Members)...)
		}
	}
	return globs
}

var (
	memberPackage = pattern.New(`/package\.json$`)
	plainNodeTest = pattern.New(`^node --test\s*$`)
)

// memberScripts gives the test scripts of the packages below.
func (p project) memberScripts() (scripts []string) {
	p.walk(func(rel string) bool {
		if memberPackage.MatchString(rel) {
			if s := (project{path.Join(p.dir, path.Dir(rel))}).testScript(); s != "" {
				scripts = append(scripts, s)
			}
		}
		return true
	})
	return scripts
}

// ofMembers runs the tests of all packages, where not all of them are such as node finds
// by itself from above.
func (p project) ofMembers() string {
	if len(p.members()) == 0 {
		return ""
	}
	plain, all := true, p.memberScripts()
	for _, s := range all {
		plain = plain && plainNodeTest.MatchString(s)
	}
	switch {
	case len(all) == 0, plain:
		return ""
	case p.first("pnpm-lock.yaml", "pnpm-workspace.yaml") != "":
		return running("pnpm -r test", strings.Join(all, "\n"))
	}
	return running("npm test --workspaces --if-present", strings.Join(all, "\n"))
}
