// Package wire is what the host and the guest of a sandbox say to each other:
// frames on one connection, the operations, and the descriptors that are handed
// down to the guest. The host never trusts the guest.
package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"cookoff/sandbox"
)

// MaxFrame is the size in bytes that no frame exceeds, in either direction.
const MaxFrame = 48 << 20

// MaxFile bounds the content of one read or write in bytes, for the same reason.
const MaxFile = 16 << 20

// Op is what a request asks for.
type Op string

// The operations. Cancel ends the running request named by its arguments.
const (
	OpConfig   Op = "setup"
	OpExec     Op = "exec"
	OpCancel   Op = "cancel"
	OpRead     Op = "read"
	OpWrite    Op = "write"
	OpList     Op = "list"
	OpFind     Op = "find"
	OpGrep     Op = "grep"
	OpManifest Op = "manifest"
	OpPack     Op = "pack"
	OpUnpack   Op = "unpack"
	OpStart    Op = "start"
	OpFeed     Op = "feed"
	OpDrain    Op = "drain"
	OpKill     Op = "kill"
	OpResize   Op = "resize"
	OpLaunch   Op = "launch"
	OpJob      Op = "job"
	OpStopJob  Op = "stop job"
	OpAccept   Op = "accept"
	OpDial     Op = "dial"
	OpReceive  Op = "receive"
	OpSend     Op = "send"
	OpHangUp   Op = "hang up"

	OpHibernate Op = "hibernate"

	OpResolve Op = "resolve" // of the guest, to its helper
	OpUsage   Op = "usage"   // likewise
)

// Bytes is what a message carries beside its JSON, as it is: as a part of the
// JSON it would be read five times on its way.
type Bytes struct {
	Data []byte `json:"-"`
}

func (b Bytes) carried() []byte { return b.Data }
func (b *Bytes) carry(d []byte) { b.Data = d }

// Carried gives the bytes that v carries, or nil when it is of a type that
// carries none.
func Carried(v any) []byte {
	switch c := v.(type) {
	case sandbox.Chunk:
		return c.Data
	case interface{ carried() []byte }:
		return c.carried()
	}
	return nil
}

// Carry gives v, a pointer, its bytes, where it is of a type that carries some.
func Carry(v any, data []byte) {
	switch c := v.(type) {
	case *sandbox.Chunk:
		c.Data = data
	case interface{ carry([]byte) }:
		c.carry(data)
	}
}

// Request is a frame from the host.
type Request struct {
	ID   uint64          `json:"id"`
	Op   Op              `json:"op"`
	Args json.RawMessage `json:"args,omitempty"`
	Bytes
}

// Reply is a frame from the guest. Replies with More set are followed by
// further ones with the same ID.
type Reply struct {
	ID   uint64             `json:"id"`
	More bool               `json:"more,omitempty"`
	Body json.RawMessage    `json:"body,omitempty"`
	File *sandbox.FileError `json:"file,omitempty"`
	Err  string             `json:"err,omitempty"` // the guest itself failed

	Short bool `json:"short,omitempty"` // Err is a sandbox.ErrShort
	Stack bool `json:"stack,omitempty"` // Err is an ErrOverlay
	Room  bool `json:"room,omitempty"`  // Err is syscall.ENOSPC, of the machine: no limit of the world's
	Full  bool `json:"full,omitempty"`  // a command was ended for the world's own limit of memory
	Bytes
}

// Failed is the reply that a part of the sandbox failed, for this reason. That a disk has no room
// is the machine's only where others filled it, or nothing has run in the world yet (setUp): its
// own limits say the same.
func Failed(why error, setUp bool) Reply {
	r := Reply{Err: why.Error(), Short: errors.Is(why, sandbox.ErrShort), Stack: errors.Is(why, ErrOverlay)}
	r.Room = (r.Short || setUp) && errors.Is(why, syscall.ENOSPC)
	r.Stack = r.Stack && !r.Room
	return r
}

// Failure is Err as an error, in the guest's words.
func (r Reply) Failure() error {
	var kinds []error
	if r.Short {
		kinds = append(kinds, sandbox.ErrShort)
	}
	if r.Stack {
		kinds = append(kinds, ErrOverlay)
	}
	if r.Room {
		kinds = append(kinds, syscall.ENOSPC)
	}
	return sandbox.OfKinds(Clean(r.Err), kinds...)
}

// ErrOverlay is wrapped where the kernel refuses to stack layers.
var ErrOverlay = errors.New("stacking layers")

// Config is the first request: what holds for every command.
type Config struct {
	Env       []string
	Limits    sandbox.Limits
	Began     time.Time `json:",omitzero"`  // of a helper: when the world stood
	Copied    bool      `json:",omitempty"` // project and home were copied: what they start with was not written
	Elsewhere bool      `json:",omitempty"` // what is written beside project and home counts as well
	Places    []string  `json:",omitempty"` // directories beside them that are part of the state
	Apart     []string  `json:",omitempty"` // directories in those that are not
	Sealed    time.Time `json:",omitzero"`  // what was not changed since has its sum in sandbox.SumAttr
	Clock     bool      `json:",omitempty"` // project and home lie on another machine, which has its own
	Proxy     bool      `json:",omitempty"` // listen at sandbox.ProxyAddr
	Gateway   bool      `json:",omitempty"` // listen at sandbox.GatewayAddr
	Scope     bool      `json:",omitempty"` // the world has a control group; its counters are open
	Memory    bool      `json:",omitempty"` // what is written to project and home is kept in memory

	// Hibernated is what the guest before left of the world; nil: it is the first one.
	Hibernated *Hibernated `json:",omitempty"`

	Watched      bool  `json:",omitempty"` // the guest counts the memory, and nothing else does
	OwnNetwork   bool  `json:",omitempty"` // all sockets that the kernel lists are the world's
	SocketBuffer int64 `json:",omitempty"` // bytes that one socket may hold of what was sent by it

	// Helper is the command of a process that serves files with the rights of
	// Agent, where the guest is root of a kernel of its own and everything that
	// it starts is to be that user; none: the guest is the agent's user itself.
	Helper []string `json:",omitempty"`
	Agent  int      `json:",omitempty"` // user and group

	TestOnlyDumpable bool `json:",omitempty"` // the guest's memory can be read
	TestOnlySparing  bool `json:",omitempty"` // of a call that is ended, only the first process is killed
	TestOnlyCrowd    bool `json:",omitempty"` // commands have no limit of processes
	TestOnlyBlind    bool `json:",omitempty"` // the guest does not look at the processes itself
	TestOnlyReach    bool `json:",omitempty"` // commands may set limits and priorities of other processes
}

