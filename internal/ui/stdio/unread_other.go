//go:build !unix

package stdio

import (
	"context"
	"os"
)

// UntilUnread does nothing where pipes send no signals.
func UntilUnread(parent context.Context, _ *os.File) (context.Context, context.CancelFunc) {
	return context.WithCancel(parent)
}
