package guest

import (
	"errors"
	"io"
	"sync"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// replies are what is said to whoever asks.
type replies struct {
	mu   sync.Mutex
	conn io.Writer
}

func (r *replies) send(reply wire.Reply) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return wire.WriteFrame(r.conn, reply)
}

// more sends a part of the answer to q, which others follow.
func (r *replies) more(q wire.Request, part wire.Part) error {
	return r.send(wire.Reply{ID: q.ID, More: true, Bytes: part.Bytes})
}

// answer does what q asks for and replies.
func (r *replies) answer(q wire.Request, do func(wire.Request) (any, error)) {
	body, err := do(q)
	reply := wire.Reply{}
	switch {
	case errors.As(err, &reply.File):
	case err != nil:
		reply = wire.Failed(err, false)
	default:
		if reply.Body, err = wire.Encode(body); err != nil {
			reply.Err = err.Error()
		}
		reply.Data = wire.Carried(body)
		reply.Full = full(body)
	}
	reply.ID = q.ID
	if err := r.send(reply); errors.Is(err, wire.ErrFrame) { // as of a directory with very many entries
		_ = r.send(wire.Reply{ID: q.ID,
			File: &sandbox.FileError{Op: string(q.Op), Reason: "the answer would be too large"}})
	}
}

// full reports whether an answer is that a command was ended for the world's own limit of
// memory.
func full(answer any) bool {
	switch a := answer.(type) {
	case sandbox.Result:
		return a.Reason == "memory"
	case sandbox.JobNews:
		return a.Ended && a.Result.Reason == "memory"
	}
	return false
}
