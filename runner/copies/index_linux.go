package copies

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"cookoff/internal/temporary"
)

// seen is what tells one state of a file from another without reading it. The time of
// change is the kernel's: nobody sets it.
type seen struct {
	Dev, Ino     uint64
	Mode         uint32
	Size         int64
	Mtime, Ctime int64 // ns
}

func seenOf(st *unix.Stat_t) seen {
	return seen{uint64(st.Dev), st.Ino, st.Mode, st.Size, st.Mtim.Nano(), st.Ctim.Nano()}
}

func (s seen) kind() uint32 { return s.Mode & unix.S_IFMT }

// entry is a file of a project and of its copy.
type entry struct {
	Path   string
	Source seen
	Copy   seen   // zero: not made yet
	Link   string // of a symbolic link
	Sure   bool   // it could not have been changed unseen in the moment when it was copied
}

// index is what a copy was made of.
type index struct {
	Made    string // names this content among all that the copy ever had
	Boot    string // since when the machine runs: what it had not written is lost with it
	Entries []entry
}

// indexMagic changes with the format.
const indexMagic = "cookoff copy 1\n"

// write stores the index: a mark of its format, then for each file what stat said, in
// varints.
func (x *index) write(path string) error {
	var b bytes.Buffer
	b.WriteString(indexMagic)
	text := func(s string) {
		b.Write(binary.AppendUvarint(nil, uint64(len(s))))
		b.WriteString(s)
	}
	number := func(n uint64) { b.Write(binary.AppendUvarint(nil, n)) }
	one := func(s seen) {
		for _, n := range []uint64{s.Dev, s.Ino, uint64(s.Mode), uint64(s.Size), uint64(s.Mtime), uint64(s.Ctime)} {
			number(n)
		}
	}
	text(x.Made)
	text(x.Boot)
	number(uint64(len(x.Entries)))
	for _, e := range x.Entries {
		text(e.Path)
		one(e.Source)
		one(e.Copy)
		text(e.Link)
		sure := uint64(0)
		if e.Sure {
			sure = 1
		}
		number(sure)
	}
	half, err := temporary.File(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(half.Name()) // gone after the rename
	_, err = half.Write(b.Bytes())
	if err = errors.Join(err, half.Close()); err != nil {
		return err
	}
	return os.Rename(half.Name(), path)
}

// errIndex is what is wrong with an index that is none.
var errIndex = errors.New("it is no index of a copy")

// readIndex reads an index that write stored; its error wraps errIndex where the file is
// none.
func readIndex(path string) (*index, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(text, []byte(indexMagic))
	if !ok {
		return nil, errIndex
	}
	d := decoder{in: bufio.NewReader(bytes.NewReader(rest)), most: uint64(len(rest))}
	x := &index{Made: d.text(), Boot: d.text()}
	n := d.number()
	if d.err != nil || n > d.most {
		return nil, errors.Join(errIndex, d.err)
	}
	x.Entries = make([]entry, n)
	for i := range x.Entries {
		x.Entries[i] = entry{Path: d.text(), Source: d.one(), Copy: d.one(), Link: d.text(), Sure: d.number() == 1}
	}
	if _, err := d.in.ReadByte(); d.err != nil || err != io.EOF {
		return nil, errors.Join(errIndex, d.err)
	}
	return x, nil
}

// decoder reads an index until something is wrong with it.
type decoder struct {
	in   *bufio.Reader
	most uint64 // bytes that a text may have
	err  error
}

func (d *decoder) number() (n uint64) {
	if d.err == nil {
		n, d.err = binary.ReadUvarint(d.in)
	}
	return n
}

func (d *decoder) text() string {
	n := d.number()
	if n > d.most {
		d.err = fmt.Errorf("a text of %d bytes", n)
	}
	if d.err != nil {
		return ""
	}
	b := make([]byte, n)
	_, d.err = io.ReadFull(d.in, b)
	return string(b)
}

func (d *decoder) one() seen {
	return seen{d.number(), d.number(), uint32(d.number()), int64(d.number()), int64(d.number()), int64(d.number())}
}
