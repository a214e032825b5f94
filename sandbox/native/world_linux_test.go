package native

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/wire"
)

// without takes defences away from a backend.
func without(b *backend, off plan.Without) *backend {
	b.testOnlyOff = off
	return b
}

// copying has a backend do as where the kernel gives no overlays.
func copying(b *backend) *backend {
	b.store.TestOnlyCopies()
	return b
}

// mute starts a program that is no guest, and gives up then.
type mute struct{ giveUp func() }

func (mute) Facts() launch.Facts { return launch.Facts{Patience: launch.EngineTime} }

func (m mute) Prepare(launch.Order) (*launch.Prepared, error) {
	conn, theirs, err := launch.Pipes()
	if err != nil {
		return nil, err
	}
	made := &launch.Prepared{Conn: conn, Given: theirs, Cmd: exec.Command("sleep", "1000")}
	made.Running = func() (func(), error) {
		m.giveUp()
		return nil, nil
	}
	return made, nil
}

func (mute) Explain(err error, _ string) error { return err }

// TestGivingUpAnOpening wants a world that another program builds to be given
// up at once, though its guest may live for ever.
func TestGivingUpAnOpening(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBackend(Options{Dir: passable(t)}, func(*backend) launch.Builder { return mute{cancel} })
	if _, err := b.Open(ctx, sandbox.Spec{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// TestFailedSeal wants a world that could not be sealed to leave nothing once
// it is closed.
func TestFailedSeal(t *testing.T) {
	dir, project := passable(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "secret"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b := copying(newNative(Options{Dir: dir}))
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
	if _, err := os.Lstat(sb.(*world).files.Dir()); !errors.Is(err, os.ErrNotExist) {
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
