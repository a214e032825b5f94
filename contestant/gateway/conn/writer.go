package conn

import (
	"errors"
	"net/http"
	"time"
)

// stall is how long an agent may take to read what it is given before it counts
// as gone.
const stall = time.Minute

// Writer hands a reply to the agent, which may never read it.
type Writer struct {
	http.ResponseWriter
	control *http.ResponseController
	until   time.Time // when writing is given up
}

// NewWriter gives the writer of a reply.
func NewWriter(w http.ResponseWriter) *Writer {
	return &Writer{ResponseWriter: w, control: http.NewResponseController(w)}
}

// Write writes to the agent. Its error means that the agent is gone.
func (w *Writer) Write(b []byte) (int, error) {
	if now := time.Now(); w.until.Sub(now) < stall/2 {
		w.until = now.Add(stall)
		_ = w.control.SetWriteDeadline(w.until) // connections without deadlines end with the sandbox
	}
	return w.ResponseWriter.Write(b)
}

// Flush sends what was written.
func (w *Writer) Flush() error {
	err := w.control.Flush()
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// End makes writing fail from now on.
func (w *Writer) End() { _ = w.control.SetWriteDeadline(time.Unix(1, 0)) }
