package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Linked is the repository of a project whose .git only names it: that of a worktree (git worktree add) or of a
// submodule.
type Linked struct {
	Git    string // its directory
	Common string // the directory that it shares with the other worktrees; Git where there are none
}

// LinkedFrom gives the repository that .git in dir names, and that names dir as the place of its files: whoever
// made the project can't have its .git lead to any other repository of the user. Nil: a copy of dir has the
// repository itself, or there is no such one. So it is where a repository of several worktrees keeps its refs in
// tables of one file (reftable), which can't be put together.
func LinkedFrom(ctx context.Context, dir string) (*Linked, error) {
	to, _, err := pointed(dir)
	if err != nil || to == "" || inCopy(dir, dir, to) != "" {
		return nil, err
	}
	git := absolute(dir, to)
	l := &Linked{Git: git, Common: git}
	if common, err := named(filepath.Join(git, "commondir"), ""); err == nil {
		l.Common = absolute(git, common)
	}
	if !isDir(filepath.Join(l.Common, "objects")) || l.Apart() && isDir(filepath.Join(l.Common, "reftable")) {
		return nil, nil
	}
	files, err := l.files(ctx)
	if err != nil || files == "" || !samePlace(files, dir) {
		return nil, err
	}
	return l, nil
}

// files gives where the repository says that its files lie; "": it does not.
func (l *Linked) files(ctx context.Context) (string, error) {
	if l.Apart() {
		back, err := named(filepath.Join(l.Git, "gitdir"), "")
		if err != nil {
			return "", nil //nolint:nilerr // it is no worktree of anybody
		}
		return filepath.Dir(absolute(l.Git, back)), nil
	}
	set, err := settings(ctx, filepath.Join(l.Git, "config"))
	if err != nil || set["core.worktree"] == "" {
		return "", err
	}
	return absolute(l.Git, set["core.worktree"]), nil
}

func samePlace(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

// Apart says that the repository shares its directory with other worktrees.
func (l *Linked) Apart() bool { return l.Git != l.Common }

// ofAll are the files and directories that all worktrees have together; see gitrepository-layout(5).
var ofAll = []string{"branches", "config", "description", "hooks", "info", "lfs", "logs", "lost-found", "objects",
	"packed-refs", "refs", "remotes", "rr-cache", "shallow", "svn"}

// NotShared gives globs of what of the shared directory is not of this worktree: what lies beside the
// files that all have, and what each has of its own among them.
func (l *Linked) NotShared() ([]string, error) {
	list, err := os.ReadDir(l.Common)
	if err != nil {
		return nil, err
	}
	globs := []string{"info/sparse-checkout", "logs/HEAD"}
	for _, of := range []string{"refs/", "logs/refs/"} {
		globs = append(globs, of+"bisect", of+"rewritten", of+"worktree")
	}
	for _, e := range list {
		if !slices.Contains(ofAll, e.Name()) {
			globs = append(globs, strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).
				Replace(e.Name()))
		}
	}
	return globs, nil
}

// Own are globs of what of a worktree's own directory only says where the rest lies.
func (l *Linked) Own() []string { return []string{"commondir", "gitdir", "locked"} }

// Module gives where in the repository that of a submodule lies whose files are in dir, relative to it; "": not in it.
func (l *Linked) Module(dir string) (string, error) {
	to, _, err := pointed(dir)
	if err != nil || to == "" {
		return "", err
	}
	rel, err := filepath.Rel(l.Git, absolute(dir, to))
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", nil //nolint:nilerr // it lies elsewhere
	}
	return rel, nil
}

// Settle tells the repository in the directory git, a copy of a linked one, where its files lie, relative to
// it; "": beside it.
func Settle(ctx context.Context, git, files string) error {
	for _, name := range []string{"config", "config.worktree"} {
		file := filepath.Join(git, name)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		set, err := settings(ctx, file)
		if err != nil {
			return err
		}
		write := func(args ...string) error {
			_, err := run(ctx, "/", nil, nil, append([]string{"config", "--file", file}, args...)...)
			return err
		}
		_, is := set["core.worktree"]
		switch {
		case is && files == "":
			err = write("--unset-all", "core.worktree")
		case is:
			err = write("--replace-all", "core.worktree", files)
		}
		if _, is := set["core.bare"]; is && err == nil {
			err = write("--replace-all", "core.bare", "false")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pointed gives where .git in dir leads, and how; "": it is the repository itself, or not there.
func pointed(dir string) (to, how string, err error) {
	at := filepath.Join(dir, ".git")
	st, err := os.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", nil
	case err != nil:
		return "", "", err
	case st.Mode()&fs.ModeSymlink != 0:
		to, err = os.Readlink(at)
		return to, "is a link to", err
	case st.Mode().IsRegular():
		to, err = named(at, "gitdir:")
		return to, "is a file that names", err
	}
	return "", "", nil
}

// named reads the path that a file of one line names behind a word.
func named(file, word string) (string, error) {
	text, err := os.ReadFile(file)
	return strings.TrimSpace(strings.TrimPrefix(string(text), word)), err
}

// absolute gives the path that is written in from as to.
func absolute(from, to string) string {
	if filepath.IsAbs(to) {
		return filepath.Clean(to)
	}
	return filepath.Join(from, to)
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
