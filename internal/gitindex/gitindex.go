// Package gitindex changes which files an index of git tells git not to look for, without
// git: what lies in a repository may make git run programs.
package gitindex

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
)

// Errors of an index that is left as it is.
var (
	ErrNoIndex = errors.New("not an index of git that can be read")
	ErrLinked  = errors.New("an index of git with a part that can't be left out")
)

const (
	header   = 12 // bytes: DIRC, version, number of entries
	fixed    = 40 // bytes of an entry before the object's name
	extended = 0x4000
	skip     = 0x4000 // skip-worktree, among the extended flags
	longName = 0x0fff // a name of that length or more

	// Version 4 cuts what a path shares with the one before it. Whoever writes an index by
	// hand makes terabytes of it so; no tree of files comes near this many times its size.
	mostLonger = 16
)

// index is one as it was read.
type index struct {
	version int
	entries []entry
	rest    []byte // extensions
	sum     func() hash.Hash
	unsum   bool // zeros stand in the place of the sum
}

type entry struct {
	head  []byte // dates, mode, owner, size, object
	flags uint16 // without extended
	more  uint16 // extended flags
	path  []byte
}

// Paths gives the paths of an index's entries.
func Paths(data []byte) ([]string, error) {
	x, err := read(data)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range x.entries {
		out = append(out, string(e.path))
	}
	return out, nil
}

// Skip gives the index in which git looks for no file at the paths that want names (on),
// or looks for them again (not on). changed are the paths where it was otherwise; with
// none the index is the same bytes. The error is ErrNoIndex or ErrLinked.
func Skip(data []byte, want func(path string) bool, on bool) (out []byte, changed []string, err error) {
	x, err := read(data)
	if err != nil {
		return nil, nil, err
	}
	for i := range x.entries {
		e := &x.entries[i]
		if e.more&skip != 0 == on || !want(string(e.path)) {
			continue
		}
		e.more ^= skip
		changed = append(changed, string(e.path))
	}
	if changed == nil {
		return data, nil, nil
	}
	rest, err := extensions(x.rest)
	if err != nil {
		return nil, nil, err
	}
	return x.write(rest), changed, nil
}

// read takes an index of version 2, 3 or 4 apart.
func read(data []byte) (*index, error) {
	x := &index{}
	if len(data) < header || string(data[:4]) != "DIRC" {
		return nil, ErrNoIndex
	}
	x.version = int(binary.BigEndian.Uint32(data[4:]))
	n := binary.BigEndian.Uint32(data[8:])
	if x.version < 2 || x.version > 4 {
		return nil, ErrNoIndex
	}
	for _, sum := range []func() hash.Hash{sha1.New, sha256.New} {
		h := sum()
		at := len(data) - h.Size()
		if at < header {
			continue
		}
		h.Write(data[:at])
		x.unsum = bytes.Equal(data[at:], make([]byte, h.Size()))
		if !x.unsum && !bytes.Equal(h.Sum(nil), data[at:]) {
			continue
		}
		x.sum, x.entries = sum, nil
		if x.readEntries(data[header:at], int(n), h.Size()) {
			return x, nil
		}
	}
	return nil, ErrNoIndex
}

// readEntries reads n entries with objects of so many bytes, and what follows.
func (x *index) readEntries(data []byte, n, object int) bool {
	var before []byte
	room := mostLonger * len(data)
	for ; n > 0; n-- {
		size := fixed + object + 2
		if len(data) < size {
			return false
		}
		e := entry{head: data[:fixed+object], flags: binary.BigEndian.Uint16(data[fixed+object:])}
		if e.flags&extended != 0 {
			if x.version < 3 || len(data) < size+2 {
				return false
			}
			e.more = binary.BigEndian.Uint16(data[size:])
			size += 2
		}
		e.flags &^= extended
		if x.version == 4 {
			cut, used := varint(data[size:])
			if used == 0 || cut > len(before) {
				return false
			}
			size += used
			if room -= len(before) - cut; room < 0 {
				return false
			}
			e.path = append(e.path, before[:len(before)-cut]...)
		}
		end := bytes.IndexByte(data[size:], 0)
		if end < 0 {
			return false
		}
		e.path = append(e.path, data[size:size+end]...)
		size += end + 1
		if x.version < 4 {
			size = (size + 7) &^ 7
		}
		if size > len(data) || len(e.path) == 0 {
			return false
		}
		data, before = data[size:], e.path
		x.entries = append(x.entries, e)
	}
	x.rest = data
	return true
}

// varint reads a number as version 4 writes it, and how many bytes it takes; 0: none.
func varint(data []byte) (n, used int) {
	for i, b := range data[:min(len(data), 4)] {
		if i > 0 {
			n++
		}
		n = n<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return n, i + 1
		}
	}
	return 0, 0
}

// extensions gives those that say nothing of where entries lie, nor of which were looked
// at. One that git must understand can't be left out.
func extensions(data []byte) (out []byte, err error) {
	for len(data) > 0 {
		if len(data) < 8 {
			return nil, ErrNoIndex
		}
		size := uint64(8) + uint64(binary.BigEndian.Uint32(data[4:]))
		if size > uint64(len(data)) {
			return nil, ErrNoIndex
		}
		switch name := string(data[:4]); {
		case name == "TREE" || name == "REUC":
			out = append(out, data[:size]...)
		case name[0] < 'A' || name[0] > 'Z':
			return nil, ErrLinked
		}
		data = data[size:]
	}
	return out, nil
}

// write gives the bytes of an index, in version 3: that of version 2 has no extended flags.
func (x *index) write(rest []byte) []byte {
	out := append([]byte("DIRC"), 0, 0, 0, 3)
	out = binary.BigEndian.AppendUint32(out, uint32(len(x.entries)))
	for _, e := range x.entries {
		begin := len(out)
		out = append(out, e.head...)
		flags := e.flags&^longName | uint16(min(len(e.path), longName))
		if e.more == 0 {
			out = binary.BigEndian.AppendUint16(out, flags)
		} else {
			out = binary.BigEndian.AppendUint16(out, flags|extended)
			out = binary.BigEndian.AppendUint16(out, e.more)
		}
		out = append(append(out, e.path...), 0)
		for (len(out)-begin)%8 != 0 {
			out = append(out, 0)
		}
	}
	out = append(out, rest...)
	h := x.sum()
	h.Write(out)
	if x.unsum {
		return append(out, make([]byte, h.Size())...)
	}
	return h.Sum(out)
}
