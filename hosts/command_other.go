//go:build !linux

package hosts

import "syscall"

func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func started(start func() error) error { return start() }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
