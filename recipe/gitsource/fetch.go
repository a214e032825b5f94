package gitsource

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
	"syscall"
	"time"

	"cookoff/internal/temporary"
)

// MaxFile is the most that a recipe may take, in bytes.
const MaxFile = 16 << 20

const (
	gitTimeout = 2 * time.Minute // of one git command
	maxFetched = 256 << 20       // bytes that a repository may send for one file
	gitRemote  = "source"        // what the repository is called while it is read
)

// errPartial is what becomes of a fetch without contents where the one that is
// wanted can't be had afterwards.
var errPartial = errors.New("the server sends no single files")

// fetch gets one file at a revision, by way of a bare repository that is
// thrown away: nothing is checked out, so nothing of the repository can run.
// Servers that can are asked for that file's content alone.
func (g *Files) fetch(ctx context.Context, a Address, rev string) ([]byte, Source, error) {
	dir, err := g.cache()
	if err != nil {
		return nil, Source{}, err
	}
	content, commit, err := g.fetchInto(ctx, dir, a, rev, true)
	if errors.Is(err, errPartial) && ctx.Err() == nil {
		content, commit, err = g.fetchInto(ctx, dir, a, rev, false)
	}
	if err != nil {
		return nil, Source{}, err
	}
	src := Source{Commit: commit, SHA256: digest(content)}
	return content, src, keep(dir, src.SHA256, content)
}

func (g *Files) fetchInto(ctx context.Context, dir string, a Address, rev string, partial bool) (content []byte,
	commit string, err error) {
	bare, err := temporary.Dir(dir, ".fetch-*")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(bare)
	r, err := g.repository(ctx, bare, a)
	if err != nil {
		return nil, "", err
	}
	if _, err := r.git("init", "--quiet", "--bare", "--template="); err != nil {
		return nil, "", err
	}
	how := []string{"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"}
	if partial {
		r.settings = append(r.settings, "remote."+gitRemote+".promisor=true",
			"remote."+gitRemote+".partialclonefilter=blob:none")
		how = append(how, "--filter=blob:none")
	}
	if _, err := r.git(append(how, "--", gitRemote, rev)...); err != nil {
		return nil, "", fmt.Errorf("fetching %s at %q: %w", a.Repo, rev, err)
	}
	commit, err = r.git("rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}")
	if err != nil {
		return nil, "", fmt.Errorf("%q of %s is no commit", rev, a.Repo)
	}
	commit = strings.TrimSpace(commit)
	content, err = r.file(commit, rev)
	if _, failed := errors.AsType[*gitError](err); failed && partial {
		err = errPartial // old servers promise what they don't send
	}
	return content, commit, err
}

// fetched is a bare repository while a file of it is read.
type fetched struct {
	ctx      context.Context
	path     string // of git
	bare     string
	from     Address
	limit    int64 // bytes of one file that git writes
	env      []string
	settings []string
}

func (g *Files) repository(ctx context.Context, bare string, a Address) (*fetched, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("the program git is not installed")
	}
	r := &fetched{ctx: ctx, path: git, bare: bare, from: a, limit: g.Most, env: gitEnv(os.Environ())}
	if r.limit == 0 {
		r.limit = maxFetched
	}
	r.settings = []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "protocol.ext.allow=never", "gc.auto=0",
		"maintenance.auto=false", "advice.detachedHead=false",
		"fetch.unpackLimit=1", // one file, so that the limit holds for all of it
		"remote." + gitRemote + ".url=" + a.Repo,
	}
	if a.Scheme == "ssh" {
		r.env = append(r.env, r.ssh()...)
	}
	return r, nil
}

