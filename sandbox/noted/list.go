package noted

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// File is a file whose sum is known: the kernel's number of it and the time of its last
// change tell it from every other, changed or not.
type File struct {
	Inode   uint64
	Changed int64  // ns since 1970; the kernel's: nobody sets it
	Sum     string // see sandbox.File
	Plain   bool   // it has no extended attributes that programs can set
}

// List are such files as bytes, in the order of inodes; nil: none are known.
type List []byte

// A record is the inode, the time, whether it is plain, and 32 bytes of sum.
const (
	recordSum  = 8 + 8 + 1
	recordSize = recordSum + 32
)

// MaxList bounds the files of a list: it travels in one frame.
const MaxList = 400_000

// ListOf makes a list. Files with a sum of another form are left out, and those
// that are too many.
func ListOf(files []File) List {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Inode, b.Inode) })
	l := make(List, 0, min(len(files), MaxList)*recordSize)
	for _, f := range files {
		sum, err := hex.DecodeString(f.Sum)
		if err != nil || len(sum) != recordSize-recordSum || len(l) == MaxList*recordSize {
			continue
		}
		l = binary.BigEndian.AppendUint64(l, f.Inode)
		l = binary.BigEndian.AppendUint64(l, uint64(f.Changed))
		plain := byte(0)
		if f.Plain {
			plain = 1
		}
		l = append(append(l, plain), sum...)
	}
	return l
}

// Len is how many files there are.
func (l List) Len() int { return len(l) / recordSize }

// Find gives a file of the list, without its sum where it was changed since or is none
// of them.
func (l List) Find(inode uint64, changed int64) (f File) {
	low, high := 0, len(l)/recordSize
	for low < high {
		mid := (low + high) / 2
		if r := l[mid*recordSize:]; binary.BigEndian.Uint64(r) < inode {
			low = mid + 1
		} else {
			high = mid
		}
	}
	for ; low < len(l)/recordSize; low++ {
		r := l[low*recordSize : (low+1)*recordSize]
		if binary.BigEndian.Uint64(r) != inode {
			return File{}
		}
		if int64(binary.BigEndian.Uint64(r[8:])) == changed {
			return File{inode, changed, hex.EncodeToString(r[recordSum:]), r[recordSum-1] == 1}
		}
	}
	return File{}
}
