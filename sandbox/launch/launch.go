// Package launch starts worlds. A Builder knows how one kind of world is built, and
// this package has it done and brings it to its end again.
package launch

import (
	"io"
	"os"
	"os/exec"
	"time"

	"cookoff/sandbox/cgroup"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/users"
)

// SetUpTime bounds the making of a world.
const SetUpTime = 60 * time.Second

// EngineTime bounds it where another program does it: one without root may
// have to copy an image first.
const EngineTime = 5 * time.Minute

// Builder builds worlds and starts guests in them.
type Builder interface {
	Facts() Facts
	// Prepare readies the program that builds the world and starts the guest in it. It
	// may add to the plan, which the guest is told afterwards.
	Prepare(o Order) (*Prepared, error)
	// Explain makes an error of what the program said when no guest answered.
	Explain(err error, said string) error
}

// Facts are what else differs between builders.
type Facts struct {
	Layers   bool          // it mounts layers; else project and home are copies
	Images   bool          // it makes worlds of images
	Tmpfses  int64         // directories in memory, each as large as the limit; 0: an engine bounds its worlds itself
	Patience time.Duration // bounds the making of a world
	Keeps    bool          // what a world has in memory can outlive its guest
}

// Order is what a builder is told of a world.
type Order struct {
	Plan   *plan.Plan // Dir is the world's directory on the host
	Agent  users.Agent
	Mounts []*os.File      // for the set-up, which finds them open
	Keep   bool            // what it has in memory is to outlive the guest
	Memory *os.File        // what was kept of that; nil: it is the first guest
	Group  *cgroup.Group   // that the world's processes are in; nil: none
	Stderr io.Writer       // takes what the program says
	Gone   <-chan struct{} // closed when no process of the world is left
}

// Prepared is a program that is about to run, and the connection to the guest
// that it will start.
type Prepared struct {
	Conn  io.ReadWriteCloser
	Cmd   *exec.Cmd  // ends when no process of the world is left
	Given []*os.File // open for Cmd only
	// Running is called once the program runs, and gives what kills the guest; nil:
	// the end of the program does. Running is nil where there is nothing to be done.
	Running func() (kill func(), err error)
	Path    []string // where an image has its programs
	// Kept gives a mount of what the world has in memory, once its guest has answered;
	// nil: nothing is kept. It may be called once.
	Kept func() (*os.File, error)
}

// Discard closes what was opened for a program that will not run.
func (p *Prepared) Discard() {
	CloseAll(p.Given)
	p.Conn.Close()
}

// StartError says that a builder's program could not be started.
type StartError struct {
	Program string
	Err     error
}

func (e *StartError) Error() string { return "starting " + e.Program + ": " + e.Err.Error() }

func (e *StartError) Unwrap() error { return e.Err }

// CloseAll closes files that another process has by now, or will never need.
func CloseAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
