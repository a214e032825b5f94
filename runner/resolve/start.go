package resolve

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"cookoff/internal/hint"
	"cookoff/internal/history"
	"cookoff/recipe"
	"cookoff/runner/project"
)

// Start is what the worlds of a task start with.
type Start struct {
	Dir  string          // on the host; "": nothing
	Base *history.Commit // of its repository, whose files they are; nil: those that lie there
	Repo *history.Repo   // with Base
}

// Key is the same for tasks whose worlds start with the same files.
func (s Start) Key() string {
	if s.Base == nil {
		return s.Dir
	}
	return s.Dir + "@" + s.Base.ID
}

// changedNamed is how many changed files a warning names.
const changedNamed = 3

// start finds what the worlds of a task start with.
func (c *taskChecker) start(key string, t *Task) {
	t.Start.Dir = c.out.Dir
	if t.Project == recipe.NoProject {
		t.Start.Dir = ""
	} else if t.Project != "" {
		dir, err := filepath.EvalSymlinks(c.given.Dir)
		if err != nil {
			return // projectRoot has said it
		}
		before := len(c.problems)
		if t.Start.Dir, _ = c.below(key+".project", dir, t.Project); len(c.problems) > before {
			return
		}
	}
	if t.Judge == "patch" && c.out.Sequential() {
		c.at(key+".judge", "leave judge: patch or task_mode: sequential out",
			"judge: patch judges a clean world, and the next task would go on with all that the model left")
	}
	if t.Base == "" {
		c.everything(key, t.Start.Dir)
		return
	}
	if c.out.Sequential() {
		c.at(key+".base", "leave task_mode: sequential out: each task has a base of its own",
			"a task that goes on with what the one before left has no base")
		return
	}
	if t.Start.Dir == "" {
		c.at(key+".base", "say project: DIR", "a task that starts with nothing has no commit")
		return
	}
	c.based(context.Background(), key, t)
}

// everything refuses a project that is all that its user has, once of each: it would be copied, and
// models would see it.
func (c *taskChecker) everything(key, dir string) {
	what := project.Everything(dir)
	if what == "" || c.seen.everything[dir] {
		return
	}
	if c.seen.everything == nil {
		c.seen.everything = map[string]bool{}
	}
	c.seen.everything[dir] = true
	c.at(key, "go to the directory of a project, or give the recipe one of its own; "+
		"project: none is for tasks that need no files; where this is no real home, set HOME to another directory",
		"%s would be the project: every model would see all of it, with keys and mail", what)
}

// fits looks whether a task's settings go with the files that its worlds start with. Those of a base are looked at
// when they are there.
func (c *taskChecker) fits(key string, t Task) {
	if t.Base != "" {
		return
	}
	for _, m := range project.Misfits(t.Start.Dir, c.recipe, t.Task) {
		at := key + "." + m.Key
		if m.Key == "mounts" && len(t.Mounts) == 0 {
			at = "sandbox.mounts"
		}
		c.at(at, m.Hint, "task %q: %s", t.Name(), m.Msg)
		c.problems[len(c.problems)-1].Warning = m.Warning
	}
}

// based looks whether the files of a base can be had, all of them.
func (c *taskChecker) based(ctx context.Context, key string, t *Task) {
	repo, err := c.repository(ctx, t.Start.Dir)
	if err != nil {
		msg, next := hint.Of(err)
		c.at(key+".base", next, "base: %s", msg)
		return
	}
	base, err := repo.Commit(ctx, t.Base)
	if missing, ok := errors.AsType[*history.MissingError](err); ok && missing.Shallow {
		c.at(key+".base", "git fetch --unshallow gets the rest", "base: %v", err)
		return
	} else if ok {
		c.at(key+".base", "git fetch gets what is new elsewhere; git log names the commits", "base: %v", err)
		return
	}
	var files []history.File
	if err == nil {
		files, err = repo.Files(ctx, base)
	}
	if _, ok := errors.AsType[*history.IncompleteError](err); ok {
		c.at(key+".base", fmt.Sprintf("git fetch --refetch --no-filter gets them (or a clone without --filter); "+
			"git checkout %.12s alone gets those of this commit", base.ID), "base: %v", err)
		return
	}
	if err != nil {
		c.at(key+".base", "", "base: %v", err)
		return
	}
	t.Start.Base, t.Start.Repo = &base, repo
	c.standIns(ctx, key, t.Start, files)
}

// standIns says what of a base is not what it stands for.
func (c *taskChecker) standIns(ctx context.Context, key string, s Start, files []history.File) {
	if subs := history.Submodules(files); subs != nil {
		c.warn(key+".base", "a setup can't fetch them: name their own repository with project:, or commit what is needed",
			"base: %d submodules are empty in its worlds: %s", len(subs), named(subs))
	}
	pointers, err := s.Repo.Pointers(ctx, files)
	if err != nil {
		c.at(key+".base", "", "base: %v", err)
	}
	if pointers != nil {
		c.warn(key+".base", "what needs their contents fails in every world",
			"base: %d files are pointers of Git LFS, not what they point to: %s", len(pointers), named(pointers))
	}
	if changed := c.changed(ctx, s); changed != nil {
		c.warn(key+".base", "commit what tasks need",
			"base: the project has changes that are not committed, and no world of a base has them: %s", named(changed))
	}
}

// named lists some of several names.
func named(list []string) string {
	if len(list) > changedNamed {
		return strings.Join(list[:changedNamed], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}

// seen are the repositories that were looked at, by the directories they are seen from.
type seen struct {
	repos      map[string]*history.Repo
	asked      map[string]bool     // for changes
	apart      map[string]bool     // for what of them a copy does not have
	everything map[string]bool     // that are no project
	names      map[string][]string // of the files of last commits that nothing was said of, by directories
	given      map[string]bool     // keys of contestants of whose files something was said
}

// repository finds that of a directory. It is one that lies in the working directory,
// or that the working directory is in: a recipe has no other.
func (c *taskChecker) repository(ctx context.Context, dir string) (*history.Repo, error) {
	if r := c.seen.repos[dir]; r != nil {
		return r, nil
	}
	r, err := history.Open(ctx, dir)
	if errors.Is(err, history.ErrNone) {
		return nil, hint.New("git init and a commit make one; without base: tasks start with the files as they are",
			"%s is in no git repository", dir)
	}
	if err != nil {
		return nil, err
	}
	if err := history.Owned(ctx, r, c.given.Dir); err != nil {
		return nil, err
	}
	r.Share()
	if c.seen.repos == nil {
		c.seen.repos, c.seen.asked = map[string]*history.Repo{}, map[string]bool{}
	}
	c.seen.repos[dir] = r
	return r, nil
}

// changed gives files of a project that were changed since its last commit, once.
func (c *taskChecker) changed(ctx context.Context, s Start) []string {
	if c.seen.asked[s.Dir] {
		return nil
	}
	c.seen.asked[s.Dir] = true
	changed, err := s.Repo.WorkTree(s.Dir).Changed(ctx, changedNamed+1)
	if err != nil {
		return nil // it is said of the base, if it is of any
	}
	return changed
}
