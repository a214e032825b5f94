package native

import (
	"fmt"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/wire"
)

// cramped says of a world that could not be made what the cause was, where this process
// may open fewer files than making one takes.
func cramped(err error) error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Max >= wire.EndFD {
		return err
	}
	return fmt.Errorf("cookoff may open no more than %d files here (ulimit -Hn), and a sandbox takes %d: %w\n"+
		"hint: ulimit -n 1024 in the shell that starts cookoff, "+
		"or whoever limits it allows more (limits.conf, LimitNOFILE=, --ulimit nofile)",
		limit.Max, wire.EndFD, err)
}
