package sandbox

import "errors"

// ErrUnavailable is wrapped by every error that says the sandbox itself
// failed: set-up, a dead guest, a broken protocol.
var ErrUnavailable = errors.New("sandbox unavailable")

// Unavailable wraps ErrUnavailable, and err, once. Its words are what was done and why that
// failed: that the sandbox is unavailable is said by who shows it.
func Unavailable(what string, err error) error {
	if errors.Is(err, ErrUnavailable) {
		return err
	}
	return OfKinds(what+": "+err.Error(), ErrUnavailable, err)
}

// ErrShort is wrapped, beside ErrUnavailable, where a trial lost something because others on
// the machine took the memory, or the disk: then it wraps syscall.ENOSPC as well.
var ErrShort = errors.New("this machine ran out of memory")

// kindsError is of some kinds, in words of its own.
type kindsError struct {
	words string
	kinds []error
}

func (e *kindsError) Error() string   { return e.words }
func (e *kindsError) Unwrap() []error { return e.kinds }

// OfKinds is an error in these words that wraps the kinds: of what came as text, and as fields.
func OfKinds(words string, kinds ...error) error { return &kindsError{words, kinds} }

// RoomHint is what can be done where the disk below the sandboxes has no room.
const RoomHint = "hint: a disk is full (df), or takes no more files (df -i): fewer trials at once (--parallel), " +
	"or TMPDIR on another"
