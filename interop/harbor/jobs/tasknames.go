package jobs

import (
	"cmp"
	"path/filepath"
)

// nameTasks gives each result the name of its task: tasks of two datasets that are called
// the same have that of their dataset before it, and a trial without a result has the name
// that others of its task have.
func nameTasks(results []result) {
	byPath, sources := map[string]string{}, map[string]map[string]bool{}
	for _, r := range results {
		if at := r.Config.Task.Path; !r.pending && at != "" {
			byPath[at] = r.Task
		}
	}
	for i := range results {
		r := &results[i]
		if name := byPath[r.Config.Task.Path]; r.pending && name != "" {
			r.Task = name
		}
		r.Task = cmp.Or(r.Task, r.Name)
		if sources[r.Task] == nil {
			sources[r.Task] = map[string]bool{}
		}
		sources[r.Task][r.dataset()] = true
	}
	for i := range results {
		if r := &results[i]; len(sources[r.Task]) > 1 {
			r.Task = cmp.Or(r.dataset(), "adhoc") + "/" + r.Task
		}
	}
}

// dataset is where a trial's task comes from; "": nothing says.
func (r *result) dataset() string {
	if dir := filepath.Dir(r.Config.Task.Path); r.Source == "" && r.Config.Task.Source == "" && dir != "." {
		return filepath.ToSlash(dir)
	}
	return cmp.Or(r.Source, r.Config.Task.Source)
}
