// Package verifytest has the bench of tests that judge: worlds of plain directories and real ones,
// tasks, and contestants who play them.
package verifytest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/verify"
)

// dirWorld is a sandbox of plain directories and a real bash: no isolation,
// but every path of Case through real commands, on any machine.
type dirWorld struct {
	t      *testing.T
	root   string
	path   string
	closed bool
	groups []int
}

type dirState struct{ root string }

func (dirState) Release() error { return nil }

// Dirs opens worlds under temporary directories.
func Dirs(t *testing.T) verify.Opening {
	return func(_ context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		w := &dirWorld{t: t, root: t.TempDir()}
		if st == nil {
			for _, d := range []string{"work", "home"} {
				if err := os.Mkdir(filepath.Join(w.root, d), 0o755); err != nil {
					return nil, err
				}
			}
		} else if out, err := exec.Command("cp", "-a", st.(dirState).root+"/.", w.root).CombinedOutput(); err != nil {
			return nil, errors.New(string(out))
		}
		own, system := filepath.Join(w.root, "home", "bin"), "/usr/local/bin:/usr/bin:/bin"
		w.path = system + ":" + own
		if p == sandbox.Agent {
			w.path = own + ":" + system
		}
		t.Cleanup(w.kill)
		return w, nil
	}
}

// kill ends what commands left running, and waits until it has ended.
func (w *dirWorld) kill() {
	killed := map[string]bool{}
	for _, g := range w.groups {
		if syscall.Kill(-g, syscall.SIGKILL) == nil {
			killed[strconv.Itoa(g)] = true
		}
	}
	for len(killed) > 0 && runs(killed) {
		time.Sleep(time.Millisecond)
	}
}

// runs tells whether a process of these groups has not ended. One that has, and
// that nobody has waited for yet, is left out.
func runs(groups map[string]bool) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		_, rest, _ := strings.Cut(string(b), ") ")
		if s := strings.Fields(rest); len(s) > 2 && groups[s[2]] && s[0] != "Z" && s[0] != "X" {
			return true
		}
	}
	return false
}

// Exec runs a command as an ordinary process of this machine, in the directory that stands
// for a sandbox. Paths of a sandbox in it and in its environment become those below that
// directory.
func (w *dirWorld) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	if w.closed {
		return sandbox.Result{}, sandbox.ErrUnavailable
	}
	limit := c.Timeout
	if limit == 0 {
		limit = time.Minute
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	// What lies elsewhere is that of whoever runs the tests.
	script, home := c.Script, filepath.Join(w.root, "home")
	for _, dir := range []string{"/var/tmp/*", "/tmp/*", "/dev/shm/*"} {
		script = strings.ReplaceAll(script, " "+dir, "")
	}
	env := []string{"HOME=" + home, "PATH=" + w.path}
	for _, variable := range c.Env {
		env = append(env, strings.ReplaceAll(variable, sandbox.HomeDir, home))
	}
	cmd := exec.CommandContext(ctx, "/bin/bash", "--noprofile", "--norc", "-c", script)
	cmd.Dir = filepath.Join(w.root, "work")
	cmd.Env = env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// Into files: what it leaves running may keep them, and nobody waits for that.
	out := w.t.TempDir()
	stdout, err := os.Create(filepath.Join(out, "stdout"))
	if err != nil {
		return sandbox.Result{}, err
	}
	defer stdout.Close()
	stderr, err := os.Create(filepath.Join(out, "stderr"))
	if err != nil {
		return sandbox.Result{}, err
	}
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); errors.Is(err, context.DeadlineExceeded) { // the limit ended before it began
		return sandbox.Result{Exit: 124, Reason: "timeout"}, nil
	} else if err != nil {
		return sandbox.Result{}, err
	}
	w.groups = append(w.groups, cmd.Process.Pid)
	err = cmd.Wait()
	res := sandbox.Result{Duration: time.Millisecond}
	var failed [2]error
	res.Stdout, failed[0] = os.ReadFile(stdout.Name())
	res.Stderr, failed[1] = os.ReadFile(stderr.Name())
	if err := errors.Join(failed[:]...); err != nil {
		return sandbox.Result{}, err
	}
	if ctx.Err() != nil {
		res.Exit, res.Reason = 124, "timeout"
		return res, nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		res.Exit = exit.ExitCode()
		if s := exit.Sys().(syscall.WaitStatus); s.Signaled() {
			res.Exit, res.Signal = 128+int(s.Signal()), s.Signal().String()
		}
	} else if err != nil {
		return res, err
	}
	return res, nil
}

