package cli

import (
	"errors"
	"fmt"
	"syscall"
)

// Exit codes; "cookoff help exit-codes" explains them.
const (
	ExitOK          = 0
	ExitGate        = 1
	ExitUsage       = 2
	ExitInfra       = 3
	ExitSpent       = 4
	ExitInterrupted = 130
	exitTerminated  = 143
)

// Failure is an error of a command that ran, with its exit code. A nil err
// means that everything was said already.
type Failure struct {
	Code int
	Err  error
}

// Fail makes a failure.
func Fail(code int, err error) error { return &Failure{code, err} }

func (f *Failure) Error() string {
	if f.Err == nil {
		return fmt.Sprintf("exit code %d", f.Code)
	}
	return f.Err.Error()
}

func (f *Failure) Unwrap() error { return f.Err }

// DiskFull reports whether a disk, or what a user may have of it, is full.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Usage is a failure of what was asked for: nothing was run.
func Usage(format string, args ...any) error {
	return Fail(ExitUsage, fmt.Errorf(format, args...))
}
