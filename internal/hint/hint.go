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

func (e *Error) Error() string { return Join(e.Err.Error(), e.Hint) }
func (e *Error) Unwrap() error { return e.Err }

// mark begins the line of a hint.
const mark = "hint: "

// Join puts a hint, "": none, on a line of its own below a message.
func Join(msg, hint string) string {
	if hint == "" {
		return msg
	}
	return msg + "\n" + mark + hint
}

// OneLine puts a message and the hints below it into one line.
func OneLine(text string) string {
	return strings.NewReplacer("\n"+mark, "; ", "\n", "; ").Replace(text)
}

// Given reports whether an error has a hint: an *Error, or the text of one, where it came
// from another process or from a sandbox, whose errors are text.
func Given(err error) bool {
	_, typed := errors.AsType[*Error](err)
	return typed || strings.Contains(err.Error(), strings.TrimSpace(mark))
}

// Of gives what an error says, and its hint; "": it has none.
func Of(err error) (msg, hint string) {
	if e, ok := errors.AsType[*Error](err); ok {
		return strings.TrimSuffix(err.Error(), "\n"+mark+e.Hint), e.Hint
	}
	return err.Error(), ""
}
