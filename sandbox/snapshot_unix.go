//go:build unix

package sandbox

import "golang.org/x/sys/unix"

// openNoFollow keeps an open from following a link or waiting for a FIFO that
// has just taken the file's place.
const openNoFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK
