// Package tree moves directories to another machine: each file travels once,
// whatever it is called and how many trees have it.
package tree

import (
	"cookoff/sandbox/noted"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Entry is a file, directory or symbolic link of a tree. Anything else is left out.
type Entry struct {
	Path string // relative to the top; "." is that itself
	Mode fs.FileMode
	Size int64  `json:",omitempty"` // of a regular file, bytes
	Time int64  `json:",omitempty"` // of the last change, nanoseconds
	Link string `json:",omitempty"` // target of a symbolic link
	Sum  string `json:",omitempty"` // SHA-256 of a regular file
	Attr string `json:",omitempty"` // its noted sum
}

// List is a tree, directories before what is in them.
type List []Entry

// Read lists what is at path, which may be a file, and sums its files.
func Read(path string) (List, error) {
	var out List
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(path, at)
		if err != nil {
			return err
		}
		e, ok, err := entry(at, rel)
		if ok && err == nil {
			out = append(out, e)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading what a host is to have: %w", err)
	}
	return out, nil
}

// entry describes one; ok is false for what is left out.
func entry(at, rel string) (e Entry, ok bool, err error) {
	st, err := os.Lstat(at)
	if err == nil && rel == "." {
		st, err = os.Stat(at) // the top may be reached by a link
	}
	if err != nil {
		return e, false, err
	}
	e = Entry{Path: rel, Mode: st.Mode(), Time: st.ModTime().UnixNano()}
	switch {
	case st.IsDir():
		return e, true, nil
	case st.Mode()&fs.ModeSymlink != 0:
		e.Link, err = os.Readlink(at)
		return e, true, err
	case !st.Mode().IsRegular():
		return e, false, nil
	}
	e.Sum, e.Size, err = sumOf(at)
	e.Attr = noted.Of(at)
	return e, true, err
}

func sumOf(path string) (sum string, n int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	if n, err = io.Copy(h, f); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}

// Digest names the tree: equal where everything in it is.
func (l List) Digest() string {
	h := sha256.New()
	for _, e := range l {
		fmt.Fprintf(h, "%q %v %d %d %q %s %q\n", e.Path, e.Mode, e.Size, e.Time, e.Link, e.Sum, e.Attr)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Size is what its files have together, in bytes.
func (l List) Size() (n int64) {
	for _, e := range l {
		n += e.Size
	}
	return n
}

// when is the time of the last change.
func (e Entry) when() time.Time { return time.Unix(0, e.Time) }
