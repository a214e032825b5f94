package stdio

import "golang.org/x/sys/unix"

// DropAhead drops what was typed on a terminal, and not yet read.
func DropAhead(terminal int) { _ = unix.IoctlSetInt(terminal, unix.TCFLSH, unix.TCIFLUSH) }
