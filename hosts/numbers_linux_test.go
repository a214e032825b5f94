package hosts_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"cookoff/hosts"
	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/sandbox/sandboxtest"
	frames "cookoff/sandbox/wire"
)

// BenchmarkExec is a command in a world behind a stream, and right after it the same in
// one of this process: at most a millisecond more is the aim.
func BenchmarkExec(b *testing.B) {
	sandboxtest.Against(b, open(b, link.Options{}), native.New(native.Options{Dir: filepath.Join(b.TempDir(), "w")}))
}

// Benchmark500Worlds is as many worlds on one hand at once, with a command in each.
func Benchmark500Worlds(b *testing.B) {
	if testing.Short() {
		b.Skip("it starts five hundred sandboxes")
	}
	h := open(b, link.Options{})
	for b.Loop() {
		var worlds [500]sandbox.Sandbox
		var all sync.WaitGroup
		for i := range worlds {
			all.Go(func() {
				w, err := h.Open(b.Context(), sandbox.Spec{})
				if err == nil {
					worlds[i] = w
					_, err = w.Exec(b.Context(), sandbox.Cmd{Argv: []string{"/bin/true"}})
				}
				if err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
		for _, w := range worlds {
			if w != nil {
				all.Go(func() { _ = w.Close() }) // the test is of all at once
			}
		}
		all.Wait()
	}
}

// idler is a hand whose worlds open at once and answer nothing.
func idler(conn net.Conn) {
	var theirs protocol.Hello
	mine := protocol.Hello{Build: "b", Processors: 100}
	if link.ReadGreeting(conn, &theirs) != nil || link.WriteGreeting(conn, mine) != nil {
		return
	}
	l := link.New(conn, link.Options{})
	for {
		st, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			var c protocol.Call
			if frames.ReadFrame(st, &c) == nil {
				_ = frames.WriteFrame(st, protocol.Answer{}) // nobody may wait for it
			}
		}()
	}
}

// TestFleet: a hundred hosts with a hundred worlds each, a command under way in each, take
// a small part of a gibibyte, with the far ends in the same process.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("ten thousand worlds")
	}
	const machines, each, most = 100, 100, 512 << 20
	ctx, cancel := context.WithCancel(t.Context())
	var all, under sync.WaitGroup
	begun := time.Now()
	for i := range machines {
		h := &hosts.Host{Name: fmt.Sprint("h", i), Hello: protocol.Hello{Build: "b"}, Trees: &hosts.Trees{}}
		h.Dial = func(context.Context) (hosts.Conn, error) {
			ours, theirs := pair(t)
			go idler(theirs)
			return wire{ours}, nil
		}
		t.Cleanup(func() { h.Close() })
		for range each {
			under.Add(1)
			all.Go(func() {
				sb, err := h.Open(ctx, sandbox.Spec{})
				if err != nil {
					t.Error(err)
					under.Done()
					return
				}
				under.Done()
				_, _ = sb.Exec(ctx, sandbox.Cmd{Script: "it never ends"}) // it is left
			})
		}
	}
	under.Wait()
	filled := time.Since(begun)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if used := m.HeapInuse + m.StackInuse; used > most {
		t.Errorf("%d MiB are in use", used>>20)
	} else {
		t.Logf("%d worlds on %d hosts stood after %v, with %d MiB for both ends", machines*each, machines,
			filled.Round(time.Millisecond), used>>20)
	}
	cancel()
	all.Wait()
}
