package history

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// WorkTree is a working tree of a repository.
type WorkTree struct {
	repo *Repo
	dir  string
}

// WorkTree is the one that has dir, which is where the repository is seen from.
func (r *Repo) WorkTree(dir string) WorkTree { return WorkTree{r, dir} }

// Changed gives the files that differ from what was committed last, at most max of them.
// It looks by itself: git would run the filters that the repository configures.
func (t WorkTree) Changed(ctx context.Context, max int) ([]string, error) {
	head, err := t.repo.Commit(ctx, "HEAD")
	if err != nil {
		return nil, nil //nolint:nilerr // nothing was committed
	}
	files, err := t.repo.Files(ctx, head)
	if err != nil {
		return nil, err
	}
	noted, err := t.noted(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		if len(out) == max {
			break
		}
		at := filepath.Join(t.dir, f.Path)
		if n := noted[t.repo.Prefix+f.Path]; f.Mode != ModeSubmodule && !n.still(at, f) && !n.spared(at, f) && !same(at, f) {
			out = append(out, f.Path)
		}
	}
	return out, ctx.Err()
}

// note is what git's index has of a file.
type note struct {
	id    string
	mtime string // seconds:nanoseconds
	skip  bool   // it need not lie on disk, as outside of a sparse checkout
}

// skipWorktree is the flag of the index for that, as git tells it.
const skipWorktree = 1 << 30

// noted reads the index, by paths in the repository. Names that git quotes are left
// out: their files are read.
func (t WorkTree) noted(ctx context.Context) (map[string]note, error) {
	out, err := t.repo.git(ctx, nil, "ls-files", "--stage", "--debug")
	if err != nil {
		return nil, err
	}
	notes, name := map[string]note{}, ""
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if head, path, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, " ") {
			if f := strings.Fields(head); len(f) == 3 && f[2] == "0" { // mode, id, stage
				name = path
				notes[name] = note{id: f[1]}
			}
			continue
		}
		if at, ok := strings.CutPrefix(line, "  mtime: "); ok && name != "" {
			notes[name] = note{id: notes[name].id, mtime: at}
		}
		if _, flags, ok := strings.Cut(line, "\tflags: "); ok && name != "" {
			n := notes[name]
			bits, err := strconv.ParseUint(flags, 16, 64)
			n.skip = err == nil && bits&skipWorktree != 0
			notes[name] = n
		}
	}
	return notes, nil
}

// still reports whether a file is by its time what the index says, and that is f.
func (n note) still(at string, f File) bool {
	st, err := os.Lstat(at)
	return err == nil && n.id == f.ID && n.mtime == fmt.Sprintf("%d:%d", st.ModTime().Unix(), st.ModTime().Nanosecond())
}

// spared reports whether a file is not on disk because git was told to leave it out, and the index has f.
func (n note) spared(at string, f File) bool {
	if !n.skip || n.id != f.ID {
		return false
	}
	_, err := os.Lstat(at)
	return errors.Is(err, fs.ErrNotExist)
}

// same reports whether a file on disk has the content of f. A size that differs
// spares the reading; where lines end otherwise on disk, it is not the same.
func same(at string, f File) bool {
	st, err := os.Lstat(at)
	if err != nil {
		return false
	}
	var text []byte
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(at)
		if err != nil {
			return false
		}
		text = []byte(to)
	case !st.Mode().IsRegular() || st.Size() != f.Size:
		return false
	default:
		if text, err = os.ReadFile(at); err != nil {
			return false
		}
	}
	h := hash.Hash(sha1.New())
	if len(f.ID) > 2*sha1.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return strings.EqualFold(hex.EncodeToString(h.Sum(nil)), f.ID)
}
