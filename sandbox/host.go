package sandbox

import (
	"errors"
	"fmt"
	"io"
)

// HostError is another machine that can't be used for sandboxes: it could not be
// reached, or the connection to it has ended. Nothing of it is anybody's doing who is
// judged, and another machine may do.
type HostError struct {
	Host string
	Err  error
}

func (e *HostError) Error() string { return fmt.Sprintf("host %s: %v", e.Host, e.Err) }

// Unwrap hides an end of file, which would be taken for the end of a guest.
func (e *HostError) Unwrap() error {
	if errors.Is(e.Err, io.EOF) || errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return nil
	}
	return e.Err
}
