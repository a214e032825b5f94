// Package protocol has the messages between the process that leads a run (the brain) and
// the one that opens its worlds on another machine (a hand), on the streams of a link: a
// call, its answer, and what follows it. Only the brain calls.
package protocol

import (
	"errors"
	"syscall"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// Hello is what each end says of itself first. The ends must be of one build.
type Hello struct {
	Build      string // equal where the programs are
	Version    string // for people
	Machine    string `json:",omitempty"` // its name
	Processors int    `json:",omitempty"`
	// Clock is what the clock of a hand's machine says now; zero: it says none.
	Clock time.Time `json:",omitzero"`
}

// Op is what a call asks for.
type Op string

// The calls. After the answer to OpOpen the stream is the connection to the guest,
// and after OpPut and OpExport a tree goes over it.
const (
	OpSetup    Op = "set up"
	OpCheck    Op = "check"
	OpOpen     Op = "open"
	OpSeal     Op = "seal"
	OpCopy     Op = "copy"
	OpClose    Op = "close"
	OpRelease  Op = "release"
	OpSleeping Op = "sleeping"
	OpWake     Op = "wake"
	OpPut      Op = "put"
	OpAlive    Op = "stands" // whether the hand goes on, shortly after
)

// Call is the first message on a stream.
type Call struct {
	Op     Op
	Setup  *Setup `json:",omitempty"`
	Open   *Open  `json:",omitempty"`
	World  uint64 `json:",omitempty"` // as OpOpen has named it
	State  uint64 `json:",omitempty"` // as an answer has named it
	PIDs   []int  `json:",omitempty"`
	Digest string `json:",omitempty"` // of a tree
	At     string `json:",omitempty"` // where the brain has the tree: the hand may see it, too
}

// Setup says what worlds are made by. It comes first, and once.
type Setup struct {
	Backend   string   // as native.Choice has it
	Image     string   `json:",omitempty"`
	Images    []string `json:",omitempty"`
	OwnTools  bool     // tool paths are the hand's own, in the place of the brain's
	ToolPaths []string `json:",omitempty"` // on the hand's machine, absolute or with ~/
	Programs  []string `json:",omitempty"` // that tasks may use: their tool chains are looked for
}

// Open is a world. The paths in the Spec are the brain's and mean nothing; trees are
// named by their digests.
type Open struct {
	World    uint64
	Spec     sandbox.Spec
	Gate     bool     `json:",omitempty"` // somebody serves the proxy
	Gateway  bool     `json:",omitempty"` // and the gateway
	Project  string   `json:",omitempty"`
	Prepared string   `json:",omitempty"`
	Caches   string   `json:",omitempty"`
	Root     string   `json:",omitempty"`
	ReadOnly []string `json:",omitempty"` // by the place in Spec.ReadOnly
	State    uint64   `json:",omitempty"`
}

// Answer is the answer to a call.
type Answer struct {
	Err   string `json:",omitempty"` // "": it was done
	Short bool   `json:",omitempty"` // Err is a sandbox.ErrShort
	Room  bool   `json:",omitempty"` // Err is syscall.ENOSPC
	State uint64 `json:",omitempty"`
	PIDs  []int  `json:",omitempty"`
	N     int    `json:",omitempty"`
	Have  bool   `json:",omitempty"` // the tree is there
	// Tools are the first lines of what programs say of their versions, inside.
	Tools map[string]string `json:",omitempty"`
}

// Failed is the answer that says what went wrong.
func Failed(err error) Answer {
	return Answer{Err: err.Error(), Short: errors.Is(err, sandbox.ErrShort), Room: errors.Is(err, syscall.ENOSPC)}
}

// Error is what an answer says went wrong; nil: nothing.
func (a Answer) Error() error {
	if a.Err == "" {
		return nil
	}
	var kinds []error
	if a.Short {
		kinds = append(kinds, sandbox.ErrShort)
	}
	if a.Room {
		kinds = append(kinds, syscall.ENOSPC)
	}
	return sandbox.OfKinds(wire.Clean(a.Err), kinds...)
}
