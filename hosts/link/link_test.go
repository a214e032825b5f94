package link

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// both makes both ends of a link.
func both(t testing.TB) (opens, accepts *Link) {
	a, b := net.Pipe()
	opens, accepts = New(a, Options{Opens: true}), New(b, Options{})
	t.Cleanup(func() { opens.Close(); accepts.Close() })
	return opens, accepts
}

// TestStreams: what is said on many streams at once arrives on each as it was, more
// than a window of it, whether it can be compressed or not.
func TestStreams(t *testing.T) {
	opens, accepts := both(t)
	go func() {
		for {
			s, err := accepts.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(s, s) // the sender compares
				s.Close()
			}()
		}
	}()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			said := bytes.Repeat([]byte("all the same "), window/5)
			if i%2 == 0 {
				_, _ = rand.Read(said) // never fails
			}
			s, err := opens.Open()
			if err != nil {
				t.Error(err)
				return
			}
			go func() { _, _ = s.Write(said) }() // what is missing is not heard
			heard := make([]byte, len(said))
			if _, err := io.ReadFull(s, heard); err != nil || !bytes.Equal(said, heard) {
				t.Errorf("stream %d: %v, the same: %v", i, err, bytes.Equal(said, heard))
			}
			s.Close()
		})
	}
	all.Wait()
}

// TestSlowReader: one stream that nobody reads holds up no other, and no more than a
// window of it is kept.
func TestSlowReader(t *testing.T) {
	opens, accepts := both(t)
	slow, err := opens.Open()
	if err != nil {
		t.Fatal(err)
	}
	blocked := make(chan int, 1)
	go func() {
		n, _ := slow.Write(make([]byte, 3*window))
		blocked <- n
	}()
	if _, err := accepts.Accept(); err != nil {
		t.Fatal(err)
	}
	other, err := opens.Open()
	if err != nil {
		t.Fatal(err)
	}
	there, err := accepts.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = other.Write([]byte("hello")) }() // it is heard, or not
	heard := make([]byte, 5)
	if _, err := io.ReadFull(there, heard); err != nil || string(heard) != "hello" {
		t.Errorf("%q %v", heard, err)
	}
	opens.Close()
	if n := <-blocked; n > window {
		t.Errorf("%d bytes were sent, and nobody read them", n)
	}
}

// TestDeaf: an end that takes nothing is given up, though it goes on to say something.
func TestDeaf(t *testing.T) {
	a, b := net.Pipe()
	l := New(a, Options{Opens: true, Beat: 5 * time.Millisecond, Silence: 1000, Stall: 5})
	go func() {
		beat := (&frameWriter{}).encode(frame{kind: kindBeat, data: make([]byte, 8)})
		for {
			if _, err := b.Write(beat); err != nil {
				return
			}
		}
	}()
	<-l.Done()
	if !errors.Is(l.Err(), ErrStalled) {
		t.Error(l.Err())
	}
}

// said is an end that says what it says, and takes everything.
type said struct{ io.Reader }

func (said) Write(b []byte) (int, error) { return len(b), nil }
func (said) Close() error                { return nil }

// FuzzLink: whatever the other end says, the link ends with a reason, no more is kept
// than the windows of its streams, and the other end opens none.
func FuzzLink(f *testing.F) {
	w := &frameWriter{plain: true}
	add := func(fs ...frame) {
		var all []byte
		for _, fr := range fs {
			all = append(all, w.encode(fr)...)
		}
		f.Add(all)
	}
	add(frame{kind: kindData, stream: 1, data: []byte("x")}, frame{kind: kindClose, stream: 1})
	add(frame{kind: kindOpen, stream: 2})
	add(frame{kind: kindBeat, data: make([]byte, 8)}, frame{kind: kindEcho, data: make([]byte, 8)})
	add(frame{kind: kindCredit, stream: 1, data: binary.BigEndian.AppendUint32(nil, window)})
	add(frame{kind: kindData, stream: 9, data: []byte("of no stream")})
	var flood []frame
	for range window/maxPayload + 1 {
		flood = append(flood, frame{kind: kindData, stream: 1, data: make([]byte, maxPayload)})
	}
	add(flood...)
	f.Add((&frameWriter{}).encode(frame{kind: kindData, stream: 1, data: make([]byte, maxPayload)}))
	f.Add(append([]byte{2, 1, 0, 0}, bytes.Repeat([]byte{0xff}, 40)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		in, out := io.Pipe()
		l := New(said{in}, Options{Opens: true, Beat: time.Hour})
		s, err := l.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = out.Write(b) // which ends early where it breaks the protocol
		out.Close()
		<-l.Done()
		if l.Err() == nil {
			t.Fatal("it ended without a reason")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.unread) > window || s.credit > window || l.last != 1 {
			t.Fatalf("%d bytes are kept, %d may be sent, the last stream is %d", len(s.unread), s.credit, l.last)
		}
	})
}

// TestGreeting: what stands before a greeting is left out up to a bound, and a
// broken greeting is refused.
func TestGreeting(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("Welcome\x00cookoff to build-2\n")
	if err := WriteGreeting(&b, "hello"); err != nil {
		t.Fatal(err)
	}
	whole := bytes.Clone(b.Bytes())
	var heard string
	if err := ReadGreeting(&b, &heard); err != nil || heard != "hello" {
		t.Errorf("%q %v", heard, err)
	}
	whole[len(whole)-2] ^= 1
	if err := ReadGreeting(bytes.NewReader(whole), &heard); !errors.Is(err, ErrFrame) {
		t.Errorf("a broken greeting: %v", err)
	}
	var banner *BannerError
	err := ReadGreeting(io.LimitReader(zeros{}, 1<<30), &heard)
	if !errors.As(err, &banner) || len(banner.Saw) > maxBanner+1 {
		t.Errorf("an endless banner: %v", err)
	}
}

// zeros says nothing without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
