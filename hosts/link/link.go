// Package link carries many streams over one connection of bytes: frames with
// lengths and sums, flow control for each stream, and a heartbeat both ways. It
// believes nothing that the other end says: what breaks the protocol, floods or
// falls silent ends the link, and every stream with it.
package link

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Options of a link.
type Options struct {
	Opens bool // this end opens streams, and the other one takes them; else the reverse
	Plain bool // nothing is compressed by this end
	// Beat is the time between heartbeats; 0: a second. Silence is how many of those
	// may pass with nothing heard; 0: 4. Stall is how many a frame may take to be
	// written; 0: 20.
	Beat           time.Duration
	Silence, Stall int
	MaxStreams     int // that the other end may have open; 0: 4096
}

// Why a link ended.
var (
	ErrSilent  = errors.New("nothing was heard any more")
	ErrStalled = errors.New("it does not take what is sent")
	ErrGone    = errors.New("the other end is gone")
	ErrClosed  = errors.New("the connection was closed")
)

// Link is one end. It is safe for concurrent use.
type Link struct {
	conn io.ReadWriteCloser
	opt  Options

	sendMu   sync.Mutex
	enc      frameWriter
	writing  atomic.Int64 // ticks that the frame under way has taken, from 1; 0: none is
	received atomic.Bool  // something, since the last tick
	trip     atomic.Int64 // nanoseconds of the last round trip

	openMu sync.Mutex // streams are opened in the order of their numbers
	accept chan *Stream
	echo   chan []byte // what the other end wants to have back
	done   chan struct{}

	mu      sync.Mutex
	streams map[uint32]*Stream
	last    uint32 // number of the stream that was opened last
	err     error
}

// New makes an end of conn, which both have greeted on, and starts to serve it.
func New(conn io.ReadWriteCloser, o Options) *Link {
	fill(&o.Beat, time.Second)
	fill(&o.Silence, 4)
	fill(&o.Stall, 20)
	fill(&o.MaxStreams, 4096)
	l := &Link{conn: conn, opt: o, accept: make(chan *Stream), echo: make(chan []byte, 1), done: make(chan struct{}),
		streams: map[uint32]*Stream{}}
	l.enc.plain = o.Plain
	l.received.Store(true)
	go l.read()
	go l.beat()
	return l
}

func fill[T comparable](v *T, usual T) {
	var zero T
	if *v == zero {
		*v = usual
	}
}

// Done is closed when the link has ended.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err says why the link ended; nil: it has not.
func (l *Link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// RoundTrip is what the last heartbeat took to the other end and back; 0: none has.
func (l *Link) RoundTrip() time.Duration { return time.Duration(l.trip.Load()) }

// Close ends the link and every stream of it.
func (l *Link) Close() error {
	l.end(ErrClosed)
	return nil
}

// Fail ends the link and every stream of it for a reason.
func (l *Link) Fail(why error) { l.end(why) }

// end ends the link. The first reason stays.
func (l *Link) end(err error) {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return
	}
	l.err = err
	streams := l.streams
	l.streams = nil
	l.mu.Unlock()
	close(l.done)
	l.conn.Close()
	for _, s := range streams {
		s.fail(err)
	}
}

// Open begins a stream.
func (l *Link) Open() (*Stream, error) {
	l.openMu.Lock()
	defer l.openMu.Unlock()
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return nil, l.err
	}
	l.last++
	s := newStream(l, l.last)
	l.streams[s.id] = s
	l.mu.Unlock()
	return s, l.send(frame{kind: kindOpen, stream: s.id})
}

// Accept waits for a stream that the other end begins.
func (l *Link) Accept() (*Stream, error) {
	select {
	case s := <-l.accept:
		return s, nil
	case <-l.done:
		return nil, l.Err()
	}
}

// send writes a frame.
func (l *Link) send(f frame) error {
	l.sendMu.Lock()
	defer l.sendMu.Unlock()
	if err := l.Err(); err != nil {
		return err
	}
	l.writing.Store(1)
	_, err := l.conn.Write(l.enc.encode(f))
	l.writing.Store(0)
	if err != nil {
		l.end(fmt.Errorf("sending: %w", err))
		return l.Err()
	}
	return nil
}

