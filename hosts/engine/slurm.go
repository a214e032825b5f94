package engine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"cookoff/internal/hint"
)

// job gives the nodes of a job that runs.
func (e *Engine) job(ctx context.Context, id string) ([]Place, error) {
	said, err := e.output(ctx, "squeue", "--noheader", "--jobs="+id, "--format=%T %N")
	if err != nil {
		return nil, err
	}
	state, nodes, _ := strings.Cut(strings.TrimSpace(said), " ")
	if state != "RUNNING" || nodes == "" || strings.Contains(nodes, "\n") {
		return nil, hint.New("salloc --no-shell -N2 makes an allocation and prints its number; squeue --me shows yours",
			"the Slurm job %s does not run: it is %q", id, strings.TrimSpace(said))
	}
	return e.nodes(ctx, id, nodes)
}

// nodes are those of a list in Slurm's words.
func (e *Engine) nodes(ctx context.Context, job, list string) (out []Place, err error) {
	said, err := e.output(ctx, "scontrol", "show", "hostnames", list)
	if err != nil {
		return nil, err
	}
	for _, node := range strings.Fields(said) {
		// --unbuffered: else output waits for a newline. --overlap: other steps may run
		// beside. --cpu-bind: one task, and all processors of the allocation.
		out = append(out, Place{node, append([]string{"srun", "--quiet", "--jobid", job, "--overlap",
			"-N1", "-n1", "-w", node, "--cpu-bind=none", "--unbuffered"}, e.hand()...)})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the Slurm job %s has no nodes", job)
	}
	return out, nil
}

// Allocate makes an allocation with salloc's options. It lasts until it is closed, or
// this process ends, however it does.
func (e *Engine) Allocate(ctx context.Context, options []string) ([]Place, io.Closer, error) {
	a := &allocation{ended: make(chan struct{})}
	argv := append([]string{"salloc"}, options...)
	argv = append(argv, "sh", "-c", `echo "$SLURM_JOB_ID $SLURM_JOB_NODELIST" && exec cat >/dev/null`)
	a.cmd = exec.Command(argv[0], argv[1:]...)
	a.cmd.Env, a.cmd.Dir, a.cmd.Stderr = e.Env, "/", &a.printed
	a.cmd.SysProcAttr = apart()
	out, err := a.cmd.StdoutPipe()
	if err == nil {
		a.in, err = a.cmd.StdinPipe()
	}
	if err == nil {
		err = a.cmd.Start()
	}
	if errors.Is(err, exec.ErrNotFound) {
		err = errors.New("salloc is not installed here")
	}
	if err != nil {
		return nil, nil, err
	}
	e.say("waiting for an allocation of Slurm: %s", strings.Join(argv[:len(options)+1], " "))
	stop := context.AfterFunc(ctx, func() { a.Close() })
	defer stop()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		a.Close()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, fmt.Errorf("no allocation of Slurm: %s", tail(a.printed.String()))
	}
	go a.wait()
	job, nodes, _ := strings.Cut(strings.TrimSpace(line), " ")
	places, err := e.nodes(ctx, job, nodes)
	if err != nil {
		a.Close()
		return nil, nil, err
	}
	e.say("Slurm's job %s: %s", job, nodes)
	return places, a, nil
}

// allocation is held by a process that ends with its input.
type allocation struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	printed output
	once    sync.Once
	ended   chan struct{}
}

func (a *allocation) wait() {
	a.once.Do(func() {
		_ = a.cmd.Wait() // however it ended
		close(a.ended)
	})
}

// giveTime is how long salloc may take to give an allocation back.
const giveTime = 10 * time.Second

// Close gives it back.
func (a *allocation) Close() error {
	_ = a.in.Close() // the process may be gone
	terminate(a.cmd.Process)
	go a.wait()
	select {
	case <-a.ended:
		return nil
	case <-time.After(giveTime):
		return errors.New("salloc did not end: scancel gives its allocation back")
	}
}

// output keeps what is written to it. It is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *output) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buf.Len() > 64<<10 {
		s.buf.Reset()
	}
	return s.buf.Write(b)
}

func (s *output) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}
