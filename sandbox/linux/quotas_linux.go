package linux

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// userQuotas is where the kernel tells how much of some things a user may have.
const userQuotas = "/proc/sys/user"

// quotaShare is the part of a user's quota that one world may take: all worlds
// count for whoever started cookoff, also where each has a user of its own.
const quotaShare = 8

// Quotas gives the share of one world. A kernel may be without one of them.
func Quotas() map[string]int64 {
	shares := map[string]int64{}
	for _, name := range []string{"max_inotify_instances", "max_inotify_watches"} {
		b, err := os.ReadFile(filepath.Join(userQuotas, name))
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil {
			shares[name] = max(1, n/quotaShare)
		}
	}
	return shares
}
