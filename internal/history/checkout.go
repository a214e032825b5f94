package history

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is a directory that holds the files of a commit, and nothing else of the
// repository. It is not safe for concurrent use.
type Tree struct {
	Dir string
	At  Commit

	repo  *Repo
	skip  func(path string) bool
	files map[string]File // that lie there
	root  *os.Root
	read  *reader
	own   map[string]bool // contents that lie there as links: a second file of the same content is a copy
}

// Checkout writes the files of a commit into dir, which is not there or empty, but
// for those that skip leaves out (nil: none). Contents are as git stores them: no filter has
// its way with them. Times are fileTime. A submodule is an empty directory.
func (r *Repo) Checkout(ctx context.Context, c Commit, dir string, skip func(path string) bool) (*Tree, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		return nil, fmt.Errorf("%s is not an empty directory", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	t := &Tree{Dir: dir, repo: r, skip: skip, files: map[string]File{}, root: root, read: newReader(ctx, r),
		own: map[string]bool{}}
	if err := t.Move(ctx, c); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Files are those that lie in the tree, by their paths; submodules are none.
func (t *Tree) Files() (out []File) {
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		if f := t.files[name]; f.Mode != ModeSubmodule {
			out = append(out, f)
		}
	}
	return out
}

// Close ends what reads the repository. The files stay.
func (t *Tree) Close() {
	t.read.close()
	t.root.Close()
}

// Move makes the tree that of another commit: what differs is written anew, whatever
// became of it meanwhile; all else is left as it is.
func (t *Tree) Move(ctx context.Context, c Commit) error {
	list, err := t.repo.Files(ctx, c)
	if err != nil {
		return err
	}
	next := make(map[string]File, len(list))
	for _, f := range list {
		if t.skip != nil && t.skip(f.Path) {
			continue
		}
		next[f.Path] = f
	}
	for name, was := range t.files {
		if now, stays := next[name]; stays && now == was {
			continue
		}
		if err := t.remove(name, next); err != nil {
			return err
		}
		delete(t.files, name)
	}
	for _, f := range list {
		if _, wanted := next[f.Path]; !wanted {
			continue
		}
		if was, there := t.files[f.Path]; there && was == f {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.write(f); err != nil {
			return fmt.Errorf("writing %q of commit %.12s: %w", f.Path, c.ID, err)
		}
		t.files[f.Path] = f
	}
	t.At = c
	return nil
}

// remove takes a file away, and the directories that it leaves empty.
func (t *Tree) remove(name string, next map[string]File) error {
	if err := t.root.RemoveAll(name); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if next[dir].Mode == ModeSubmodule || t.root.Remove(dir) != nil {
			break // something else lies there
		}
	}
	return nil
}

// write makes one file of the commit in the tree: a regular file, a link, or for a
// submodule its empty directory.
func (t *Tree) write(f File) error {
	if dir := path.Dir(f.Path); dir != "." {
		if err := t.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	switch f.Mode {
	case ModeSubmodule:
		err := t.root.Mkdir(f.Path, 0o755)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	case ModeLink:
		to, err := t.read.content(f)
		if err != nil {
			return err
		}
		return t.root.Symlink(string(to), f.Path)
	}
	mode := fs.FileMode(0o644)
	if f.Mode == ModeExec {
		mode = 0o755
	}
	if t.repo.shared != nil && !t.own[f.ID] { // directories were made by the root, which follows no link out of it
		t.own[f.ID] = true
		if done, err := t.repo.shared.file(f, mode, filepath.Join(t.Dir, f.Path), t.read); done || err != nil {
			return err
		}
	}
	w, err := t.root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = errors.Join(t.read.copy(f, w), w.Chmod(mode), w.Close())
	if err != nil {
		return err
	}
	return t.root.Chtimes(f.Path, fileTime, fileTime)
}

// Repository gives the tree a repository of its own with one commit, which has
// nobody's name and holds the files but those that hide names (nil: none). Nothing
// that came before or after the commit is in it.
func (t *Tree) Repository(ctx context.Context, hide func(path string) bool) error {
	if err := os.RemoveAll(filepath.Join(t.Dir, ".git")); err != nil {
		return err
	}
	format := "--object-format=sha1"
	if len(t.At.ID) > 2*sha1.Size {
		format = "--object-format=sha256"
	}
	if _, err := run(ctx, t.Dir, nil, nil, "-c", "init.defaultBranch=main", "init", "--quiet", "--template=",
		format); err != nil {
		return err
	}
	var index strings.Builder
	files := slices.DeleteFunc(t.Files(), func(f File) bool { return hide != nil && hide(f.Path) })
	for _, f := range files {
		fmt.Fprintf(&index, "%s %s\t%s\x00", f.Mode, f.ID, f.Path)
	}
	own := []string{"GIT_DIR=" + filepath.Join(t.Dir, ".git")}
	if err := t.pack(ctx, own, files); err != nil {
		return err
	}
	if _, err := run(ctx, t.Dir, own, []byte(index.String()), "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	tree, err := run(ctx, t.Dir, own, nil, "write-tree")
	if err != nil {
		return err
	}
	date := fmt.Sprintf("@%d +0000", t.At.Time.Unix())
	who := append(own, "GIT_AUTHOR_NAME=base", "GIT_AUTHOR_EMAIL=base@localhost", "GIT_COMMITTER_NAME=base",
		"GIT_COMMITTER_EMAIL=base@localhost",
		"GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	commit, err := run(ctx, t.Dir, who, nil, "-c", "commit.gpgSign=false", "commit-tree", "--no-gpg-sign",
		strings.TrimSpace(tree), "-m", "base")
	if err != nil {
		return err
	}
	_, err = run(ctx, t.Dir, own, nil, "-c", "core.logAllRefUpdates=false", "update-ref", "HEAD",
		strings.TrimSpace(commit))
	return err
}

// pack gives another repository the contents of files.
func (t *Tree) pack(ctx context.Context, own []string, files []File) error {
	if len(files) == 0 {
		return nil
	}
	if t.repo.shared != nil {
		done, err := t.repo.shared.packs(ctx, t.repo, files, filepath.Join(t.Dir, ".git", "objects", "pack"))
		if done || err != nil {
			return err
		}
	}
	var ids strings.Builder
	for _, f := range files {
		ids.WriteString(f.ID + "\n") // a path may hold a line of its own
	}
	from := command(ctx, "/", t.repo.env(), append(packing(), "--stdout")...)
	to := command(ctx, t.Dir, own, "index-pack", "--stdin")
	var said, also strings.Builder
	from.Stdin, from.Stderr, to.Stderr, to.Stdout = strings.NewReader(ids.String()), &said, &also, io.Discard
	pipe, err := from.StdoutPipe()
	if err != nil {
		return err
	}
	to.Stdin = pipe
	if err := from.Start(); err != nil {
		return err
	}
	err = to.Run()
	if err = errors.Join(err, from.Wait()); err != nil {
		return fmt.Errorf("git pack-objects: %w: %s %s", err, strings.TrimSpace(said.String()),
			strings.TrimSpace(also.String()))
	}
	return nil
}
