package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// Snapshot copies a project's tree from src into dst, which must be empty or
// not there: what Spec.Project is meant to be given, once for many sandboxes.
// Blocks are shared where the file system can. Links are copied, never
// followed; sockets, FIFOs and devices are left out, as are .cookoff at the
// top and what one of the doublestar globs (relative to src) matches.
func Snapshot(ctx context.Context, src, dst string, exclude []string) error {
	for _, g := range exclude {
		if !doublestar.ValidatePattern(g) {
			return fmt.Errorf("copying a project: %q is not a valid glob", g)
		}
	}
	if err := os.MkdirAll(dst, 0o755); err != nil {
		return fmt.Errorf("copying a project: %w", err)
	}
	if left, err := os.ReadDir(dst); err != nil || len(left) > 0 {
		return fmt.Errorf("copying a project: %s is not an empty directory", dst)
	}
	src, err := filepath.EvalSymlinks(src)
	if err != nil {
		return fmt.Errorf("copying a project: %w", err)
	}
	c := copier{ctx: ctx, src: src, dst: dst, exclude: exclude}
	if err := filepath.WalkDir(src, c.entry); err != nil {
		return fmt.Errorf("copying a project: %w", err)
	}
	if len(c.closed) > 0 {
		return &UnreadableError{Dir: src, Paths: c.closed}
	}
	return c.finish()
}

// UnreadableError says that a project has files or directories that its user may
// not read.
type UnreadableError struct {
	Dir   string
	Paths []string // relative to Dir
}

// namedPaths is how many paths an UnreadableError names.
const namedPaths = 5

func (e *UnreadableError) Error() string {
	named, more := e.Paths, ""
	if len(named) > namedPaths {
		named, more = named[:namedPaths], fmt.Sprintf(" and %d more", len(named)-namedPaths)
	}
	return fmt.Sprintf("the project holds what can't be read: %s%s\n"+
		"hint: a model works on a copy of all of it: let yourself read them (chmod -R u+rX), or take them out of %s; "+
		"nothing was run", quotedList(named), more, e.Dir)
}

// quotedList names paths, each as Go's source has a text.
func quotedList(paths []string) string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = strconv.Quote(p)
	}
	return strings.Join(quoted, ", ")
}

type copier struct {
	ctx      context.Context
	src, dst string
	exclude  []string
	dirs     []dirTimes // their times and modes come last: files change them
	closed   []string   // what can't be read
}

type dirTimes struct {
	path  string
	mode  fs.FileMode
	mtime time.Time
}

func (c *copier) entry(path string, d fs.DirEntry, err error) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	rel, relErr := filepath.Rel(c.src, path)
	if relErr != nil {
		return relErr
	}
	if errors.Is(err, fs.ErrPermission) && rel != "." {
		c.closed = append(c.closed, rel)
		return nil
	}
	if err != nil {
		return err
	}
	if rel != "." && c.leftOut(filepath.ToSlash(rel)) {
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	to := filepath.Join(c.dst, rel)
	switch mode := info.Mode(); {
	case rel == ".":
		if !mode.IsDir() {
			return fmt.Errorf("%s is not a directory", path)
		}
		return nil
	case mode.IsDir():
		c.dirs = append(c.dirs, dirTimes{to, mode, info.ModTime()})
		return os.Mkdir(to, 0o700)
	case mode&fs.ModeSymlink != 0:
		t, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return os.Symlink(t, to)
	case mode.IsRegular():
		err := copyFile(path, to, info)
		if p, ok := errors.AsType[*fs.PathError](err); ok && p.Path == path && errors.Is(err, fs.ErrPermission) {
			c.closed = append(c.closed, rel)
			return nil
		}
		return err
	}
	return nil
}

func (c *copier) leftOut(rel string) bool {
	if rel == ".cookoff" {
		return true
	}
	for _, g := range c.exclude {
		if ok, _ := doublestar.Match(g, rel); ok {
			return true
		}
	}
	return false
}

func (c *copier) finish() error {
	for i := len(c.dirs) - 1; i >= 0; i-- {
		d := c.dirs[i]
		if err := os.Chmod(d.path, d.mode.Perm()); err != nil {
			return fmt.Errorf("copying a project: %w", err)
		}
		if err := os.Chtimes(d.path, d.mtime, d.mtime); err != nil {
			return fmt.Errorf("copying a project: %w", err)
		}
	}
	return nil
}

// copyFile copies a regular file with mode and time.
func copyFile(from, to string, info fs.FileInfo) error {
	in, err := os.OpenFile(from, os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in) // copy_file_range where there is one
	if err == nil {
		err = out.Chmod(info.Mode().Perm())
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
