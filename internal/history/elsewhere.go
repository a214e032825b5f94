package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Apart is what of a project's repository a copy of the project does not have.
type Apart struct {
	Msg  string // what is missing there
	Next string // what whoever has the project can do
}

// nextBase is what helps where git can find the repository from the project, and a copy can't.
const nextBase = "base: COMMIT gives worlds a repository with that commit, hidden: .git none at all"

// nextWhole is what helps a repository that borrows objects.
const nextWhole = "git repack -a -d && rm .git/objects/info/alternates makes it whole"

// Elsewhere says what of the repository of the project in dir no copy of the project has: a clone with borrowed objects
// has half of it elsewhere, and what git was told by an absolute path is not there in a copy. A repository that
// LinkedFrom finds is copied with the project. Nil: a copy has it all, or there is none.
func Elsewhere(ctx context.Context, dir string) (*Apart, error) {
	git := filepath.Join(dir, ".git")
	if _, err := os.Lstat(git); err != nil {
		return nil, nil //nolint:nilerr // no repository, or one above
	}
	l, err := LinkedFrom(ctx, dir)
	if err != nil {
		return nil, err
	}
	to, how, err := pointed(dir)
	if err != nil {
		return nil, err
	}
	own := git
	if l != nil {
		git, own = l.Common, l.Git
	} else if to != "" {
		if git = inCopy(dir, dir, to); git == "" {
			return &Apart{"its .git " + how + " " + to, nextBase}, nil
		}
		own = git
	}
	if to := borrowed(dir, filepath.Join(git, "objects")); to != "" {
		return &Apart{fmt.Sprintf("its .git borrows objects of %s (objects/info/alternates)", to),
			nextWhole + "; hidden: .git gives worlds no repository"}, nil
	}
	set, err := settings(ctx, filepath.Join(git, "config"))
	if err != nil {
		return nil, err
	}
	if tree := set["core.worktree"]; tree != "" && l == nil && inCopy(dir, git, tree) == "" {
		return &Apart{"its .git says that the files lie at " + tree + " (core.worktree)",
			"where that is the project itself, git config --unset core.worktree; " +
				"else hidden: .git gives worlds no repository"}, nil
	}
	for key := range set {
		if key == "extensions.partialclone" || strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") {
			return lacking(ctx, own)
		}
	}
	return nil, nil
}

// settings reads a file of configuration, and none that it includes.
func settings(ctx context.Context, file string) (map[string]string, error) {
	out, err := run(ctx, "/", nil, nil, "config", "--file", file, "--no-includes", "--list", "--null")
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	for one := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(one, "\n")
		set[key] = value
	}
	return set, nil
}

// lastLooked is how many of the last commits are looked at for contents that are not there.
const lastLooked = 50

// lacking says of a partial clone that contents of its last commits are missing.
func lacking(ctx context.Context, git string) (*Apart, error) {
	out, err := run(ctx, "/", []string{"GIT_DIR=" + git}, nil, "rev-list", "--objects", "--no-object-names",
		"--missing=print", fmt.Sprintf("--max-count=%d", lastLooked), "HEAD")
	if err != nil || !strings.HasPrefix(out, "?") && !strings.Contains(out, "\n?") {
		return nil, err
	}
	return &Apart{"it is a partial clone, and lacks files of its last commits, which git fetches when it needs them",
		"git fetch --refetch --no-filter gets them all"}, nil
}

// inCopy gives where a path leads that is written in from; "": not to a place that a copy of dir has as well.
func inCopy(dir, from, to string) string {
	if to == "" || filepath.IsAbs(to) {
		return ""
	}
	at := filepath.Join(from, to)
	if rel, err := filepath.Rel(dir, at); err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return at
}

// borrowed names the first directory of objects that a copy of dir lacks; "": none.
func borrowed(dir, objects string) string {
	text, err := os.ReadFile(filepath.Join(objects, "info", "alternates"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		to := strings.TrimSpace(line)
		if to != "" && !strings.HasPrefix(to, "#") && inCopy(dir, objects, to) == "" {
			return to
		}
	}
	return ""
}
