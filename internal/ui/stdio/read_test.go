package stdio

import (
	"context"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWhileRead: work ends with whoever reads what it prints, by a pipe or a socket, and
// goes on as long as somebody does.
func TestWhileRead(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, ends := range [][2]*os.File{{r, w}, {os.NewFile(uintptr(fds[0]), "a"), os.NewFile(uintptr(fds[1]), "b")}} {
		defer ends[1].Close()
		ctx, stop := WhileRead(t.Context(), ends[1])
		defer stop()
		if _, err := ends[1].WriteString("x"); err != nil || ctx.Err() != nil {
			t.Fatal(err, context.Cause(ctx))
		}
		ends[0].Close()
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), errReaderGone) {
			t.Error(context.Cause(ctx))
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	ctx, stop := WhileRead(t.Context(), null)
	if ctx.Err() != nil {
		t.Error("a file has no reader to lose")
	}
	if stop(); ctx.Err() == nil {
		t.Error("it was not stopped")
	}
}
