package recipe

import (
	"path/filepath"
	"slices"
	"strings"

	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

const (
	// HarborPrefix begins the source of a recipe that is made of tasks for Harbor; the
	// directories follow, with colons between them.
	HarborPrefix = "harbor:"
	// NoProject is what project: says for worlds that start with nothing.
	NoProject = "none"
)

// harborDir reads the directory of tasks for Harbor: one beside the recipe.
func harborDir(p *dialect.Reader, v source.Span) string {
	dir := p.Unquote(v).Plain()
	if dir == "" || !filepath.IsLocal(dir) || strings.ContainsAny(dir, "\n\x00") {
		p.Problem(v.Off,
			"write \"- harbor: DIR\" with a directory beside the recipe; cookoff run --harbor DIR takes any",
			"%q is no directory beside the recipe", dir)
		return ""
	}
	return dir
}

// OfHarbor gives a recipe of all tasks for Harbor in these directories, with the
// baselines for contestants. Its tasks stand for them: see Expanded.
func OfHarbor(dirs []string) *Recipe {
	r := &Recipe{Version: 1, Name: "Tasks of " + filepath.Base(filepath.Clean(dirs[0])),
		Models:   []string{"baseline/noop", "baseline/oracle"},
		SubAgent: SubAgentConfig{MaxDepth: -1}, SectionsPresent: map[string]bool{"models": true, "tasks": true}}
	for _, dir := range dirs {
		r.Tasks = append(r.Tasks, Task{Harbor: dir})
	}
	r.readFrom(HarborPrefix+strings.Join(dirs, ":"), "")
	return r.Over(Defaults())
}

// Expanded gives the recipe in which the tasks that stand for those of a directory are
// replaced by what read gives for it. key is the place of the one that stands for them. Models
// see none of the directories that read names, wherever they lie.
func (r *Recipe) Expanded(read func(key, dir string) (tasks []Task, path string)) *Recipe {
	if !slices.ContainsFunc(r.Tasks, func(t Task) bool { return t.Harbor != "" }) {
		return r
	}
	return replaced(r, func(i int, t Task) ([]Task, string) {
		if t.Harbor == "" {
			return []Task{t}, ""
		}
		return read(source.At("tasks", i), t.Harbor)
	})
}

// replaced gives the recipe in which what with gives stands in the place of each task;
// places of problems stay. A path that it gives is one more file of the recipe.
func replaced(r *Recipe, with func(i int, t Task) (tasks []Task, path string)) *Recipe {
	out := *r
	out.Tasks, out.paths = nil, slices.Clone(r.paths)
	from := make([]int, 0, len(r.Tasks)) // by new index, the old one
	for i, t := range r.Tasks {
		ts, path := with(i, t)
		if path != "" {
			out.paths = slices.Insert(out.paths, 0, path) // the recipe's own file is the last
		}
		for range ts {
			from = append(from, i)
		}
		out.Tasks = append(out.Tasks, ts...)
	}
	out.origins = make(map[string]*source.Places, len(r.origins))
	for name, p := range r.origins {
		out.origins[name] = p
	}
	out.origins["tasks"] = r.origins["tasks"].Renumbered(from)
	return &out
}

// Rooted gives the recipe in which tasks, by their names, have roots of the user's own:
// images at paths of this machine, and none beside the recipe. Their Root is what the
// recipe calls them.
func (r *Recipe) Rooted(at map[string]string) *Recipe {
	out := *r
	out.rootsAt = at
	return &out
}

// RootAt is where the root of such a task lies; "": its Root says it.
func (r *Recipe) RootAt(t Task) string { return r.rootsAt[t.Name()] }
