package guest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/files"
	"cookoff/sandbox/wire"
)

// helperFD is where the helper finds its socket to the guest.
const helperFD = 3

// helperUID is the real and saved user of the helper: whose processes an agent
// can't end, though their effective user is its own.
const helperUID = 1001

// helper is the process that serves files with the agent's rights, where the
// guest has others. It is started when it is needed, and again when it was
// ended with everything else. The guest believes nothing that it says: an
// answer that makes no sense is an error of the call, and the end of the helper.
type helper struct {
	start func() (pid int, conn io.ReadWriteCloser, ended <-chan syscall.WaitStatus, err error)
	setup any // the configuration that each of them starts with

	mu   sync.Mutex
	last uint64
	run  *errands // nil: none runs
}

// errands are the requests that one process works on.
type errands struct {
	pid    int
	conn   io.ReadWriteCloser
	sendMu sync.Mutex
	ended  <-chan syscall.WaitStatus

	mu      sync.Mutex
	waiting map[uint64]*errand
	gone    bool
}

// errand is a request whose answer is awaited.
type errand struct {
	op   wire.Op
	part func(wire.Reply) error
	done chan wire.Reply // one reply; closed without one when the helper is gone
}

// errGone says that the helper ended before it had answered.
var errGone = errors.New("what serves files was ended meanwhile: try again")

func gone(op wire.Op) error {
	return &sandbox.FileError{Op: string(op), Path: "files", Reason: errGone.Error()}
}

// pid is the process that runs now; 0: none.
func (h *helper) pid() int {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.run == nil || h.run.over() {
		return 0
	}
	return h.run.pid
}

// current gives the process, started where none runs.
func (h *helper) current() (*errands, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.run != nil && !h.run.over() {
		return h.run, nil
	}
	pid, conn, ended, err := h.start()
	if err != nil {
		return nil, fmt.Errorf("starting what serves files: %w", err)
	}
	h.run = &errands{pid: pid, conn: conn, ended: ended, waiting: map[uint64]*errand{}}
	go h.run.read()
	if h.setup == nil {
		return h.run, nil
	}
	raw, err := wire.Encode(h.setup)
	if err == nil {
		err = h.run.send(wire.Request{Op: wire.OpConfig, Args: raw})
	}
	return h.run, err
}

// ask hands a request to the helper. part is called for each part of a long answer.
func (h *helper) ask(q wire.Request, part func(wire.Reply) error) (answered, error) {
	run, err := h.current()
	if err != nil {
		return answered{}, err
	}
	h.mu.Lock()
	h.last++
	q.ID = h.last
	h.mu.Unlock()
	e := &errand{op: q.Op, part: part, done: make(chan wire.Reply, 1)}
	if !run.add(q.ID, e) {
		return answered{}, gone(q.Op)
	}
	if err := run.send(q); err != nil {
		if errors.Is(err, wire.ErrFrame) {
			run.take(wire.Reply{ID: q.ID, File: &sandbox.FileError{Op: string(q.Op), Path: "files",
				Reason: "the request is too large"}})
		} else {
			run.end()
		}
	}
	r, ok := <-e.done
	switch {
	case !ok:
		return answered{}, gone(q.Op)
	case r.File != nil:
		return answered{}, r.File
	case r.Err != "":
		return answered{}, errors.New(r.Err)
	}
	return answered{r.Body, r.Bytes}, nil
}

// answered is an answer of the helper's, handed on as it is.
type answered struct {
	json.RawMessage
	wire.Bytes
}

// askFor makes a request of the guest's own, a second time when the helper was
// ended at the first.
func askFor[T any](h *helper, op wire.Op, args any) (v T, err error) {
	raw, err := wire.Encode(args)
	if err != nil {
		return v, err
	}
	for range 2 {
		var got answered
		if got, err = h.ask(wire.Request{Op: op, Args: raw}, nil); err == nil {
			return v, wire.Decode(got.RawMessage, &v)
		}
	}
	return v, err
}

func (run *errands) send(q wire.Request) error {
	run.sendMu.Lock()
	defer run.sendMu.Unlock()
	return wire.WriteFrame(run.conn, q)
}

// add registers a request; false when the helper is gone.
func (run *errands) add(id uint64, e *errand) bool {
	run.mu.Lock()
	defer run.mu.Unlock()
	if !run.gone {
		run.waiting[id] = e
	}
	return !run.gone
}

func (run *errands) over() bool {
	run.mu.Lock()
	defer run.mu.Unlock()
	return run.gone
}

// read takes answers until the helper is gone or breaks the protocol.
func (run *errands) read() {
	in := bufio.NewReaderSize(run.conn, 64<<10)
	for {
		var r wire.Reply
		if wire.ReadFrame(in, &r) != nil || !run.take(r) {
			break
		}
	}
	run.end()
}

// take hands an answer to whoever waits for it, and reports whether it is one
// that the request can have.
func (run *errands) take(r wire.Reply) bool {
	run.mu.Lock()
	e := run.waiting[r.ID]
	if e != nil && !r.More {
		delete(run.waiting, r.ID)
	}
	run.mu.Unlock()
	if e == nil {
		return false
	}
	if ok := r.Err != "" || r.File != nil || sound(e.op, r); !ok {
		r = wire.Reply{ID: r.ID, File: &sandbox.FileError{Op: string(e.op), Path: "files",
			Reason: "what serves files gave no sensible answer"}}
		run.finish(r, e)
		return false
	}
	if r.More {
		return e.part != nil && e.part(r) == nil
	}
	e.done <- r
	return true
}

func (run *errands) finish(r wire.Reply, e *errand) {
	run.mu.Lock()
	delete(run.waiting, r.ID)
	run.mu.Unlock()
	run.end() // before anybody asks again
	e.done <- r
}

// end ends the process and every request that it works on.
func (run *errands) end() {
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.gone {
		return
	}
	run.gone = true
	select {
	case <-run.ended: // reaped: the number may be another's by now
	default:
		_ = unix.Kill(run.pid, unix.SIGKILL)
	}
	run.conn.Close()
	for _, e := range run.waiting {
		close(e.done)
	}
	run.waiting = nil
}

// sound reports whether an answer has the form that the host expects of op.
func sound(op wire.Op, r wire.Reply) bool {
	body := r.Body
	switch op {
	case wire.OpRead:
		return formed[sandbox.Chunk](body)
	case wire.OpList:
		return formed[[]sandbox.Entry](body)
	case wire.OpFind:
		return formed[wire.Found](body)
	case wire.OpGrep:
		return formed[wire.Lines](body)
	case wire.OpManifest:
		_, err := wire.Part{Bytes: r.Bytes}.Files()
		return err == nil
	case wire.OpPack:
		return formed[[]sandbox.Item](body)
	case wire.OpResolve:
		return formed[files.Resolved](body)
	case wire.OpUsage:
		return formed[files.Usage](body)
	}
	return string(body) == "null"
}

func formed[T any](body json.RawMessage) bool {
	var v T
	return wire.Decode(body, &v) == nil
}

// configure tells the helper, and each that comes after it, what to know.
func (h *helper) configure(c wire.Config) error {
	run, err := h.current()
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.setup = c
	h.mu.Unlock()
	raw, err := wire.Encode(c)
	if err != nil {
		return err
	}
	return run.send(wire.Request{Op: wire.OpConfig, Args: raw})
}
