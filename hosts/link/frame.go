package link

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// A frame is a head and at most maxPayload bytes. The head is the frame's kind, its
// flags, two bytes of zero, the number of its stream, the length of the payload as it
// travels, and the CRC-32C of the head before that and the payload.
const (
	headSize   = 16
	maxPayload = 32 << 10 // bytes, before and after they are compressed
)

// kind says what a frame is.
type kind byte

const (
	kindOpen   kind = 1 // begins a stream
	kindData   kind = 2
	kindCredit kind = 3 // so many more bytes may be sent: four bytes
	kindClose  kind = 4 // its sender says and hears no more on the stream
	kindBeat   kind = 5 // of stream 0: eight bytes that kindEcho gives back
	kindEcho   kind = 6
)

// packed is the flag of a payload that is compressed.
const packed = 1

// ErrFrame is wrapped by errors about what breaks the protocol.
var ErrFrame = errors.New("bad frame")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame is one of them, its payload as it was before it was compressed.
type frame struct {
	kind   kind
	stream uint32
	data   []byte
}

// frameReader reads frames. What it gives is good until the next is read.
type frameReader struct {
	in     io.Reader
	buf    []byte
	plain  bytes.Buffer
	unpack io.ReadCloser // nil: nothing was compressed yet
}

// next reads a frame. io.EOF: the other end is gone, between two frames.
func (r *frameReader) next() (frame, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: kind(head[0]), stream: binary.BigEndian.Uint32(head[4:])}
	flags, n := head[1], binary.BigEndian.Uint32(head[8:])
	if f.kind < kindOpen || f.kind > kindEcho || flags > packed || head[2]|head[3] != 0 || n > maxPayload {
		return f, fmt.Errorf("%w: kind %d, flags %d, %d bytes", ErrFrame, head[0], flags, n)
	}
	if r.buf == nil {
		r.buf = make([]byte, maxPayload)
	}
	f.data = r.buf[:n]
	if _, err := io.ReadFull(r.in, f.data); err != nil {
		return f, noEOF(err)
	}
	if sum(head[:12], f.data) != binary.BigEndian.Uint32(head[12:]) {
		return f, fmt.Errorf("%w: its sum is wrong", ErrFrame)
	}
	if flags&packed == 0 {
		return f, nil
	}
	var err error
	f.data, err = r.unpacked(f.data)
	return f, err
}

// unpacked gives a payload as it was.
func (r *frameReader) unpacked(data []byte) ([]byte, error) {
	from := bytes.NewReader(data)
	if r.unpack == nil {
		r.unpack = flate.NewReader(from)
	} else if err := r.unpack.(flate.Resetter).Reset(from, nil); err != nil {
		return nil, err
	}
	r.plain.Reset()
	n, err := r.plain.ReadFrom(io.LimitReader(r.unpack, maxPayload+1))
	if err != nil || n > maxPayload {
		return nil, fmt.Errorf("%w: %d bytes unpacked: %v", ErrFrame, n, err)
	}
	return r.plain.Bytes(), nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func sum(head, data []byte) uint32 {
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, data)
}

// frameWriter makes frames. It is used by one goroutine at a time.
type frameWriter struct {
	buf   []byte
	plain bool // nothing is compressed
	skip  int  // payloads that are not tried, as those before were no smaller
	out   bytes.Buffer
}

// smallest is the payload in bytes below which compressing does not pay.
const smallest = 512

// packers are kept: each has tables of some hundred KiB.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil { // the level is a constant
		panic(err)
	}
	return w
}}

// encode gives a frame as bytes, good until the next call.
func (w *frameWriter) encode(f frame) []byte {
	data, flags := f.data, byte(0)
	if len(data) >= smallest && !w.plain {
		if short := w.compress(data); short != nil {
			data, flags = short, packed
		}
	}
	b := append(w.buf[:0], byte(f.kind), flags, 0, 0)
	b = binary.BigEndian.AppendUint32(b, f.stream)
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	b = binary.BigEndian.AppendUint32(b, sum(b, data))
	w.buf = append(b, data...)
	return w.buf
}

// compress gives data smaller; nil where it is hardly so. After such a piece some
// are not tried: what is compressed already comes in long rows.
func (w *frameWriter) compress(data []byte) []byte {
	if w.skip > 0 {
		w.skip--
		return nil
	}
	p := packers.Get().(*flate.Writer)
	defer packers.Put(p)
	w.out.Reset()
	p.Reset(&w.out)
	if _, err := p.Write(data); err != nil || p.Close() != nil || w.out.Len() > len(data)*9/10 {
		w.skip = 16
		return nil
	}
	return w.out.Bytes()
}
