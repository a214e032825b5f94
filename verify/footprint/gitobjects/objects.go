// Package gitobjects reads what git keeps: loose objects, packs, and the names in them, of a repository that may be
// anything.
package gitobjects

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" // #nosec: git names objects so
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"path"
	"slices"
	"strings"
)

// Loose inflates a loose object; its kind is "" where that is none.
func Loose(data []byte) (kind string, body []byte) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", nil
	}
	all, _ := io.ReadAll(io.LimitReader(z, MaxSize))
	head, body, _ := bytes.Cut(all, []byte{0})
	kind, _, _ = strings.Cut(string(head), " ")
	return kind, body
}

// Entries are the names of the objects that a tree lists; size is that of a name in bytes.
func Entries(body []byte, size int) (names []string) {
	for {
		_, rest, ok := bytes.Cut(body, []byte{0})
		if !ok || len(rest) < size {
			return names
		}
		names, body = append(names, hex.EncodeToString(rest[:size])), rest[size:]
	}
}

// Named are the objects that the head of a commit or tag names.
func Named(body []byte) (names []string) {
	head, _, _ := strings.Cut(string(body), "\n\n")
	for line := range strings.Lines(head) {
		word, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "tree" || word == "parent" || word == "object" {
			names = append(names, name)
		}
	}
	return names
}

// NameOf is the name of the object in a loose file; "" in another.
func NameOf(inside string) string {
	dir, name := path.Split(strings.TrimPrefix(inside, "objects/"))
	if len(dir) != 3 {
		return ""
	}
	return dir[:2] + name
}

// MaxSize bounds the bytes of an object that is looked into.
const MaxSize = 1 << 20

// maxObject bounds the bytes that an object may inflate to.
const maxObject = 64 << 20

// Sound reports whether a loose object is what its name says.
func Sound(data []byte, name string) bool {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return false
	}
	content, err := io.ReadAll(io.LimitReader(z, maxObject))
	if err != nil {
		return false
	}
	if len(name) == 2*sha256.Size {
		sum := sha256.Sum256(content)
		return hex.EncodeToString(sum[:]) == name
	}
	sum := sha1.Sum(content) // #nosec: git names objects so
	return hex.EncodeToString(sum[:]) == name
}

// Packed gives the names of the objects of a pack, from its index of version 2.
func Packed(idx []byte) (names []string, ok bool) {
	const table = 8
	const head = table + 256*4
	if len(idx) < head || !bytes.HasPrefix(idx, []byte("\xfftOc\x00\x00\x00\x02")) {
		return nil, false
	}
	n := int(binary.BigEndian.Uint32(idx[head-4 : head]))
	for _, size := range []int{sha1.Size, sha256.Size} {
		if n < 0 || len(idx) < head+n*(size+8)+2*size {
			return nil, false
		}
		names, ok = make([]string, 0, n), true
		for i := range n {
			name := idx[head+i*size : head+(i+1)*size]
			upTo := table + 4*int(name[0])
			if int(binary.BigEndian.Uint32(idx[upTo:upTo+4])) <= i {
				ok = false // names of another length: the table says that this one comes earlier
				break
			}
			names = append(names, hex.EncodeToString(name))
		}
		if ok && slices.IsSorted(names) {
			return names, true
		}
	}
	return nil, false
}
