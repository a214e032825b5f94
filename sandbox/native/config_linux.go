package native

import (
	"os"
	"strconv"
	"strings"

	"cookoff/sandbox/linux"
	"cookoff/sandbox/plan"
)

// apart are the directories in a world's own root that are no part of it.
func apart(p plan.Plan) []string { return linux.Apart(p) }

// socketBuffer is how much a socket may hold of what was sent by it, in bytes:
// the kernel doubles what is asked for.
func socketBuffer() int64 {
	const usual = 212992
	b, err := os.ReadFile("/proc/sys/net/core/wmem_max")
	if err != nil {
		return 2 * usual
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return 2 * max(n, usual)
}
