package native

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"cookoff/sandbox/plan"
)

// setUpTime bounds the making of a sandbox.
const setUpTime = 60 * time.Second

// engineTime bounds it where another program does it: one without root may
// have to copy an image first.
const engineTime = 5 * time.Minute

// builder builds worlds and starts guests in them.
type builder interface {
	facts() facts
	// start prepares the start of a guest. layers are mounts for the set-up.
	start(w *world, p *plan.Plan, layers []*os.File) (*started, error)
	// explain makes an error of what the program said when no guest answered.
	explain(err error, said string) error
}

// facts are what else differs between builders.
type facts struct {
	layers   bool          // it mounts layers; else project and home are copies
	images   bool          // it makes worlds of images
	tmpfses  int64         // directories in memory, each as large as the limit; 0: an engine bounds its worlds itself
	patience time.Duration // bounds the making of a world
}

// started is a program that is about to run, and the connection to the guest
// that it will start.
type started struct {
	conn  io.ReadWriteCloser
	cmd   *exec.Cmd
	given []*os.File // open for cmd only
	// running is called once the program runs, and gives what kills the guest.
	// nil: that is the program itself. cmd ends when no process of the world is
	// left.
	running func() (kill func(), err error)
}

// startError says that a builder's program could not be started.
type startError struct {
	program string
	err     error
}

func (e *startError) Error() string { return "starting " + e.program + ": " + e.err.Error() }

func (e *startError) Unwrap() error { return e.err }

// start has the builder start a guest.
func (w *world) start(layers []*os.File, p *plan.Plan) (io.ReadWriteCloser, error) {
	w.errOut = &bothEnds{}
	s, err := w.b.builder.start(w, p, layers)
	if err != nil {
		return nil, err
	}
	err = w.run(s.cmd)
	closeAll(s.given)
	if err != nil {
		s.conn.Close()
		return nil, w.b.builder.explain(&startError{s.cmd.Args[0], err}, "")
	}
	if s.running == nil {
		return s.conn, nil
	}
	stop := w.kill
	if w.kill, err = s.running(); err != nil {
		stop()
		w.kill = stop
		s.conn.Close()
		<-w.gone
		return nil, w.b.builder.explain(err, w.errOut.String())
	}
	w.kill = sync.OnceFunc(w.kill)
	return s.conn, nil
}
