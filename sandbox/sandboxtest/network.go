package sandboxtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"cookoff/sandbox"
)

// echo is a gate that says back what it is told, line by line in capitals.
type echo struct {
	gone chan struct{} // closed when Serve has returned
}

func (e *echo) Serve(accept func() (io.ReadWriteCloser, error)) {
	defer close(e.gone)
	for {
		c, err := accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			in := bufio.NewScanner(c)
			for in.Scan() {
				if in.Text() == "bye" {
					return
				}
				fmt.Fprintln(c, strings.ToUpper(in.Text()))
			}
		}()
	}
}

// allowed wants the gate to be reached inside, and nothing else; and its end
// to be that of the sandbox.
func allowed(t *testing.T, s *suite) {
	if _, err := s.b.Open(t.Context(), sandbox.Spec{Network: sandbox.AllowedNetwork}); !errors.Is(err,
		sandbox.ErrUnavailable) {
		t.Errorf("no gate: %v", err)
	}
	if _, err := s.b.Open(t.Context(), sandbox.Spec{Gate: &echo{}}); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("a gate without its policy: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	g := &echo{gone: make(chan struct{})}
	w := s.open(t, sandbox.Spec{Network: sandbox.AllowedNetwork, Gate: g})
	w.fails(fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d", l.Addr().(*net.TCPAddr).Port))
	w.prints("lo", "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")
	w.prints("http://127.0.0.1:3128 http://127.0.0.1:3128 localhost,127.0.0.1,::1",
		"echo $HTTP_PROXY $https_proxy $NO_PROXY")
	w.prints("HELLO", "exec 3<>/dev/tcp/127.0.0.1/3128; echo hello >&3; read -r x <&3; echo $x")
	w.prints("", "exec 3<>/dev/tcp/127.0.0.1/3128; echo bye >&3; cat <&3")
	w.prints("1000000", "exec 3<>/dev/tcp/127.0.0.1/3128; "+
		"for i in $(seq 10000); do printf '%099d\\n' 7; done >&3 & exec 3<>/dev/tcp/127.0.0.1/3128; "+
		"for i in $(seq 10000); do printf '%099d\\n' 7; done >&3 & head -c 1000000 <&3 | wc -c")
	// Many at once, more than there may be, and left behind without a word.
	w.sh("for i in $(seq 400); do { exec 3<>/dev/tcp/127.0.0.1/3128; } 2>/dev/null; done; true")
	w.prints("AGAIN", "for i in $(seq 50); do exec 3<>/dev/tcp/127.0.0.1/3128; "+
		"echo again >&3; if read -r -t 2 x <&3; then echo $x; break; fi; exec 3>&-; sleep 0.1; done")
	w.seal()
	select {
	case <-g.gone:
	case <-time.After(time.Minute):
		t.Error("the gate is served after the end of its sandbox")
	}
	none := s.open(t, sandbox.Spec{})
	none.fails("exec 3<>/dev/tcp/127.0.0.1/3128")
	none.prints("", "echo $HTTP_PROXY$https_proxy")
}

// gateway wants it to be reached inside without any other network and beside a
// proxy, and what holds connections to keep nobody out for good.
func gateway(t *testing.T, s *suite) {
	if _, err := s.b.Open(t.Context(), sandbox.Spec{Network: sandbox.FullNetwork, Gateway: &echo{}}); !errors.Is(err,
		sandbox.ErrUnavailable) {
		t.Errorf("a gateway on the host's loopback: %v", err)
	}
	g, proxy := &echo{gone: make(chan struct{})}, &echo{gone: make(chan struct{})}
	w := s.open(t, sandbox.Spec{Gateway: g})
	w.prints("HELLO", "exec 3<>/dev/tcp/127.0.0.1/3129; echo hello >&3; read -r x <&3; echo $x")
	w.fails("exec 3<>/dev/tcp/127.0.0.1/3128")
	w.prints("", "echo $HTTP_PROXY$https_proxy")
	w.sh("for i in $(seq 400); do { exec 3<>/dev/tcp/127.0.0.1/3129; } 2>/dev/null; done; true")
	w.prints("AGAIN", "for i in $(seq 50); do exec 3<>/dev/tcp/127.0.0.1/3129; "+
		"echo again >&3; if read -r -t 2 x <&3; then echo $x; break; fi; exec 3>&-; sleep 0.1; done")
	w.seal()
	select {
	case <-g.gone:
	case <-time.After(time.Minute):
		t.Error("the gateway is served after the end of its sandbox")
	}
	both := s.open(t, sandbox.Spec{Network: sandbox.AllowedNetwork, Gate: proxy,
		Gateway: &echo{gone: make(chan struct{})}})
	both.prints("A\nB", "exec 3<>/dev/tcp/127.0.0.1/3128 4<>/dev/tcp/127.0.0.1/3129; "+
		"echo a >&3; echo b >&4; read -r x <&3; echo $x; read -r x <&4; echo $x")
	both.seal()
	none := s.open(t, sandbox.Spec{})
	none.fails("exec 3<>/dev/tcp/127.0.0.1/3129")
}

// dials wants the loopback inside to be reached from outside, and no other.
func dials(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	d, ok := w.Sandbox.(sandbox.Dialer)
	if !ok {
		t.Fatal("the loopback of these sandboxes can't be connected to")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = d.Dial(t.Context(), l.Addr().(*net.TCPAddr).Port)
	mistake(t, err, "nobody answers there")
	_, err = d.Dial(t.Context(), 0)
	mistake(t, err, "nobody answers there")
	if w.run(sandbox.Cmd{Script: "command -v python3"}).OK() {
		w.sh("echo found > f; python3 -m http.server 8000 >/dev/null 2>&1 & until (exec 3<>/dev/tcp/127.0.0.1/8000) " +
			"2>/dev/null; do sleep 0.05; done")
		c, err := d.Dial(t.Context(), 8000)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, "GET /f HTTP/1.0\r\n\r\n")
		b, err := io.ReadAll(c)
		if err != nil || !strings.HasSuffix(string(b), "\r\n\r\nfound\n") {
			t.Errorf("the server inside said %q, %v", b, err)
		}
		c.Close()
	}
	w.seal()
	if _, err := d.Dial(t.Context(), 8000); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("a sandbox that has ended was connected to: %v", err)
	}
}

// jobs wants commands in the background to live as long as their sandbox.
func jobs(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	b, ok := w.Sandbox.(sandbox.Background)
	if !ok {
		t.Fatal("these sandboxes run nothing in the background")
	}
	start := func(script string) int {
		t.Helper()
		n, err := b.Launch(t.Context(), sandbox.Cmd{Script: script})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	until := func(n int, want string) sandbox.JobNews {
		t.Helper()
		var all string
		for {
			news, err := b.Job(t.Context(), n, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			all += string(news.Output)
			if strings.Contains(all, want) && (want != "" || news.Ended) {
				return news
			}
			if news.Ended {
				t.Fatalf("job %d ended with %q, want %q", n, all, want)
			}
		}
	}
	w.sh("mkfifo /tmp/in")
	n := start("exec 3<>/tmp/in; while read -r x <&3; do echo got $x; done")
	w.sh("echo a > /tmp/in")
	until(n, "got a\n")
	if r := w.run(sandbox.Cmd{Script: "sleep 1000", Timeout: 200 * time.Millisecond}); r.Reason != "timeout" {
		t.Errorf("a call beside a job: %+v", r)
	}
	w.sh("echo b > /tmp/in")
	until(n, "got b\n")
	if err := b.StopJob(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if news := until(n, ""); news.Result.Signal != "SIGKILL" {
		t.Errorf("a stopped job ended as %+v", news.Result)
	}
	if news := until(start("echo out; echo err >&2; exit 7"), ""); news.Result.Exit != 7 {
		t.Errorf("a job that exits 7: %+v", news.Result)
	}
	_, err := b.Launch(t.Context(), sandbox.Cmd{Argv: []string{"no-such-program"}})
	mistake(t, err, "not found")
	_, err = b.Job(t.Context(), 99, 0)
	mistake(t, err, "no such command")
	start("sleep 1000")
	w.seal() // which waits for every process to be gone
	if _, err := b.Job(t.Context(), 1, 0); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("a job of a sandbox that has ended: %v", err)
	}
}
