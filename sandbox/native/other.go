//go:build !linux

package native

import (
	"context"
	"fmt"
	"runtime"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// refused is a backend that this system's kernel has nothing for.
type refused struct{ name string }

func (r refused) why() error {
	return fmt.Errorf("the %s sandbox needs a Linux kernel, and this is %s: "+
		"nothing here would keep an agent from your files, processes and network\n"+
		"hint: take containers (--sandbox container --image IMAGE), "+
		"which podman and Docker run on a Linux kernel of their own", r.name, runtime.GOOS)
}

func (r refused) Check(context.Context) error { return sandbox.Unavailable("checking", r.why()) }

func (r refused) Open(context.Context, sandbox.Spec) (sandbox.Sandbox, error) {
	return nil, sandbox.Unavailable("opening a sandbox", r.why())
}

// byName refuses every backend that needs this machine's own kernel.
func byName(name string, _ Options) sandbox.Backend { return refused{name} }

// socketBuffer is 0: what runs in containers here is counted by their kernel.
func socketBuffer() int64 { return 0 }

// apart is never asked for: only Linux has worlds with a root of their own.
func apart(plan.Plan) []string { return nil }

func cramped(err error) error { return err }
