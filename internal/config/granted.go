package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/recipe"
)

// Permissions are what a user can let a recipe do: what this build can give.
func Permissions() []string { return []string{"unrestricted", "network", "hosts", "host-mcp"} }

// granted is a table [recipes."FILE"]: what the user lets that recipe do, each
// time it runs.
type granted struct {
	Allow []string `toml:"allow"`
}

// check says what of a table can't be meant. A name that could mean a file of
// somebody else's project grants nothing.
func (g granted) check(name string, add adder) {
	if !filepath.IsAbs(name) && !strings.HasPrefix(name, "~/") && !strings.HasPrefix(name, "builtin:") &&
		!strings.HasPrefix(name, "git+") {
		add("write its path from / or ~/, builtin:NAME, or its whole address from git+", []string{"recipes", name},
			"%q could mean the recipe of any project", name)
	}
	for _, p := range g.Allow {
		if !slices.Contains(Permissions(), p) {
			add(near(p, Permissions()), []string{"recipes", name, "allow"}, "allow holds %q, want some of %s", p,
				strings.Join(Permissions(), ", "))
		}
	}
}

// Allowed gives what the user lets a recipe do, wherever it is run from.
func (c *Config) Allowed(r *recipe.Recipe) (out []string) {
	file := ""
	if files := r.LocalFiles(); len(files) > 0 && !strings.HasPrefix(r.Source(), "builtin:") &&
		!strings.HasPrefix(r.Source(), "git+") {
		file = resolved(files[len(files)-1]) // the lowest layer comes first
	}
	for _, name := range slices.Sorted(maps.Keys(c.granted)) {
		path := name
		if rest, ok := strings.CutPrefix(name, "~/"); ok && c.home != "" {
			path = filepath.Join(c.home, rest)
		}
		if name == r.Source() || file != "" && filepath.IsAbs(path) && resolved(path) == file {
			out = append(out, c.granted[name].Allow...)
		}
	}
	return out
}

// resolved gives the path that a path means in the end, itself where there is
// nothing.
func resolved(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return filepath.Clean(path)
}
