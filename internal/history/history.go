// Package history reads the history of a repository of the user's: its commits, and
// the files of one. Nothing that the repository configures is run (no hook, filter,
// monitor or transport), and nothing is fetched.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/hint"
	"cookoff/internal/pattern"
)

// Repo is a repository, seen from one of its directories.
type Repo struct {
	Dir    string // its git directory
	Prefix string // of the directory in it: "" or "a/b/"
	Common string // the git directory that all working trees of it share

	shared  *shared // see Share; nil: trees have copies
	objects string  // see Derived; "": none
}

// Commit is a commit of a repository.
type Commit struct {
	ID   string // in full
	Time time.Time
}

// ErrNone says that a directory is in no repository.
var ErrNone = errors.New("no git repository")

// ErrBare says that a directory is a bare repository.
var ErrBare = errors.New("a bare repository, which has no files")

// commandTime bounds one short command of git.
const commandTime = time.Minute

// Open finds the repository that dir is in: ErrNone where there is none, ErrBare where
// it has no files.
func Open(ctx context.Context, dir string) (*Repo, error) {
	out, err := run(ctx, dir, nil, nil, "-c", "safe.bareRepository=explicit", "rev-parse", "--absolute-git-dir",
		"--git-common-dir", "--show-prefix")
	if failed, ok := errors.AsType[*commandError](err); ok {
		switch {
		case failed.says("dubious ownership"):
			return nil, hint.New("git config --global --add safe.directory "+dir,
				"the repository of %s belongs to somebody else, and git refuses it", dir)
		case failed.says("cannot use bare repository"):
			return nil, ErrBare
		case failed.says("not a git repository", "must be run in a work tree"):
			return nil, ErrNone
		}
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("git says where the repository of %s lies in %d lines", dir, len(lines))
	}
	r := &Repo{Dir: lines[0], Common: lines[1], Prefix: lines[2]}
	if !filepath.IsAbs(r.Common) {
		r.Common = filepath.Join(dir, r.Common)
	}
	return r, nil
}

// Top is the directory of the working tree that dir, from which the repository is seen,
// lies in.
func (r *Repo) Top(dir string) string {
	for range strings.Count(r.Prefix, "/") {
		dir = filepath.Dir(dir)
	}
	return dir
}

// Owned refuses a repository that is not wholly that of the project in dir: it lies elsewhere, as a file .git can
// say, or a part of it does.
func Owned(ctx context.Context, r *Repo, dir string) error {
	common, err := filepath.EvalSymlinks(r.Common)
	if err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	if rel, err := filepath.Rel(dir, common); err == nil && filepath.IsLocal(rel) {
		if err := whole(common); err != nil {
			return err // of a worktree, that of the other is the same
		}
		return whole(r.Dir)
	}
	if here, err := Open(ctx, dir); err == nil {
		if at, err := filepath.EvalSymlinks(here.Common); err == nil && at == common {
			return nil
		}
	}
	return fmt.Errorf("the repository lies at %s, outside of %s", common, dir)
}

// whole reports what of a repository in dir lies elsewhere: a link in it, or objects
// that it borrows. Who did not make the repository himself reads neither.
func whole(dir string) error {
	hooks := filepath.Join(dir, "hooks") // which nobody runs, and people link to files of the project
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case path == hooks && err == nil && d.IsDir():
			return fs.SkipDir
		case path != hooks && err == nil && d.Type()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s is a link: a repository with links in it is not read", path)
		}
		return err
	})
	if err != nil {
		return err
	}
	if st, err := os.Stat(filepath.Join(dir, "objects", "info", "alternates")); err == nil && st.Size() > 0 {
		return hint.New(nextWhole,
			"the repository %s borrows objects of another (objects/info/alternates): it is not read", dir)
	}
	return nil
}

