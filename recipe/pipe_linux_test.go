package recipe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSilentPipe: a recipe that comes through a pipe is waited for until the context ends.
func TestSilentPipe(t *testing.T) {
	f := world(t, "")
	pipe := filepath.Join(f.Dir, "pipe.md")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	read := make(chan error)
	go func() {
		_, err := f.DiscoverContext(ctx, pipe)
		read <- err
	}()
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // once it is open for reading
	if err != nil {
		t.Fatal(err)
	}
	end()
	if err := <-read; !errors.Is(err, context.Canceled) {
		t.Errorf("a pipe that says nothing gave %v", err)
	}
	if err := writer.Close(); err != nil {
		t.Error(err)
	}
}
