package sandbox

import "fmt"

// HostError is another machine that can't be used for sandboxes: it could not be
// reached, or the connection to it has ended. Nothing of it is anybody's doing who is
// judged, and another machine may do.
type HostError struct {
	Host string
	Err  error
}

func (e *HostError) Error() string { return fmt.Sprintf("host %s: %v", e.Host, e.Err) }

func (e *HostError) Unwrap() error { return e.Err }
