package wire

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"cookoff/sandbox"
)

// Part is a part of a manifest: of each file its texts, with their lengths, its mode, size and whether it was touched,
// the numbers as encoding/binary has them. As JSON, a manifest of 100,000 files took a quarter of a trial.
type Part struct{ Bytes }

// PartOf makes a part.
func PartOf(files []sandbox.File) Part {
	var b []byte
	for _, f := range files {
		for _, s := range texts(&f) {
			b = append(binary.AppendUvarint(b, uint64(len(*s))), *s...)
		}
		b = binary.AppendVarint(binary.AppendUvarint(b, uint64(f.Mode)), f.Size)
		touched := byte(0)
		if f.Touched {
			touched = 1
		}
		b = append(b, touched)
	}
	return Part{Bytes{b}}
}

var errPart = errors.New("this is no part of a manifest")

// Files gives what a part holds. Its texts share the memory of one.
func (p Part) Files() (sandbox.Manifest, error) {
	files := sandbox.Manifest{}
	for r := (rest{data: p.Data, text: string(p.Data)}); len(r.data) > 0; {
		f := sandbox.File{}
		for _, s := range texts(&f) {
			*s = r.take(r.number())
		}
		f.Mode, f.Size, f.Touched = fs.FileMode(r.number()), r.signed(), r.take(1) == "\x01"
		if r.wrong {
			return nil, errPart
		}
		files = append(files, f)
	}
	return files, nil
}

// texts are those of a file.
func texts(f *sandbox.File) []*string {
	return []*string{&f.Path, &f.Sum, &f.Link, &f.Owner, &f.Attrs}
}

// rest is what of a part was not read yet.
type rest struct {
	data  []byte
	text  string // the same
	wrong bool
}

func (r *rest) number() uint64 {
	n, size := binary.Uvarint(r.data)
	r.pass(size)
	return n
}

func (r *rest) signed() int64 {
	n, size := binary.Varint(r.data)
	r.pass(size)
	return n
}

// take gives the next n bytes as text.
func (r *rest) take(n uint64) string {
	if n == 0 {
		return ""
	}
	before := r.text
	r.pass(int(min(n, uint64(len(r.data))+1)))
	return before[:len(before)-len(r.text)]
}

// pass goes on behind n bytes, of which there is at least one where something stands.
func (r *rest) pass(n int) {
	if n <= 0 || n > len(r.data) {
		r.wrong, n = true, len(r.data)
	}
	r.data, r.text = r.data[n:], r.text[n:]
}