// ManifestArgs ask for a manifest. Data is a noted.List.
type ManifestArgs struct {
	Globs []string
	Bytes
}

// ReadArgs asks for a piece of a file.
type ReadArgs struct {
	Path   string
	Off, N int64
}

// WriteArgs asks for a file to be written.
type WriteArgs struct {
	Path string
	Bytes
}

// FeedArgs is input for a program that OpStart started, named by the number
// that it gave back.
type FeedArgs struct {
	Program uint64
	Close   bool `json:",omitempty"` // no more comes
	Bytes
}

// JobArgs asks for news of a job.
type JobArgs struct {
	Job  int
	Wait time.Duration
}

// ResizeArgs is the new size of a program's terminal.
type ResizeArgs struct {
	Program uint64
	Window  sandbox.Window
}

// AcceptArgs asks for the next connection to the gateway, or to the proxy.
type AcceptArgs struct {
	Gateway bool `json:",omitempty"`
}

// SendArgs is what is said on a connection.
type SendArgs struct {
	Conn uint64
	Bytes
}

// Received is what was heard on a connection.
type Received struct {
	End bool `json:",omitempty"` // no more comes
	Bytes
}

// MaxConns bounds the connections of one guest that are open at once.
const MaxConns = 128

// Drained is output of a program: some, or how it ended once all was read.
type Drained struct {
	Ended *sandbox.Result `json:",omitempty"`
	Bytes
}

// DrainSize bounds the output of one answer in bytes.
const DrainSize = 64 << 10

// MaxBatch bounds the contents of one OpPack or OpUnpack together in bytes,
// but for the last file of it; MaxItems the files.
const (
	MaxBatch = 8 << 20
	MaxItems = 1000
)

// Found is the answer to a find.
type Found struct {
	Paths []string
	More  bool
}

// Lines is the answer to a grep.
type Lines struct {
	Lines []sandbox.GrepLine
	More  bool
}

// ErrFrame is wrapped by errors about a frame that breaks the protocol.
var ErrFrame = errors.New("bad frame")

// A frame is the length of what follows, the length of its JSON, the JSON, and
// what the message carries.
const lengths = 8

// arriving is how much room a frame is given before it has arrived, in bytes.
const arriving = 64 << 10

// ReadFrame reads one frame into v. io.EOF means that the other side is gone.
func ReadFrame(r io.Reader, v any) error {
	var head [lengths]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n, text := binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[4:])
	if n > MaxFrame || text > n {
		return fmt.Errorf("%w: %d bytes, %d of them JSON", ErrFrame, n, text)
	}
	// Grown while it arrives: a length alone allocates little.
	var b bytes.Buffer
	b.Grow(int(min(n, arriving)) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(r, int64(n))); err != nil {
		return err
	}
	if b.Len() != int(n) {
		return io.ErrUnexpectedEOF
	}
	if err := Decode(b.Bytes()[:text], v); err != nil {
		return fmt.Errorf("%w: %v", ErrFrame, err)
	}
	Carry(v, b.Bytes()[text:])
	return nil
}

// WriteFrame writes v as one frame with a single Write.
func WriteFrame(w io.Writer, v any) error {
	text, err := Encode(v)
	if err != nil {
		return err
	}
	data := Carried(v)
	n := len(text) + len(data)
	if n > MaxFrame {
		return fmt.Errorf("%w: %d bytes", ErrFrame, n)
	}
	frame := make([]byte, 0, lengths+n)
	frame = binary.BigEndian.AppendUint32(frame, uint32(n))
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(text)))
	frame = append(append(frame, text...), data...)
	_, err = w.Write(frame)
	return err
}

// Grace is how long a command that has ended may still hand in output that
// something it left behind holds open.
const Grace = 50 * time.Millisecond

// Messages gives one of each kind of value that goes over the connection, for
// whoever wants to compare what two programs say.
func Messages() []any {
	return []any{
		Request{}, Reply{}, Config{}, ReadArgs{}, WriteArgs{}, FeedArgs{}, JobArgs{}, ResizeArgs{},
		AcceptArgs{}, SendArgs{}, Received{}, Drained{}, Hibernation{}, Hibernated{},
		Found{}, Lines{}, sandbox.Entry{}, sandbox.File{}, sandbox.Item{}, sandbox.FileError{},
		sandbox.Cmd{}, sandbox.Result{}, sandbox.Chunk{}, sandbox.FindQuery{}, sandbox.GrepQuery{}, sandbox.JobNews{},
	}
}
