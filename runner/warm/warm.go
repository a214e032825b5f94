// Package warm fills build caches before any trial: what tests compile, once for each
// start of a task, is kept and lies, copy-on-write, in every world of the task, the
// contestant's and each witness's. What a contestant writes there is in no other world.
package warm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"cookoff/internal/hint"
	"cookoff/internal/temporary"
	"cookoff/runner/prepare"
	"cookoff/sandbox"
	"cookoff/sandbox/trees"
	"cookoff/verify/printed"
)

// Time is how long the commands of a task may take together, Each one that is a check's and has no limit from it.
const (
	Time = 15 * time.Minute
	Each = 2 * time.Minute
)

// Store is where on the host caches are kept.
type Store struct {
	Dir string            // "": none are
	Say func(task string) // told whose are made; nil: nobody
	// Slow is told which commands ran out of time; nil: nobody is.
	Slow func(task, command string, limit time.Duration)
}

// Work is the caches of one task.
type Work struct {
	Task     string
	Setup    string        // breaks the project
	Limit    time.Duration // of it; 0: the sandbox's
	Commands []Command     // that are run then, one after another, whatever they come to
	Stands   []Stand       // that lie in the project while they run
	Named    bool          // the recipe has the command: it is to be there
	From     string        // where the project lies: nothing is shared with another, whose files may be hostile
	Sum      string        // of its files
	Spec     sandbox.Spec  // of the world; Caches is set here
	Tools    string        // what says that programs are the same
}

// key names what the work makes.
func (w Work) key() string {
	h := sha256.New()
	s := w.Spec
	fmt.Fprintf(h, "2 %q %q %q %q %q %q %q %q %q %q %q %q\n", w.From, w.Sum, w.Setup, w.Commands, w.Tools,
		s.User, s.Image, s.Root.Dir, s.Env, s.Path, s.ToolPaths, s.Hidden)
	fmt.Fprintf(h, "%q %q", filepath.Base(s.Prepared), s.Mounts)
	if len(w.Stands) > 0 {
		fmt.Fprintf(h, " %q", w.Stands)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Ready gives the host directory of caches that were made before, "": none were.
func (s Store) Ready(w Work) string {
	dir := filepath.Join(s.Dir, w.key())
	if st, err := os.Lstat(dir); s.Dir == "" || err != nil || !st.IsDir() {
		return ""
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // it only says that it is used
	return dir
}

// Make runs the commands, where that was not done before, and gives the host directory
// of what they left in the caches. "" is nothing. An error wraps
// sandbox.ErrUnavailable, is ctx's, or says that the command of the recipe is none.
func (s Store) Make(ctx context.Context, b sandbox.Backend, w Work) (string, error) {
	if dir := s.Ready(w); dir != "" || s.Dir == "" {
		return dir, nil
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return "", err
	}
	prepare.Clear(s.Dir)
	tmp, err := temporary.Dir(s.Dir, prepare.Unfinished+"*")
	if err != nil {
		return "", err
	}
	defer trees.Remove(tmp)
	if s.Say != nil {
		s.Say(w.Task)
	}
	from, out := filepath.Join(tmp, "from"), filepath.Join(tmp, "made")
	for _, dir := range []string{out, filepath.Join(from, sandbox.PythonCache), filepath.Join(from, sandbox.NodeCache),
		filepath.Join(from, sandbox.CargoCache), filepath.Join(from, sandbox.CCache)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
	}
	if err := errors.Join(os.Chmod(tmp, 0o755), w.run(ctx, b, from, out, s.Slow)); errors.Is(err, errSetup) ||
		errors.Is(err, errRoom) {
		return "", nil // it is tried again next time
	} else if err != nil {
		return "", err
	}
	dir := filepath.Join(s.Dir, w.key())
	if err := os.Rename(out, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}

// errSetup says that the project's setup failed, so that there is nothing to keep.
var errSetup = errors.New("the setup failed")

// errRoom says that the disk of the store has no room for what was compiled: worlds do
// without, as where there is no store.
var errRoom = errors.New("there is no room for what was compiled")

// run runs the commands in a world of their own, and keeps what they compiled.
func (w Work) run(ctx context.Context, b sandbox.Backend, from, out string,
	slow func(string, string, time.Duration)) (err error) {
	spec := w.Spec
	spec.Caches, spec.Network, spec.Gate, spec.State, spec.Profile = from, sandbox.NoNetwork, nil, nil, sandbox.Agent
	sb, err := b.Open(ctx, spec)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	if w.Setup != "" { // one that fails is said by those who prove the task
		if res, err := sb.Exec(ctx, sandbox.Cmd{Script: w.Setup, Timeout: w.Limit,
			Env: []string{"PYTHONPYCACHEPREFIX="}}); err != nil {
			return err
		} else if !res.OK() {
			return errSetup
		}
	}
	if len(w.Stands) > 0 { // where they can't lie, less is compiled before
		if _, err := sb.Exec(ctx, sandbox.Cmd{Script: laying(w.Stands)}); err != nil {
			return err
		}
	}
	since := time.Now()
	end := since.Add(Time)
	for _, line := range w.Commands {
		left := time.Until(end)
		if left <= 0 {
			break
		}
		left = min(left, cmp.Or(line.Limit, left))
		// Python does not write what it compiles in any other world.
		res, err := sb.Exec(ctx, sandbox.Cmd{Script: line.Line, Env: []string{"PYTHONDONTWRITEBYTECODE="},
			Timeout: left})
		if err != nil {
			return err
		}
		if res.Reason == "timeout" && slow != nil {
			slow(w.Task, line.Line, left)
		}
		if w.Named && (res.Exit == 126 || res.Exit == 127) && res.Signal == "" {
			return hint.New("warm: false does without; what the command finds wrong with the project does not matter",
				"the command can't be run: %s", printed.Ended(res))
		}
	}
	if _, err := sb.Exec(ctx, sandbox.Cmd{Script: settle, Env: []string{"SETTLE=" + hashed,
		fmt.Sprintf("SINCE=%d", since.UnixNano())}, Timeout: Time}); err != nil {
		return err
	}
	st, err := sb.Seal(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Release()) }()
	if can, is := st.(sandbox.CacheKeeper); is {
		err = can.KeepCaches(out)
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return errRoom
	}
	return errors.Join(err, forget(out))
}

// forget takes out of caches what says how tests went, and directories with nothing in
// them: programs are told only of those that have something.
func forget(dir string) error {
	for _, name := range []string{sandbox.PythonCache, sandbox.NodeCache, sandbox.CargoCache, sandbox.CCache} {
		at := filepath.Join(dir, name)
		if !holdsFile(at) {
			if err := os.RemoveAll(at); err != nil {
				return err
			}
		}
	}
	// Go believes no result of a test that is older than this.
	return os.WriteFile(filepath.Join(dir, "testexpire.txt"), fmt.Appendf(nil, "%d\n", time.Now().UnixNano()), 0o644)
}

func holdsFile(dir string) (is bool) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			is = true
			return fs.SkipAll
		}
		return nil
	})
	return is
}

