package guest

import (
	"bytes"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// slim gives back what waiting does not need: free pages of the heap, and the
// pages of the program's file, of which those that are used again come back
// from the page cache. A guest mostly waits, and there are many of them.
func slim() {
	runtime.GC() // not runtime/debug: what it needs is initialised before a sandbox starts (decision 18)
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return // it stays as it is
	}
	var start, end uint64
	for line := range bytes.Lines(maps) {
		if from, to, ok := unwritten(line); ok {
			start, end = from, to
		}
		if bytes.HasPrefix(line, []byte("Anonymous:")) && bytes.HasSuffix(line, []byte(" 0 kB\n")) && end > start {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(start), uintptr(end-start), unix.MADV_DONTNEED)
		}
	}
}

// unwritten reads the first line of a mapping. The range is empty unless it is
// one of a file that can't be written.
func unwritten(line []byte) (from, to uint64, ok bool) {
	f := bytes.Fields(line)
	if len(f) < 5 || len(f[1]) != 4 {
		return 0, 0, false
	}
	a, b, _ := bytes.Cut(f[0], []byte("-"))
	from, err1 := strconv.ParseUint(string(a), 16, 64)
	to, err2 := strconv.ParseUint(string(b), 16, 64)
	if err1 != nil || err2 != nil {
		return 0, 0, false
	}
	if f[1][1] == 'w' || len(f) < 6 || f[5][0] != '/' {
		return 0, 0, true
	}
	return from, to, true
}
