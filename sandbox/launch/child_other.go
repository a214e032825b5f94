//go:build !linux

package launch

import "syscall"

// ChildAttr is for a program that builds worlds: no signal from this terminal
// reaches it. That this process is gone it learns from its input.
func ChildAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
