package tree

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"cookoff/sandbox/wire"
)

// part is a frame of a tree that travels: entries, which of them are wanted, or a
// piece of a file.
type part struct {
	Entries []Entry `json:",omitempty"`
	Want    []int   `json:",omitempty"`
	Done    bool    `json:",omitempty"` // no more of this comes
	Err     string  `json:",omitempty"` // it can't be taken, as talk.Answer says it
	wire.Bytes
}

// How much of a tree one frame has, and how much a tree may have.
const (
	batch      = 500
	pieceSize  = 256 << 10
	MaxEntries = 2_000_000
)

// Send gives what is at path, whose list is l, to Receive at the other end.
func Send(conn io.ReadWriter, path string, l List) error {
	for k := 0; k < len(l); k += batch {
		if err := wire.WriteFrame(conn, part{Entries: l[k:min(k+batch, len(l))]}); err != nil {
			return err
		}
	}
	if err := wire.WriteFrame(conn, part{Done: true}); err != nil {
		return err
	}
	for given := map[int]bool{}; ; {
		var want part
		if err := wire.ReadFrame(conn, &want); err != nil {
			return err
		}
		if want.Err != "" {
			return errors.New(wire.Clean(want.Err))
		}
		for _, i := range want.Want {
			if i < 0 || i >= len(l) || !l[i].Mode.IsRegular() || given[i] {
				return fmt.Errorf("%w: file %d of %d is wanted, again: %v", wire.ErrFrame, i, len(l), given[i])
			}
			given[i] = true
			if err := sendFile(conn, filepath.Join(path, l[i].Path)); err != nil {
				return err
			}
		}
		if want.Done {
			return nil
		}
	}
}

func sendFile(conn io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for b := make([]byte, pieceSize); ; {
		n, err := io.ReadFull(f, b)
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return err
		}
		if err := wire.WriteFrame(conn, part{Done: end, Bytes: wire.Bytes{Data: b[:n]}}); err != nil {
			return err
		}
		if end {
			return nil
		}
	}
}

// ReceiveList takes the list of a tree that Send gives.
func ReceiveList(conn io.Reader) (List, error) {
	var l List
	for {
		var p part
		if err := wire.ReadFrame(conn, &p); err != nil {
			return nil, err
		}
		if l = append(l, p.Entries...); len(l) > MaxEntries {
			return nil, fmt.Errorf("a tree of more than %d files", MaxEntries)
		}
		if p.Done {
			return l, nil
		}
	}
}

// Receive puts into the cache what Send gives, and asks for what neither the cache has nor
// this machine at the path of the other end's: a few files at a time, so that neither end
// waits for the other to read.
func Receive(conn io.ReadWriter, c *Cache, l List, at string) (string, error) {
	lacks := c.Lacks(l)
	near := shared(at, l, lacks)
	ask := &asker{conn: conn, coming: map[string]bool{}}
	for _, i := range lacks {
		if sum := l[i].Sum; near[sum] == "" {
			ask.wanted = append(ask.wanted, i)
			ask.coming[sum] = true
		}
	}
	if len(ask.wanted) == 0 {
		if err := ask.more(); err != nil {
			return "", err
		}
	}
	return c.Put(l, func(e Entry) (io.ReadCloser, error) {
		if path := near[e.Sum]; path != "" {
			return opened(path)
		}
		if !ask.coming[e.Sum] {
			return c.Open(e)
		}
		return ask.next()
	})
}

// asker asks for the files of a tree in their order.
type asker struct {
	conn   io.ReadWriter
	wanted []int           // that are not asked for yet
	coming map[string]bool // sums of all of them
	asked  int             // files that are asked for and have not come
}

// more asks for some more files.
func (a *asker) more() error {
	n := min(batch, len(a.wanted))
	now := a.wanted[:n]
	a.wanted, a.asked = a.wanted[n:], a.asked+n
	return wire.WriteFrame(a.conn, part{Want: now, Done: len(a.wanted) == 0})
}

// next gives the next of the files.
func (a *asker) next() (io.ReadCloser, error) {
	if a.asked == 0 {
		if err := a.more(); err != nil {
			return nil, err
		}
	}
	a.asked--
	return io.NopCloser(&incoming{conn: a.conn}), nil
}

// incoming is a file that comes in pieces.
type incoming struct {
	conn io.Reader
	left []byte
	end  bool
}

func (r *incoming) Read(b []byte) (int, error) {
	for len(r.left) == 0 {
		if r.end {
			return 0, io.EOF
		}
		var p part
		if err := wire.ReadFrame(r.conn, &p); err != nil {
			return 0, noEOF(err)
		}
		r.left, r.end = p.Data, p.Done
	}
	n := copy(b, r.left)
	r.left = r.left[n:]
	return n, nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