func (w *dirWorld) Seal(context.Context) (sandbox.State, error) {
	w.kill()
	w.closed = true
	return dirState{w.root}, nil
}

func (w *dirWorld) Copy(context.Context) (sandbox.State, error) {
	to := w.t.TempDir()
	if out, err := exec.Command("cp", "-a", w.root+"/.", to).CombinedOutput(); err != nil {
		return nil, errors.New(string(out))
	}
	return dirState{to}, nil
}

func (w *dirWorld) Close() error {
	w.closed = true
	return nil
}

func (w *dirWorld) FS() sandbox.FS { return dirFS{root: w.root} }

type dirFS struct {
	sandbox.FS
	root string
}

func (f dirFS) host(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return filepath.Join(f.root, "home", rest)
	}
	return filepath.Join(f.root, "work", p)
}

func (f dirFS) Unpack(_ context.Context, items []sandbox.Item) error {
	for _, it := range items {
		if err := os.RemoveAll(f.host(it.Path)); err != nil || it.Gone {
			if err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(f.host(it.Path), it.Data, it.Mode.Perm()); err != nil {
			return err
		}
	}
	return nil
}

func (f dirFS) Read(_ context.Context, p string, off, n int64) (sandbox.Chunk, error) {
	info, err := os.Stat(f.host(p))
	if err != nil || !info.Mode().IsRegular() {
		reason, kind := "no such file or directory", sandbox.FileMissing
		if err == nil {
			reason, kind = "not a regular file", ""
			if info.IsDir() {
				reason, kind = "is a directory", sandbox.FileDirectory
			}
		}
		return sandbox.Chunk{}, &sandbox.FileError{Op: "read", Path: p, Reason: reason, Kind: kind}
	}
	data, err := os.ReadFile(f.host(p))
	end := min(int64(len(data)), off+n)
	return sandbox.Chunk{Data: data[min(off, end):end], Size: int64(len(data))}, err
}

func (f dirFS) Write(_ context.Context, p string, data []byte) error {
	if strings.HasPrefix(p, "/") {
		return nil // outside of project and home nothing of this world is looked at
	}
	name := f.host(p)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

func (f dirFS) Pack(_ context.Context, paths []string, each func(sandbox.Item) error) error {
	for _, p := range paths {
		it := sandbox.Item{Path: p}
		info, err := os.Lstat(f.host(p))
		switch {
		case err != nil:
			it.Gone = true
		case info.Mode().IsRegular():
			it.Mode, it.Size = info.Mode(), info.Size()
			if it.Data, err = os.ReadFile(f.host(p)); err != nil {
				return err
			}
		default:
			it.Mode = info.Mode()
			it.Link, _ = os.Readlink(f.host(p))
		}
		if err := each(it); err != nil {
			return err
		}
	}
	return nil
}

func (f dirFS) List(_ context.Context, dir string) ([]sandbox.Entry, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &sandbox.FileError{Op: "list", Path: dir, Reason: err.Error()}
	}
	var list []sandbox.Entry
	for _, e := range entries {
		list = append(list, sandbox.Entry{Name: e.Name()})
	}
	return list, nil
}

func (f dirFS) Find(_ context.Context, q sandbox.FindQuery) (list []string, more bool, err error) {
	base := filepath.Join(f.root, map[string]string{"": "work", "~": "home"}[q.Dir])
	err = filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(base, p)
			list = append(list, rel)
		}
		return err
	})
	return list, false, err
}

// Manifest lists the files of the project and of the home, whose paths begin with "~/".
func (f dirFS) Manifest(_ context.Context, globs []string) (sandbox.Manifest, error) {
	var m sandbox.Manifest
	for prefix, dir := range map[string]string{"": "work", "~/": "home"} {
		base := filepath.Join(f.root, dir)
		err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
			if err != nil || p == base {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(base, p)
			e := sandbox.File{Path: prefix + rel, Mode: info.Mode()}
			switch {
			case info.Mode().IsRegular():
				data, err := os.ReadFile(p)
				if err != nil {
					return err
				}
				sum := sha256.Sum256(data)
				e.Size, e.Sum = info.Size(), hex.EncodeToString(sum[:])
			case info.Mode().Type() == fs.ModeSymlink:
				e.Link, err = os.Readlink(p)
			}
			m = append(m, e)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(m, func(a, b sandbox.File) int { return strings.Compare(a.Path, b.Path) })
	return m, nil
}

// Sealing gives worlds that end when their files are taken, so that no check can
// be asked in them.
func Sealing(open verify.Opening) verify.Opening {
	return func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		sb, err := open(ctx, st, p)
		return struct{ sandbox.Sandbox }{sb}, err
	}
}
