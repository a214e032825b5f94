//go:build !linux

package native

import (
	"context"
	"errors"
	"os"

	"cookoff/sandbox"
)

// host is what was found out about this machine.
type host struct{}

var errLinux = errors.New("the native sandbox needs Linux\nhint: run cookoff in a Linux virtual machine or container")

func (b *backend) Check(context.Context) error { return unavailable("checking", errLinux) }

func (b *backend) Open(context.Context, sandbox.Spec) (sandbox.Sandbox, error) {
	return nil, unavailable("opening", errLinux)
}

// Leftovers is empty: there were no sandboxes.
func Leftovers(Options) []string { return nil }

// RemoveTree removes a directory.
func RemoveTree(dir string) error { return os.RemoveAll(dir) }