// settle has caches hold only what is found by the content of its sources, not by
// their times, which anybody may set: compiled Python gets the digest of its source,
// and what Cargo looks at times for goes.
const settle = `cd /var/cache/build || exit
for p in /usr/bin/python3 /usr/local/bin/python3 "$(type -P python3)" "$(type -P python)" /work/.venv/bin/python /work/venv/bin/python; do
	[ -x "$p" ] && PYTHONPYCACHEPREFIX=$PWD/python "$p" -I -X pycache_prefix="$PWD/python" -c "$SETTLE"
done 2>/dev/null
touch python/settled && find python -type f ! -name '*.hashed' -delete
find python -name '*.hashed' | while IFS= read -r f; do mv "$f" "${f%.hashed}"; done
grep -rl --include='*.json' CheckDepInfo cargo 2>/dev/null | while IFS= read -r f; do rm -rf "${f%/*}"; done
find cargo -name incremental -prune -exec rm -rf {} +
:`

// hashed writes, beside each compiled file of this version of Python, one that counts
// as long as its source has the same content (PEP 552).
const hashed = `import importlib.util as u, marshal, os, struct, sys
for dir, _, names in os.walk(sys.pycache_prefix):
    for name in names:
        at = os.path.join(dir, name)
        try:
            with open(at, "rb") as f:
                pyc = f.read()
            if pyc[:4] != u.MAGIC_NUMBER or not name.endswith(sys.implementation.cache_tag + ".pyc") and ".opt-" not in name:
                continue
            with open(u.source_from_cache(at), "rb") as f:
                source = f.read()
            path = u.source_from_cache(at)
            if path.startswith(("/tmp/", "/var/tmp/", "/dev/", "/run/")):
                continue
            flags, mtime, size = struct.unpack("<III", pyc[4:16])
            st = os.stat(path)
            if st.st_ctime_ns >= int(os.environ["SINCE"]): # the commands wrote it
                continue
            if flags & 1 and pyc[8:16] != u.source_hash(source):
                continue
            if not flags & 1 and (flags, mtime, size) != (0, int(st.st_mtime) & 0xFFFFFFFF, len(source) & 0xFFFFFFFF):
                continue
            opt = int(name.rsplit(".opt-", 1)[1][:-4]) if ".opt-" in name else 0
            code = compile(source, path, "exec", dont_inherit=True, optimize=opt)
            if marshal.loads(pyc[16:]) != code: # of an earlier source with the same time and size
                continue
            with open(at + ".hashed", "wb") as f:
                f.write(pyc[:4] + struct.pack("<I", 3) + u.source_hash(source) + marshal.dumps(code))
        except Exception:
            pass
`
