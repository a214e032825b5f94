package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lookEvery is how often the memory is looked at.
const lookEvery = 200 * time.Millisecond

// memory is what was taken while something ran, in bytes.
type memory struct {
	taken   int64 // most of what the machine had available before
	cookoff int64 // most that the program had resident
	guests  int   // most processes of the program, itself not counted
}

func (m memory) String() string {
	return fmt.Sprintf("%d MiB of the machine's, %d MiB of them cookoff itself, %d processes beside it", m.taken>>20,
		m.cookoff>>20, m.guests)
}

// watchMemory looks until stop is called. It is for Linux; elsewhere all is 0. What else runs
// on the machine counts as well.
func watchMemory() (stop func() memory) {
	before := field("/proc/meminfo", "MemAvailable")
	var m memory
	end, done := make(chan struct{}), sync.WaitGroup{}
	done.Go(func() {
		for {
			if now := field("/proc/meminfo", "MemAvailable"); now > 0 {
				m.taken = max(m.taken, before-now)
			}
			own, others := family(os.Getpid())
			m.cookoff, m.guests = max(m.cookoff, own), max(m.guests, others)
			select {
			case <-end:
				return
			case <-time.After(lookEvery):
			}
		}
	})
	return func() memory {
		close(end)
		done.Wait()
		return m
	}
}

// family gives what the largest child of a process has resident, and how many
// processes that one has started that still live.
func family(of int) (resident int64, others int) {
	parents := map[int]int{}
	all, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, f := range all {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		parents[pid] = int(field(f, "PPid"))
	}
	largest := 0
	for pid, parent := range parents {
		if parent == of {
			if r := field("/proc/"+strconv.Itoa(pid)+"/status", "VmRSS"); r > resident {
				largest, resident = pid, r
			}
		}
	}
	for _, parent := range parents {
		if largest != 0 && parent == largest {
			others++
		}
	}
	return resident, others
}

// field reads a number of a file of the kernel's, in bytes where it has a unit; 0: there
// is none.
func field(path, name string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, name+":")
		if !ok {
			continue
		}
		f := strings.Fields(rest)
		if len(f) == 0 {
			return 0
		}
		n, _ := strconv.ParseInt(f[0], 10, 64)
		if len(f) > 1 {
			n <<= 10
		}
		return n
	}
	return 0
}
