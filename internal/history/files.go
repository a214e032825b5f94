package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// File is a file of a commit.
type File struct {
	Path string // relative to the directory that the repository is seen from
	Mode string // as git writes it: 100644, 100755, 120000 (a link), 160000 (a submodule)
	ID   string // of its content
	Size int64  // bytes; 0 of a submodule
}

// Modes of files that are no plain ones.
const (
	ModeExec      = "100755"
	ModeLink      = "120000"
	ModeSubmodule = "160000"
)

// IncompleteError says that contents of a commit are not in the repository, as in a
// partial clone.
type IncompleteError struct {
	Commit string
	Paths  []string
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("the repository lacks the content of %s of commit %.12s, as partial clones do", some(e.Paths),
		e.Commit)
}

// some names the first of several paths.
func some(paths []string) string {
	if len(paths) > 3 {
		return fmt.Sprintf("%q and %d more", paths[:3], len(paths)-3)
	}
	return fmt.Sprintf("%q", paths)
}

// NoDirError is of a commit that has no directory by this path.
type NoDirError struct{ Commit, Dir string }

func (e *NoDirError) Error() string {
	return fmt.Sprintf("commit %.12s has no directory %q", e.Commit, e.Dir)
}

// Files lists the files of a commit below the directory that the repository is seen
// from. Where contents are missing, it is an *IncompleteError; where a path leads
// elsewhere or two can't lie side by side, a *PathError; where the commit has no such directory, a
// *NoDirError.
func (r *Repo) Files(ctx context.Context, c Commit) ([]File, error) {
	tree := c.ID + "^{tree}"
	if r.Prefix != "" {
		tree = c.ID + ":" + strings.TrimSuffix(r.Prefix, "/")
		if kind, err := r.git(ctx, nil, "cat-file", "-t", tree); err != nil || strings.TrimSpace(kind) != "tree" {
			return nil, &NoDirError{c.ID, strings.TrimSuffix(r.Prefix, "/")}
		}
	}
	out, err := r.git(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", tree)
	if failed, ok := errors.AsType[*commandError](err); ok && failed.says("not a tree object", "promisor") {
		return nil, &IncompleteError{c.ID, []string{"its directories"}}
	}
	if err != nil {
		return nil, err
	}
	var files []File
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		head, path, ok := strings.Cut(entry, "\t")
		f := strings.Fields(head) // mode, type, id
		if !ok || len(f) != 3 {
			continue // an empty tree
		}
		if err := sane(path); err != nil {
			return nil, fmt.Errorf("commit %.12s: %w", c.ID, err)
		}
		files = append(files, File{Path: path, Mode: f[0], ID: f[2]})
	}
	err = Clash(func(yield func(string) bool) {
		for _, f := range files {
			if !yield(f.Path) {
				return
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("commit %.12s: %w", c.ID, err)
	}
	return files, r.sizes(ctx, c, files)
}

// Names lists the files of a commit below the directory that the repository is seen from,
// by their paths alone, whether or not their contents are there.
func (r *Repo) Names(ctx context.Context, c Commit) ([]string, error) {
	out, err := r.git(ctx, nil, "ls-tree", "-r", "-z", "--name-only", "--full-tree",
		c.ID+":"+strings.TrimSuffix(r.Prefix, "/"))
	if out = strings.TrimSuffix(out, "\x00"); err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\x00"), nil
}

// sizes finds how large files are, and that all are there.
func (r *Repo) sizes(ctx context.Context, c Commit, files []File) error {
	var ask strings.Builder
	for _, f := range files {
		if f.Mode != ModeSubmodule {
			ask.WriteString(f.ID + "\n")
		}
	}
	out, err := r.git(ctx, []byte(ask.String()), "cat-file", "--batch-check=%(objectsize)")
	if failed, ok := errors.AsType[*commandError](err); ok && ctx.Err() == nil {
		for _, f := range files { // git gives up at the first that it would have to fetch
			if f.Mode != ModeSubmodule && failed.says(f.ID) {
				return &IncompleteError{c.ID, []string{f.Path}}
			}
		}
	}
	if err != nil {
		return err
	}
	lines := strings.Split(out, "\n")
	var missing []string
	for i, n := 0, 0; i < len(files) && n < len(lines); i++ {
		if files[i].Mode == ModeSubmodule {
			continue
		}
		size, err := strconv.ParseInt(lines[n], 10, 64)
		if n++; err != nil {
			missing = append(missing, files[i].Path)
		}
		files[i].Size = size
	}
	if missing != nil {
		return &IncompleteError{c.ID, missing}
	}
	return nil
}

// Content gives the content of a file.
func (r *Repo) Content(ctx context.Context, f File) ([]byte, error) {
	out, err := r.git(ctx, nil, "cat-file", "blob", f.ID)
	return []byte(out), err
}

// lfsHead begins a file that stands for one of Git LFS.
const lfsHead = "version https://git-lfs.github.com/spec/"

// Pointers gives the files that only stand for those of Git LFS: what they stand for
// is not in the repository.
func (r *Repo) Pointers(ctx context.Context, files []File) ([]string, error) {
	asked := false
	for _, f := range files {
		if f.Path == ".gitattributes" || strings.HasSuffix(f.Path, "/.gitattributes") {
			text, err := r.Content(ctx, f)
			if err != nil {
				return nil, err
			}
			asked = asked || strings.Contains(string(text), "filter=lfs")
		}
	}
	if !asked {
		return nil, nil
	}
	read := newReader(ctx, r)
	defer read.close()
	var out []string
	for _, f := range files {
		if f.Mode == ModeSubmodule || f.Mode == ModeLink || f.Size > 1024 {
			continue
		}
		text, err := read.content(f)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(string(text), lfsHead) {
			out = append(out, f.Path)
		}
	}
	return out, nil
}

// Submodules gives the directories that hold other repositories.
func Submodules(files []File) (out []string) {
	for _, f := range files {
		if f.Mode == ModeSubmodule {
			out = append(out, f.Path)
		}
	}
	return out
}

// Tracks reports whether the index has a file below a directory, which is named by its path from where
// the repository is seen.
func (r *Repo) Tracks(ctx context.Context, dir string) (bool, error) {
	out, err := r.git(ctx, nil, "--literal-pathspecs", "ls-files", "-z", "--", r.Prefix+dir)
	return out != "", err
}