// revision is what names a commit: an id, a tag, a branch, and steps back from it.
var revision = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_./+-]*([~^][0-9]*)*$`)

// MissingError says that a repository has no such commit.
type MissingError struct {
	Rev     string
	Shallow bool // its history was cut off
}

func (e *MissingError) Error() string {
	if e.Shallow {
		return fmt.Sprintf("the repository has no commit %q: its history was cut off (a shallow clone)", e.Rev)
	}
	return fmt.Sprintf("the repository has no commit %q", e.Rev)
}

// Commit finds a commit by its id, a tag or a branch: a *MissingError where there is
// none.
func (r *Repo) Commit(ctx context.Context, rev string) (Commit, error) {
	if !revision.MatchString(rev) || strings.Contains(rev, "..") {
		return Commit{}, fmt.Errorf("%q names no commit: write its id, a tag or a branch", rev)
	}
	out, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return Commit{}, ctx.Err()
		}
		return Commit{}, &MissingError{rev, r.Shallow()}
	}
	id := strings.TrimSpace(out)
	out, err = r.git(ctx, nil, "cat-file", "commit", id)
	if err != nil {
		return Commit{}, err
	}
	c := Commit{ID: id, Time: time.Unix(0, 0)}
	for line := range strings.Lines(out) {
		if line == "\n" {
			break
		}
		if f := strings.Fields(line); len(f) > 2 && f[0] == "committer" {
			c.Time = timeOf(f[len(f)-2])
		}
	}
	return c, nil
}

// timeOf reads the time of a commit; one that is none, which only a hand can have
// written, is the beginning of time.
func timeOf(seconds string) time.Time {
	sec, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || sec < 0 || sec > 1<<40 {
		sec = 0
	}
	return time.Unix(sec, 0)
}

// Shallow reports whether the history was cut off.
func (r *Repo) Shallow() bool {
	_, err := os.Lstat(filepath.Join(r.Common, "shallow"))
	return err == nil
}

// git runs git in the repository.
func (r *Repo) git(ctx context.Context, in []byte, args ...string) (string, error) {
	return run(ctx, "/", r.env(), in, args...)
}

func (r *Repo) env() []string {
	env := []string{"GIT_DIR=" + r.Dir}
	if r.objects != "" {
		env = append(env, "GIT_OBJECT_DIRECTORY="+r.objects,
			"GIT_ALTERNATE_OBJECT_DIRECTORIES="+strconv.Quote(filepath.Join(r.Common, "objects")))
	}
	return env
}

// writingTo is the environment of a command that reads the repository's objects and writes those that it makes, and
// what it needs while it makes them, to dir: the repository may lie on another file system, or be read-only.
func (r *Repo) writingTo(dir string) []string {
	from := strconv.Quote(filepath.Join(r.Common, "objects"))
	if r.objects != "" {
		from = strconv.Quote(r.objects) + ":" + from
	}
	return []string{"GIT_DIR=" + r.Dir, "GIT_OBJECT_DIRECTORY=" + dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + from}
}

// quiet keeps git from running what a repository configures, from fetching what it
// lacks and from asking. What is written is made anew after the machine goes down: git does
// not wait for the disk.
var quiet = []string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
	"-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "core.alternateRefsCommand=", "-c", "core.quotePath=false"}

// command makes a command of git, with nothing of the caller's own repository.
func command(ctx context.Context, dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{}, quiet...), args...)...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); !strings.HasPrefix(name, "GIT_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// commandError is a command of git that failed. Stderr is what git wrote, in English: it
// tells failures apart by nothing else.
type commandError struct {
	Command string // such as ls-tree
	Err     error  // of the process, such as an exit status
	Stderr  string
}

func (e *commandError) Error() string {
	return fmt.Sprintf("git %s: %v: %s", e.Command, e.Err, e.Stderr)
}
func (e *commandError) Unwrap() error { return e.Err }

// says reports whether git wrote one of these phrases.
func (e *commandError) says(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(e.Stderr, p) })
}

// run runs git to its end, and gives what it printed: a *commandError where git failed.
func run(ctx context.Context, dir string, env []string, in []byte, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := command(ctx, dir, env, args...)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errOut
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("the program git is not installed")
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	}
	return "", &commandError{args[0], err, strings.TrimSpace(errOut.String())}
}
