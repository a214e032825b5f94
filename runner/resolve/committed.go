package resolve

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/history"
	"cookoff/runner/project"
)

// committed warns where the worlds of a task have the project's own history, and its last
// commit has what models must not see. Each file is said once of a project.
func (c *taskChecker) committed(ctx context.Context, key string, t Task) {
	dir := t.Start.Dir
	if dir == "" || t.Start.Base != nil {
		return
	}
	names, asked := c.seen.names[dir]
	if !asked {
		if c.seen.names == nil {
			c.seen.names = map[string][]string{}
		}
		names = lastCommit(ctx, dir)
		c.seen.names[dir] = names
	}
	c.committedGiven(t, dir, names)
	found := project.Committed(c.recipe, t.Task, dir, names)
	if len(found) == 0 {
		return
	}
	c.seen.names[dir] = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(found, n) })
	c.warn(key, "base: COMMIT gives worlds a repository without them, hidden: .git none at all; "+
		"or keep them out of this repository",
		"the project's .git, which its worlds have, holds what models must not see, for git show HEAD:FILE: %s",
		named(found))
}

// committedGiven warns where that commit has what only some contestants are given.
func (c *taskChecker) committedGiven(t Task, dir string, names []string) {
	for _, one := range c.recipe.Contestants {
		found := project.CommittedGiven(c.recipe, t.Task, dir, one, names)
		if key := c.recipe.ContestantKey(one.Name) + ".files"; len(found) > 0 && !c.seen.given[key] {
			if c.seen.given == nil {
				c.seen.given = map[string]bool{}
			}
			c.seen.given[key] = true
			c.warn(key, "base: COMMIT gives worlds a repository without them, hidden: .git none at all",
				"other contestants can read what %q is given in the project's .git, with git show HEAD:FILE: %s",
				one.Name, named(found))
		}
	}
}

// apart warns where worlds have the project's own .git, and git does not work with it there. It is said once of a
// project.
func (c *taskChecker) apart(ctx context.Context, key string, t Task) {
	dir := t.Start.Dir
	hides := func(g string) bool { return strings.TrimSuffix(g, "/**") == ".git" }
	if dir == "" || t.Base != "" || c.seen.apart[dir] || slices.ContainsFunc(t.Hidden, hides) {
		return
	}
	if c.seen.apart == nil {
		c.seen.apart = map[string]bool{}
	}
	c.seen.apart[dir] = true
	if a, err := history.Elsewhere(ctx, dir); err == nil && a != nil {
		c.warn(key, a.Next, "git will not find all of the project's repository in its worlds: %s", a.Msg)
	}
}

// lastCommit lists the files of a project's last commit, where a copy of the project has
// its repository; nil: it has none.
func lastCommit(ctx context.Context, dir string) []string {
	at := filepath.Join(dir, ".git")
	if st, err := os.Lstat(at); err != nil {
		return nil
	} else if l, err := history.LinkedFrom(ctx, dir); !st.IsDir() && (err != nil || l == nil) {
		return nil // a file or link .git leads out of the copy
	}
	repo, err := history.Open(ctx, dir)
	if err != nil || repo.Prefix != "" {
		return nil
	}
	head, err := repo.Commit(ctx, "HEAD")
	if err != nil {
		return nil
	}
	names, err := repo.Names(ctx, head)
	if err != nil {
		return nil // whoever looks with git in the world meets the same
	}
	return names
}
