package gitobjects

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1" // #nosec: git names objects so
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"cookoff/sandbox"
)

// maxDeltas bounds the differences on the way to one object.
const maxDeltas = 60

// Packs are packs of a repository.
type Packs struct {
	FS    sandbox.FS
	Reads int // of objects, that are left
	list  []pack
}

// Add takes a pack of so many bytes, by its path and its index. What is none is left out.
func (p *Packs) Add(path string, idx []byte, size int64) {
	if one, ok := readPack(idx, size); ok {
		one.path = path
		p.list = append(p.list, one)
	}
}

type pack struct {
	path    string
	names   []string // sorted
	offsets []int64  // of each
	ends    []int64  // sorted offsets, and where the objects end
}

// readPack reads the index of a pack of so many bytes, of version 2.
func readPack(idx []byte, size int64) (p pack, ok bool) {
	if p.names, ok = Packed(idx); !ok || len(p.names) == 0 {
		return p, false
	}
	const head = 8 + 256*4
	n, length := len(p.names), len(p.names[0])/2
	at := head + n*(length+4)
	far := at + 4*n
	for i := range n {
		off := int64(binary.BigEndian.Uint32(idx[at+4*i:]))
		if off&(1<<31) != 0 {
			from := far + 8*int(off&^(1<<31))
			if from+8 > len(idx) {
				return p, false
			}
			off = int64(binary.BigEndian.Uint64(idx[from:]))
		}
		if off < 12 || off >= size {
			return p, false
		}
		p.offsets = append(p.offsets, off)
	}
	p.ends = append(slices.Sorted(slices.Values(p.offsets)), size-int64(length))
	return p, true
}

// Object gives an object by its name; its kind is "" where no pack has it, or where it is not
// what its name says. Errors are the sandbox's.
func (p *Packs) Object(ctx context.Context, name string) (kind string, body []byte, err error) {
	for _, one := range p.list {
		i, there := slices.BinarySearch(one.names, name)
		if !there {
			continue
		}
		kind, body, err = p.at(ctx, one, one.offsets[i], maxDeltas)
		if err != nil || kind == "" {
			return "", nil, err
		}
		if !slices.Contains(Names(kind, body), name) {
			return "", nil, nil
		}
		return kind, body, nil
	}
	return "", nil, nil
}

// Names are the names that an object may have.
func Names(kind string, body []byte) []string {
	content := append(fmt.Appendf(nil, "%s %d\x00", kind, len(body)), body...)
	short, long := sha1.Sum(content), sha256.Sum256(content) // #nosec: git names objects so
	return []string{hex.EncodeToString(short[:]), hex.EncodeToString(long[:])}
}

// kinds are those of objects that stand in a pack as they are.
var kinds = map[byte]string{1: "commit", 2: "tree", 3: "blob", 4: "tag"}

// at reads the object at an offset, which may be the difference to another one.
func (p *Packs) at(ctx context.Context, one pack, off int64, deltas int) (kind string, body []byte, err error) {
	i, there := slices.BinarySearch(one.ends, off)
	if !there || i+1 >= len(one.ends) || one.ends[i+1]-off > MaxSize || deltas == 0 || p.Reads == 0 {
		return "", nil, nil
	}
	p.Reads--
	chunk, err := p.FS.Read(ctx, one.path, off, one.ends[i+1]-off)
	if odd := (*sandbox.FileError)(nil); errors.As(err, &odd) {
		return "", nil, nil
	}
	if err != nil || len(chunk.Data) == 0 {
		return "", nil, err
	}
	data := chunk.Data
	what := data[0] >> 4 & 7
	for data[0]&0x80 != 0 && len(data) > 1 { // how long it is
		data = data[1:]
	}
	data = data[1:]
	switch what {
	case 6:
		back, n := backwards(data)
		if n == 0 {
			return "", nil, nil
		}
		if kind, body, err = p.at(ctx, one, off-back, deltas-1); err != nil {
			return "", nil, err
		}
		data = data[n:]
	case 7:
		length := len(one.names[0]) / 2
		if len(data) < length {
			return "", nil, nil
		}
		base, there := slices.BinarySearch(one.names, hex.EncodeToString(data[:length]))
		if !there {
			return "", nil, nil
		}
		if kind, body, err = p.at(ctx, one, one.offsets[base], deltas-1); err != nil {
			return "", nil, err
		}
		data = data[length:]
	default:
		return kinds[what], inflated(data), nil
	}
	if kind == "" {
		return "", nil, nil
	}
	body, ok := patched(body, inflated(data))
	if !ok {
		return "", nil, nil
	}
	return kind, body, nil
}

func inflated(data []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(z, MaxSize))
	return out
}

// backwards reads how far in front of an object the one is that it is a difference to, and how
// many bytes that takes; 0: it says nothing.
func backwards(data []byte) (back int64, n int) {
	for i, c := range data[:min(len(data), 9)] {
		if i > 0 {
			back++
		}
		back = back<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			return back, i + 1
		}
	}
	return 0, 0
}

// patched makes an object of another one and the difference to it.
func patched(base, delta []byte) (out []byte, ok bool) {
	from, n := binary.Uvarint(delta)
	to, m := binary.Uvarint(delta[max(n, 0):])
	if n <= 0 || m <= 0 || from != uint64(len(base)) || to > MaxSize {
		return nil, false
	}
	for delta = delta[n+m:]; len(delta) > 0; {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			if op == 0 || int(op) > len(delta) {
				return nil, false
			}
			out, delta = append(out, delta[:op]...), delta[op:]
			continue
		}
		var at, size int
		for i := range 7 {
			if op>>i&1 == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, false
			}
			if i < 4 {
				at |= int(delta[0]) << (8 * i)
			} else {
				size |= int(delta[0]) << (8 * (i - 4))
			}
			delta = delta[1:]
		}
		if size == 0 {
			size = 0x10000
		}
		if at > len(base) || size > len(base)-at || len(out)+size > MaxSize {
			return nil, false
		}
		out = append(out, base[at:at+size]...)
	}
	return out, uint64(len(out)) == to
}
