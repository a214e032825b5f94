package stores

import (
	"bytes"
	"encoding/binary"
)

// file is a store as pages.
type file struct {
	data   []byte
	size   int            // of a page
	usable int            // bytes of one that are used
	newer  map[int][]byte // pages that the log beside the file has
	left   int            // pages that may be looked at still
}

func open(data, wal []byte) (*file, bool) {
	if len(data) < 512 || !Magic(data) {
		return nil, false
	}
	f := &file{data: data, size: int(binary.BigEndian.Uint16(data[16:]))}
	if f.size == 1 {
		f.size = 65536
	}
	f.usable = f.size - int(data[20])
	if f.size < 512 || f.usable < 480 {
		return nil, false
	}
	f.newer = logged(wal, f.size)
	f.left = 2*(len(data)/f.size+len(f.newer)) + 2
	return f, true
}

// logged are the pages of a write-ahead log up to the last commit.
func logged(wal []byte, size int) map[int][]byte {
	const head, frame = 32, 24
	done, open := map[int][]byte{}, map[int][]byte{}
	for at := head; len(wal) >= at+frame+size && bytes.Equal(wal[at+8:at+16], wal[16:24]); at += frame + size {
		open[int(binary.BigEndian.Uint32(wal[at:]))] = wal[at+frame : at+frame+size]
		if binary.BigEndian.Uint32(wal[at+4:]) == 0 {
			continue
		}
		for n, p := range open {
			done[n] = p
		}
		clear(open)
	}
	return done
}

// page gives one by its number, from 1; nil: there is none, or too many were looked at.
func (f *file) page(n int) []byte {
	f.left--
	if f.left < 0 || n < 1 {
		return nil
	}
	if p := f.newer[n]; p != nil {
		return p
	}
	if n > len(f.data)/f.size {
		return nil
	}
	return f.data[(n-1)*f.size : n*f.size]
}

// rows calls each for every row of a tree of pages, with its number where it has one. It
// is false where the tree is damaged, or each is.
func (f *file) rows(root int, each func(id int64, record []byte) bool) bool {
	p := f.page(root)
	if p == nil {
		return false
	}
	head := p
	if root == 1 {
		head = p[100:]
	}
	kind, cells := head[0], int(binary.BigEndian.Uint16(head[3:]))
	inner := kind == 2 || kind == 5
	at := 8
	if inner {
		at = 12
	}
	if kind != 2 && kind != 5 && kind != 10 && kind != 13 || at+2*cells > len(head) {
		return false
	}
	for i := range cells {
		c := int(binary.BigEndian.Uint16(head[at+2*i:]))
		if c+4 > f.usable || !f.cell(kind, p[c:f.usable], each) {
			return false
		}
	}
	return !inner || f.rows(int(binary.BigEndian.Uint32(head[8:])), each)
}

// cell reads one: of an inner page, with all below it.
func (f *file) cell(kind byte, c []byte, each func(id int64, record []byte) bool) bool {
	if kind == 2 || kind == 5 {
		if !f.rows(int(binary.BigEndian.Uint32(c)), each) {
			return false
		}
		c = c[4:]
	}
	if kind == 5 {
		return true // only a number
	}
	size, n := varint(c)
	c = c[n:]
	var id uint64
	if kind == 13 {
		var m int
		id, m = varint(c)
		c, n = c[m:], min(n, m)
	}
	if n == 0 || size > uint64(len(f.data)+len(f.newer)*f.size) {
		return false
	}
	record, ok := f.record(c, int(size), kind == 13)
	return ok && each(int64(id), record)
}

// record puts together what begins in a cell and goes on in pages of its own.
func (f *file) record(c []byte, size int, leaf bool) ([]byte, bool) {
	most := f.usable - 35
	if !leaf {
		most = (f.usable-12)*64/255 - 23
	}
	here := size
	if size > most {
		least := (f.usable-12)*32/255 - 23
		if here = least + (size-least)%(f.usable-4); here > most {
			here = least
		}
	}
	if here == size {
		return c[:min(size, len(c))], size <= len(c)
	}
	if here+4 > len(c) {
		return nil, false
	}
	out := append([]byte(nil), c[:here]...)
	for next := int(binary.BigEndian.Uint32(c[here:])); len(out) < size; {
		p := f.page(next)
		if p == nil {
			return nil, false
		}
		next = int(binary.BigEndian.Uint32(p))
		out = append(out, p[4:min(f.usable, 4+size-len(out))]...)
	}
	return out, true
}
