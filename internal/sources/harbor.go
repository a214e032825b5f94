package sources

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/host"
	"cookoff/internal/ui/text"
	"cookoff/interop/harbor/tasks"
	"cookoff/recipe"
	"cookoff/recipe/problem"
)

// mostText is how many bytes the tasks of Harbor in a recipe have together: all of it
// stands in the record of every run.
const mostText = 32 << 20

// harborDirs gives the directories of a source that is made of tasks for Harbor: one
// that begins so, or a directory that holds such tasks. nil: it is none.
func (f Finder) harborDirs(name string) []string {
	if dirs, ok := strings.CutPrefix(name, recipe.HarborPrefix); ok {
		return strings.Split(dirs, ":")
	}
	if name == "" || strings.Contains(name, ":") {
		return nil
	}
	if st, err := os.Stat(f.at(name)); err != nil || !st.IsDir() {
		return nil
	}
	if _, err := tasks.Find(f.at(name)); err != nil {
		return nil
	}
	return []string{name}
}

// at is the path of a name that the user gave.
func (f Finder) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Dir, name)
}

// expand puts tasks in the places of those that stand for the tasks of a directory. What
// can't be tried here is a warning, or an error where nothing of its directory is left.
func (f Finder) expand(ctx context.Context, r *recipe.Recipe) (*recipe.Recipe, problem.List) {
	e := &expanding{finder: f, recipe: r, names: map[string]bool{}, roots: map[string]string{}}
	if slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool { return t.Harbor != "" }) {
		e.machine = f.HarborMachine(ctx)
	}
	for _, t := range r.Tasks {
		e.names[t.Title] = true
	}
	if r = r.Expanded(e.read); len(e.roots) > 0 {
		r = r.Rooted(e.roots)
	}
	return r, e.problems
}

// expanding is the tasks of one recipe being read.
type expanding struct {
	finder   Finder
	recipe   *recipe.Recipe
	machine  tasks.Machine
	names    map[string]bool   // of tasks
	roots    map[string]string // by names of tasks
	size     int
	problems problem.List
}

// read gives the tasks of a directory that can be tried here, and its path.
func (e *expanding) read(key, dir string) ([]recipe.Task, string) {
	at, err := e.path(dir)
	var dirs []string
	if err == nil {
		dirs, err = tasks.Find(at)
	}
	if err != nil {
		e.problems = append(e.problems, problem.Problem{Pos: e.recipe.Place(key), Msg: fmt.Sprintf("harbor: %v", err)})
		return nil, ""
	}
	var out []recipe.Task
	var left []string
	before := len(e.problems)
	for _, d := range dirs {
		t, ok := e.one(dir, d)
		if !ok {
			left = append(left, text.Line(filepath.Base(d)))
			continue
		}
		out = append(out, t)
	}
	switch {
	case len(out) == 0:
		for i := range e.problems[before:] {
			e.problems[before+i].Warning = e.problems[before+i].Note
		}
	case len(left) > 0:
		e.finder.Notify(host.Notice{Text: fmt.Sprintf("%d of %s in %s can be tried here; not taken: %s\n"+
			"  hint: cookoff lint %[3]s says why; with --build podman or docker makes their images",
			len(out), text.Count(len(dirs), "task"), text.Line(dir), strings.Join(left, ", "))})
	}
	return out, at
}

// path gives where a directory lies: one that a recipe names lies beside it, and no link
// leads out of there.
func (e *expanding) path(dir string) (string, error) {
	if strings.HasPrefix(e.recipe.Source(), recipe.HarborPrefix) {
		return e.finder.at(dir), nil
	}
	file := e.recipe.SectionPath("tasks")
	if e.recipe.FromElsewhere() || file == "" {
		return "", fmt.Errorf("only a recipe in a file of this machine has a directory %q beside it", dir)
	}
	home, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(filepath.Join(home, dir))
	if err != nil {
		return "", fmt.Errorf("there is no %q beside the recipe", dir)
	}
	if rel, err := filepath.Rel(home, real); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%q is a link that leads out of the recipe's directory", dir)
	}
	return real, nil
}

// one reads a task; false: it can't be tried here.
func (e *expanding) one(dir, at string) (recipe.Task, bool) {
	file := filepath.Join(dir, filepath.Base(at), "task.toml")
	if filepath.Base(filepath.Clean(dir)) == filepath.Base(at) {
		file = filepath.Join(dir, "task.toml")
	}
	say := func(p problem.Problem) {
		p.Pos, p.Warning = problem.Pos{File: file}, true
		e.problems = append(e.problems, p)
	}
	t, refused := tasks.Read(at, e.machine)
	hint := "" // once, of what an engine does
	for _, why := range refused {
		file, ok := errors.AsType[*tasks.FileError](why)
		if ok && file.File == tasks.Dockerfile && hint == "" && !e.finder.Build {
			hint = "--build has podman or docker build its image"
			say(problem.Problem{Msg: "not taken: " + why.Error(), Hint: hint})
			continue
		}
		say(problem.Problem{Msg: "not taken: " + why.Error()})
	}
	if len(refused) > 0 {
		return recipe.Task{}, false
	}
	for _, n := range t.Notes {
		say(problem.Problem{Msg: n, Note: true})
	}
	task, err := t.Task()
	if err != nil {
		say(problem.Problem{Msg: fmt.Sprintf("not taken: %v", err)})
		return task, false
	}
	if e.names[task.Title] { // two datasets have it
		task.Title = filepath.Base(filepath.Dir(at)) + "/" + task.Title
	}
	if e.names[task.Title] {
		say(problem.Problem{Msg: fmt.Sprintf("not taken: another task is called %q, too", task.Title)})
		return task, false
	}
	if e.size += t.Size(); e.size > mostText {
		say(problem.Problem{Msg: fmt.Sprintf("not taken: the tasks before it have %d MiB together, and "+
			"more no run takes",
			mostText>>20)})
		return task, false
	}
	if e.names[task.Title] = true; t.Root != "" {
		e.roots[task.Name()] = t.Root
	}
	return task, true
}
