package native

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/wire"
)

// mute starts a program that is no guest, and gives up then.
type mute struct{ giveUp func() }

func (mute) facts() facts { return facts{patience: engineTime} }

func (m mute) start(*world, *plan.Plan, []*os.File) (*started, error) {
	conn, theirs, err := pipes()
	if err != nil {
		return nil, err
	}
	s := &started{conn: conn, given: theirs, cmd: exec.Command("sleep", "1000")}
	s.running = func() (func(), error) {
		m.giveUp()
		return func() { _ = s.cmd.Process.Kill() }, nil
	}
	return s, nil
}

func (mute) explain(err error, _ string) error { return err }

// TestGivingUpAnOpening wants a world that another program builds to be given
// up at once, though its guest may live for ever.
func TestGivingUpAnOpening(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := &backend{opt: Options{Dir: passable(t)}, builder: mute{cancel}}
	if _, err := b.Open(ctx, sandbox.Spec{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// TestUnhideWhatIsClosed wants what was hidden to come back also where an agent
// has taken the rights in its directories from itself, and them to stay taken.
func TestUnhideWhatIsClosed(t *testing.T) {
	dir := passable(t)
	w := &copied{uid: os.Getuid(), gid: os.Getgid(), from: filepath.Join(dir, "from"),
		hidden: []string{"top", "a/b/deep", "closed"}}
	if isRoot() { // as the agent, whom modes keep out
		w.uid, w.gid = firstUID, firstUID
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	top := filepath.Join(dir, "to")
	for _, d := range []string{"from/a/b", "from/closed", "to/a/b", "to/closed"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"top", "a/b/deep", "closed/f"} {
		if err := os.WriteFile(filepath.Join(dir, "from", f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	closed := []string{"a/b", "a", "closed", "."}
	for _, d := range closed {
		at := filepath.Join(top, d)
		if err := errors.Join(os.Lchown(at, w.uid, w.gid), os.Chmod(at, 0o400)); err != nil {
			t.Fatal(err)
		}
	}
	if isRoot() {
		_, _ = unix.SetfsgidRetGid(w.gid)
		_, _ = unix.SetfsuidRetUid(w.uid)
	}
	err := w.unhide(stratum{work: top})
	if isRoot() {
		_, _ = unix.SetfsuidRetUid(0)
		_, _ = unix.SetfsgidRetGid(0)
	}
	if err != nil {
		t.Error(err)
	}
	for _, d := range []string{".", "a", "a/b", "closed"} {
		st, err := os.Stat(filepath.Join(top, d))
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm() != 0o400 {
			t.Errorf("%s has the mode %v", d, st.Mode())
		}
		if err := os.Chmod(filepath.Join(top, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"top", "a/b/deep", "closed/f"} {
		if _, err := os.Stat(filepath.Join(top, f)); err != nil {
			t.Error(err)
		}
	}
}

// TestFailedSeal wants a world that could not be sealed to leave nothing once
// it is closed.
func TestFailedSeal(t *testing.T) {
	dir, project := passable(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "secret"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b := &backend{builder: namespaces{}, opt: Options{Dir: dir}, host: host{plain: true}}
	sb, err := b.Open(t.Context(), sandbox.Spec{Project: project, Hidden: []string{"secret"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(project); err != nil {
		t.Fatal(err)
	}
	if _, err := sb.Seal(t.Context()); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("sealed without what was hidden: %v", err)
	}
	if err := sb.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(sb.(*world).dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its directory stays: %v", err)
	}
}

// TestCopyToAFullDisk wants a copy that there was no room for to be an error,
// not a file whose end is zeros.
func TestCopyToAFullDisk(t *testing.T) {
	small := t.TempDir()
	if err := unix.Mount("tmpfs", small, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no small file system to be had: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(small, unix.MNT_DETACH) })
	from := t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "f"), []byte(strings.Repeat("x", 100_000)), 0o644); err != nil {
		t.Fatal(err)
	}
	c := trees.Copier{UID: -1, GID: -1}
	if err := c.Copy(from, small); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("got %v, want %v", err, unix.ENOSPC)
	}
}

// TestReadNothing wants a failed read to have read nothing, not less: who
// gathers a frame would panic.
func TestReadNothing(t *testing.T) {
	if n, err := (wire.ExactReader{FD: -1}).Read(make([]byte, 1)); n != 0 || !errors.Is(err, unix.EBADF) {
		t.Errorf("%d bytes, %v", n, err)
	}
}
