//go:build !linux

package cgroup

import (
	"errors"
	"os"
	"os/exec"
)

// Scope and Group are what Linux has, and other kernels have not.
type (
	Scope struct{ Dir string }
	Group struct{}
)

var errLinux = errors.New("only Linux has control groups")

// Find says that there are none.
func Find(string, func(dir string) error) (*Scope, error) { return nil, errLinux }

// Try does nothing.
func (*Scope) Try() error { return errLinux }

// Leave does nothing.
func (*Scope) Leave() {}

// Group makes none.
func (*Scope) Group(string, Limits) (*Group, error) { return nil, errLinux }

// Hold does nothing.
func (*Group) Hold(*exec.Cmd) {}

// Counters are none.
func (*Group) Counters() []*os.File { return nil }

// Events are none.
func (*Group) Events() map[string]int64 { return nil }

// Kill does nothing.
func (*Group) Kill() {}

// Remove does nothing.
func (*Group) Remove() {}

// IsGroup is true of nothing.
func IsGroup(string) bool { return false }

// RemoveAll has nothing to remove.
func RemoveAll(string) error { return errLinux }

// InMemory matters to the limits of a control group only.
func InMemory(string) bool { return false }