// read takes frames until the link ends.
func (l *Link) read() {
	r := frameReader{in: bufio.NewReaderSize(l.conn, 64<<10)}
	for {
		f, err := r.next()
		if err == nil {
			l.received.Store(true)
			err = l.take(f)
		}
		if errors.Is(err, io.EOF) {
			err = ErrGone
		}
		if err != nil {
			l.end(err)
			return
		}
	}
}

// take does what a frame asks for. It never waits for whoever reads a stream.
func (l *Link) take(f frame) error {
	switch f.kind {
	case kindBeat, kindEcho:
		return l.takeBeat(f)
	case kindOpen:
		return l.taken(f)
	}
	l.mu.Lock()
	s, known := l.streams[f.stream], f.stream > 0 && f.stream <= l.last
	l.mu.Unlock()
	if s == nil {
		if known || l.Err() != nil {
			return nil // both ends have closed it
		}
		return fmt.Errorf("%w: stream %d, which there is not", ErrFrame, f.stream)
	}
	return s.take(f)
}

// taken begins a stream that the other end has opened.
func (l *Link) taken(f frame) error {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return nil
	}
	if l.opt.Opens || f.stream != l.last+1 || len(f.data) > 0 || len(l.streams) >= l.opt.MaxStreams {
		l.mu.Unlock()
		return fmt.Errorf("%w: stream %d is opened after %d, with %d open", ErrFrame, f.stream, l.last, len(l.streams))
	}
	l.last++
	s := newStream(l, f.stream)
	l.streams[s.id] = s
	l.mu.Unlock()
	go func() { // whoever accepts may be slow
		select {
		case l.accept <- s:
		case <-l.done:
		}
	}()
	return nil
}

// forget drops a stream that both ends have closed.
func (l *Link) forget(id uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.streams, id)
}

// takeBeat answers a heartbeat, or learns what one took.
func (l *Link) takeBeat(f frame) error {
	if len(f.data) != 8 || f.stream != 0 {
		return fmt.Errorf("%w: a heartbeat of %d bytes", ErrFrame, len(f.data))
	}
	if f.kind == kindEcho {
		if took := time.Since(began) - time.Duration(binary.BigEndian.Uint64(f.data)); took > 0 {
			l.trip.Store(int64(took))
		}
		return nil
	}
	select { // whoever reads never waits for what is written, or both ends could
	case l.echo <- append([]byte(nil), f.data...):
	default:
	}
	return nil
}

// began is what the times in heartbeats are counted from.
var began = time.Now()

// beat sends a heartbeat a tick, and ends a link on which nothing is heard, or a
// frame is not taken. Ticks are counted, not seconds: a process that was stopped
// itself does not blame the other end for the time.
func (l *Link) beat() {
	go l.beats()
	tick := time.NewTicker(l.opt.Beat)
	defer tick.Stop()
	for silent := 0; ; {
		select {
		case <-l.done:
			return
		case <-tick.C:
		}
		if silent++; l.received.Swap(false) {
			silent = 0
		}
		if silent >= l.opt.Silence {
			l.end(fmt.Errorf("%w, for %v", ErrSilent, time.Duration(silent)*l.opt.Beat))
			return
		}
		if n := l.writing.Load(); n > 0 {
			if int(n) > l.opt.Stall {
				l.end(fmt.Errorf("%w, for %v", ErrStalled, time.Duration(n)*l.opt.Beat))
				return
			}
			l.writing.CompareAndSwap(n, n+1)
		}
	}
}

// beats sends the heartbeats, and what the other end wants to have back of its own.
func (l *Link) beats() {
	tick := time.NewTicker(l.opt.Beat)
	defer tick.Stop()
	beat := func() error {
		return l.send(frame{kind: kindBeat, data: binary.BigEndian.AppendUint64(nil, uint64(time.Since(began)))})
	}
	for err := beat(); err == nil; {
		select {
		case <-l.done:
			return
		case b := <-l.echo:
			err = l.send(frame{kind: kindEcho, data: b})
		case <-tick.C:
			err = beat()
		}
	}
}
