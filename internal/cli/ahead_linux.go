package cli

import "golang.org/x/sys/unix"

// dropAhead drops what was typed on a terminal, and not yet read.
func dropAhead(terminal int) { _ = unix.IoctlSetInt(terminal, unix.TCFLSH, unix.TCIFLUSH) }
