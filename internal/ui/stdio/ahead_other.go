//go:build !linux

package stdio

import "golang.org/x/sys/unix"

// inputQueue is FREAD of sys/fcntl.h: of the two queues of a terminal, that of input.
const inputQueue = 1

// DropAhead drops what was typed on a terminal, and not yet read.
func DropAhead(terminal int) { _ = unix.IoctlSetPointerInt(terminal, unix.TIOCFLUSH, inputQueue) }
