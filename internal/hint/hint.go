// Package hint gives errors a next step, which those who report them show apart.
package hint

import (
	"errors"
	"fmt"
	"strings"
)

// Error is an error and what to do about it.
type Error struct {
	Err  error
	Hint string
}

// New makes an error of a format, and its hint.
func New(hint, format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...), hint}
}

func (e *Error) Error() string { return e.Err.Error() + "\nhint: " + e.Hint }
func (e *Error) Unwrap() error { return e.Err }

// Of gives what an error says, and its hint; "": it has none.
func Of(err error) (msg, hint string) {
	if e, ok := errors.AsType[*Error](err); ok {
		return strings.TrimSuffix(err.Error(), "\nhint: "+e.Hint), e.Hint
	}
	return err.Error(), ""
}
