package client

import (
	"os"
	"strconv"
	"strings"
)

// kernelCounts is where Linux counts, and other kernels have nothing.
const kernelCounts = "/proc/vmstat"

// WatchMemory has the end of the guest be called a lack of memory where the
// kernel ended processes for want of it since.
func (c *Client) WatchMemory() { c.starved = starved(kernelCounts) }

// starved gives a look at whether the kernel has ended a process for want of memory
// from now on, whosever it was; nil where that can't be told.
func starved(counts string) func() bool {
	before, ok := memoryKills(counts)
	if !ok {
		return nil
	}
	return func() bool {
		now, ok := memoryKills(counts)
		return ok && now > before
	}
}

func memoryKills(counts string) (n int64, ok bool) {
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
