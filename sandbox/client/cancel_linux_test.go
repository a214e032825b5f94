package client_test

import (
	"context"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// TestCancelAtOnce wants a call to be cancelled also where that is asked for
// before it has started.
func TestCancelAtOnce(t *testing.T) {
	b := native.New(native.Options{Dir: t.TempDir()})
	sb, err := b.Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	r, err := sb.(interface {
		ExecCancelled(context.Context, sandbox.Cmd) (sandbox.Result, error)
	}).ExecCancelled(t.Context(), sandbox.Cmd{Script: "sleep 1000", Timeout: 10 * time.Second})
	if err != nil || r.Reason != "cancelled" {
		t.Errorf("the call went on: %+v, %v", r, err)
	}
}