// ssh gives what keeps ssh from asking: it has nobody to ask, and would wait.
// A command of the user's own is left as it is.
func (r *fetched) ssh() []string {
	quiet := []string{"SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force"}
	own := slices.ContainsFunc(r.env, func(e string) bool {
		return strings.HasPrefix(e, "GIT_SSH=") || strings.HasPrefix(e, "GIT_SSH_COMMAND=")
	})
	if !own {
		set, err := r.git("config", "--get", "core.sshCommand")
		own = err == nil && strings.TrimSpace(set) != ""
	}
	if own {
		return quiet
	}
	return append(quiet, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
}

// file gives the content of the file that is wanted.
func (r *fetched) file(commit, rev string) ([]byte, error) {
	a := r.from
	entry, err := r.git("--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", a.Path)
	if err != nil {
		return nil, err
	}
	f := strings.Fields(strings.SplitN(entry, "\t", 2)[0]) // mode, type, id
	switch {
	case len(f) != 3:
		return nil, fmt.Errorf("there is no file %q at %q of %s", a.Path, rev, a.Repo)
	case f[0] != "100644" && f[0] != "100755":
		return nil, fmt.Errorf("%q of %s is no regular file", a.Path, a.Repo)
	}
	size, err := r.git("cat-file", "-s", f[2])
	if err != nil {
		return nil, err
	}
	if tooLarge(strings.TrimSpace(size)) {
		return nil, fmt.Errorf("%q of %s is larger than %d MiB: this is no recipe", a.Path, a.Repo, MaxFile>>20)
	}
	blob, err := r.git("cat-file", "blob", f[2])
	return []byte(blob), err
}

func tooLarge(size string) bool {
	n, err := strconv.ParseInt(size, 10, 64)
	return err != nil || n > MaxFile
}

// gitError is what git said when it failed.
type gitError struct{ output string }

func (e *gitError) Error() string { return e.output }

// git runs git in the repository, with no hook, no question, no transport but
// the one asked for, and nothing of the caller's repository. It runs in a
// process group of its own: what it started ends with it, and Ctrl-C is ours
// to take.
func (r *fetched) git(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(r.ctx, gitTimeout)
	defer cancel()
	all := []string{"-c", `ulimit -c 0; ulimit -f "$0" && exec "$@"`, strconv.FormatInt(r.limit/512, 10), r.path}
	for _, s := range r.settings {
		all = append(all, "-c", s)
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", append(all, args...)...)
	cmd.Dir = r.bare
	cmd.Env = append(slices.Clone(r.env), "GIT_DIR="+r.bare, "GIT_ALLOW_PROTOCOL="+r.from.Scheme)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a helper of git may hold its output
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case r.ctx.Err() != nil:
		return "", r.ctx.Err()
	case ctx.Err() != nil:
		return "", fmt.Errorf("no answer within %.0f minutes", gitTimeout.Minutes())
	case r.full():
		return "", fmt.Errorf("the repository sends more than %d MiB: "+
			"its server can't send single files, so put the recipe into a small repository of its own", r.limit>>20)
	}
	said := strings.TrimPrefix(firstLine(strings.TrimSpace(errOut.String())), "fatal: ")
	if said == "" {
		said = err.Error()
	}
	return "", &gitError{said}
}

// full tells whether git stopped at the limit of what it may write.
func (r *fetched) full() bool {
	full := false
	_ = filepath.WalkDir(r.bare, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // git tidies up meanwhile
		}
		st, err := d.Info()
		full = full || err == nil && st.Size() >= r.limit
		return nil
	})
	return full
}

// keep puts a file into the cache, as a whole or not at all.
func keep(dir, name string, content []byte) error {
	tmp, err := temporary.File(dir, ".keep-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone after the rename
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(dir, name))
}

// gitEnv gives the environment for git: the user's, without what says where a
// repository is or sets things behind our back.
func gitEnv(env []string) []string {
	keep := []string{"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL"}
	out := slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(keep, name)
	})
	return append(out, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true",
		"LC_ALL=C")
}

// firstLine is what a program said first, cut to what a message has room for.
func firstLine(s string) string {
	const most = 300
	s, _, _ = strings.Cut(s, "\n")
	for i := range s {
		if i >= most {
			return s[:i] + "…"
		}
	}
	return s
}
