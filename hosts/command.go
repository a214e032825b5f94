package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Command starts the command of a host. Its standard input and output are the
// connection; env is all of its environment.
func Command(argv, env []string) func(context.Context) (Conn, error) {
	return func(context.Context) (Conn, error) {
		if len(argv) == 0 {
			return nil, errors.New("it has no command")
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env, cmd.Dir = env, "/"
		cmd.SysProcAttr = apart()
		p := &process{cmd: cmd, gone: make(chan struct{})}
		cmd.Stderr = &p.stderr
		var err error
		if p.in, err = cmd.StdinPipe(); err == nil {
			p.out, err = cmd.StdoutPipe()
		}
		if err == nil {
			err = started(cmd.Start)
		}
		if err != nil {
			return nil, fmt.Errorf("starting its command: %w", err)
		}
		return p, nil
	}
}

// process is a command as a connection.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr tail
	once   sync.Once
	gone   chan struct{}

	closed atomic.Bool
}

func (p *process) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Stderr is what the command said on standard error: all of it, once it is closed.
func (p *process) Stderr() string {
	if p.closed.Load() {
		select {
		case <-p.gone:
		case <-time.After(time.Second): // something that it left holds it open
		}
	}
	return p.stderr.String()
}

// Close ends the command. What it started on the other machine ends by itself.
func (p *process) Close() error {
	p.once.Do(func() {
		p.closed.Store(true)
		_ = p.in.Close()
		_ = p.out.Close()
		kill(p.cmd.Process)
		go func() { // a program that it left may hold its standard error
			_ = p.cmd.Wait()
			close(p.gone)
		}()
	})
	return nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	last []byte
}

// tailMax bounds what is kept, in bytes.
const tailMax = 2048

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b...)
	if over := len(t.last) - tailMax; over > 0 {
		t.last = slices.Clone(t.last[over:])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}

// passed are the variables of the environment that the command of a host gets, those
// with a * by their beginning: what engines need to find their way, and no key.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR", "XDG_CONFIG_HOME",
	"XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
	"SSH_AUTH_SOCK", "SLURM_*", "KUBECONFIG", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST",
	"CONTAINERS_CONF", "COVERDIR", "GOCOVERDIR"}

// Environment is the environment of the command of a host: of all, what engines need,
// and nothing that has one of the secrets in it.
func Environment(all []string, secrets map[string]string) (env []string) {
	for _, kv := range all {
		name, value, _ := strings.Cut(kv, "=")
		wanted := slices.ContainsFunc(passed, func(p string) bool {
			start, any := strings.CutSuffix(p, "*")
			return name == p || any && strings.HasPrefix(name, start)
		})
		for key, secret := range secrets {
			wanted = wanted && name != key && (secret == "" || !strings.Contains(value, secret))
		}
		if wanted {
			env = append(env, kv)
		}
	}
	return env
}

// kill ends a process and its group.
func kill(p *os.Process) {
	killGroup(p.Pid)
	_ = p.Kill()
}
