//go:build unix

package stdio

import (
	"context"
	"os"
	"testing"
)

// TestUntilUnread: the reader of what the program says ends its work in order when it
// goes; that of another pipe ends nothing.
func TestUntilUnread(t *testing.T) {
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close(); w.Close() })
		return r, w
	}
	heard, said := pipe()
	ctx, stop := UntilUnread(t.Context(), said)
	defer stop()
	left, other := pipe()
	left.Close()
	if _, err := other.WriteString("x"); err == nil || unread(said) || ctx.Err() != nil {
		t.Errorf("the end of another pipe: %v, %v", err, ctx.Err())
	}
	if _, err := said.WriteString("x"); err != nil {
		t.Error(err)
	}
	heard.Close()
	if _, err := said.WriteString("x"); err == nil {
		t.Error("a write that nobody reads succeeds")
	}
	<-ctx.Done()
	if context.Cause(ctx) != context.Canceled {
		t.Error(context.Cause(ctx))
	}
}
