package deaths

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestSSH: however a connection over ssh ends, the worlds behind it end, and the brain
// hears of it.
func TestSSH(t *testing.T) {
	config := filepath.Join(engines(t, "ssh"), "config")
	ssh := func(label string, more ...string) []string {
		front := append([]string{"ssh", "-F", config, "-o", "SetEnv=ROW=" + label}, more...)
		return append(front, "hand-1")
	}
	for name, lose := range map[string]func(t *testing.T, l *life, label string){
		"client killed": func(t *testing.T, _ *life,
			label string) {
			signal(t, client(t, "ssh", label), syscall.SIGKILL)
		},
		"client stopped": func(t *testing.T, _ *life, label string) {
			signal(t, client(t, "ssh", label), syscall.SIGSTOP)
		},
		"session killed": func(t *testing.T, l *life, _ string) { signal(t, l.above(t, "sshd", ""), syscall.SIGKILL) },
		"session stopped": func(t *testing.T, l *life, _ string) {
			pid := l.above(t, "sshd", "")
			signal(t, pid, syscall.SIGSTOP)
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		},
		"hand killed": func(t *testing.T, l *life,
			_ string) {
			signal(t, l.above(t, "cookoff", " hand"), syscall.SIGKILL)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			label := fmt.Sprintf("row-%x", name)
			l := begin(t, host(t, append(ssh(label), hand()...)...))
			lose(t, l, label)
			l.ended(t)
		})
	}
	t.Run("silent cut", func(t *testing.T) {
		t.Parallel()
		r := relayTo(t, "127.0.0.1:"+portOf(t, config))
		l := begin(t, host(t, append(ssh("cut", "-o", "Port="+r.port()), hand()...)...))
		r.cut.Store(true)
		l.ended(t)
	})
	t.Run("nobody reads sandbox run", func(t *testing.T) {
		t.Parallel()
		for _, stdin := range []bool{true, false} {
			token := fmt.Sprint(2_000_000_000 + time.Now().UnixNano()%1_000_000_000)
			argv := append(ssh("run"), program(), "sandbox", "run", "--", "sleep", token)
			cmd := exec.Command(argv[0], argv[1:]...)
			if stdin {
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			l := &life{token: token}
			for len(l.alive()) == 0 {
				time.Sleep(20 * time.Millisecond)
			}
			since := time.Now()
			signal(t, cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait() // it was killed
			l.gone(t, since)
		}
	})
}

// portOf is the port of the engine's sshd.
func portOf(t *testing.T, config string) string {
	t.Helper()
	return run(t, "awk", `$1 == "Port" { print $2; exit }`, config)
}

// relay is a network between two ends that can fall silent.
type relay struct {
	net.Listener
	cut atomic.Bool
}

func relayTo(t *testing.T, addr string) *relay {
	t.Helper()
	in, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: in}
	t.Cleanup(func() { in.Close() })
	go func() {
		for {
			a, err := in.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", addr)
			if err != nil {
				a.Close()
				return
			}
			go r.move(a, b)
			go r.move(b, a)
		}
	}()
	return r
}

func (r *relay) port() string {
	_, port, _ := net.SplitHostPort(r.Addr().String()) // an address has one
	return port
}

// move moves what comes, and once it is cut takes it and keeps it.
func (r *relay) move(from io.Reader, to io.Writer) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		if r.cut.Load() {
			continue
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}
