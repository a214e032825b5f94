//go:build !linux

package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"cookoff/sandbox"
)

// host is what was found out about this machine.
type host struct{}

// via is another program that builds worlds.
type via interface{}

var errLinux = errors.New("sandboxes need Linux: no other system can keep an agent from files, processes and the network of its host\nhint: run cookoff in a Linux virtual machine, or in a container (cookoff help sandbox)")

func (b *backend) Check(context.Context) error { return unavailable("checking", errLinux) }

func (b *backend) Open(context.Context, sandbox.Spec) (sandbox.Sandbox, error) {
	return nil, unavailable("opening", errLinux)
}

// Leftovers is empty: there were no sandboxes.
func Leftovers(Options) []string { return nil }

// RemoveTree removes a directory.
func RemoveTree(dir string) error { return os.RemoveAll(dir) }

// Choose makes a backend that refuses, and says why.
func Choose(c Choice, o Options) (sandbox.Backend, error) {
	switch c.Name {
	case "", Auto, Native, Bwrap, Container, GVisor:
		return New(o), nil
	}
	return nil, fmt.Errorf("no sandbox is called %q\nhint: %s", c.Name, strings.Join(Names(), ", "))
}

// Images lists none.
func Images(context.Context) ([]string, error) { return nil, errLinux }
