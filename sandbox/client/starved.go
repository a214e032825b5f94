package client

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"cookoff/sandbox"
)

// kernelCounts is where Linux counts, and other kernels have nothing.
const kernelCounts = "/proc/vmstat"

// counts are how often memory was short, as the kernel says.
type counts struct {
	by     source
	killed int64 // processes that it ended: of the world's control group, or of this machine
	limit  int64 // how often the world reached its own limit, where its control group says so
}

// source is where counts are from: only those of one can be compared.
type source int

const (
	nowhere source = iota
	byGroup        // exactly the world's
	byMachine
)

// memory tells whose doing a lack of memory is with which a guest goes. Its zero value
// knows nothing.
type memory struct {
	kernel string                  // the file of the machine's counts; "": none
	group  func() map[string]int64 // of the world's control group; nil: none bounds it
	last   counts                  // when the guest was heard last
	full   bool                    // the last command heard of was ended for the world's own limit
}

// WatchMemory has the end of the guest be called a lack of memory where the kernel ended
// processes for want of it since the guest was heard last. events gives the counters of the
// world's control group (memory.events), nil where there is none.
func (x *exchange) WatchMemory(events func() map[string]int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.memory = memory{kernel: kernelCounts, group: events}
	x.memory.noteAlive(false)
}

// noteAlive notes that the guest lives.
func (m *memory) noteAlive(full bool) {
	m.last, m.full = m.now(), full
}

// now gives the counts of the control group where those can be had.
func (m *memory) now() counts {
	if m.group != nil {
		if all := m.group(); len(all) > 0 {
			return counts{byGroup, all["oom_kill"], all["oom"]}
		}
	}
	if n, ok := memoryKills(m.kernel); ok {
		return counts{by: byMachine, killed: n}
	}
	return counts{}
}

// explain says of a guest that has gone whether memory was short, and whose: a
// sandbox.ErrShort is the machine's.
func (m *memory) explain(gone error) error {
	now := m.now()
	killed := now.by == m.last.by && now.killed > m.last.killed
	switch {
	case now.by == m.last.by && now.limit > m.last.limit, killed && now.by == byMachine && m.full:
		return fmt.Errorf("%w: its processes had reached the sandbox's own limit of memory", gone)
	case killed:
		return fmt.Errorf("%w and ended processes: %w\n"+
			"hint: fewer trials at once (--parallel), or less memory for each (limits)",
			sandbox.ErrShort, gone)
	}
	return gone
}

// errGone is that of a guest that said nothing as it went.
var errGone = errors.New("the guest is gone")

func memoryKills(counts string) (n int64, ok bool) {
	if counts == "" {
		return 0, false
	}
	text, err := os.ReadFile(counts)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == "oom_kill" {
			n, err = strconv.ParseInt(value, 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
