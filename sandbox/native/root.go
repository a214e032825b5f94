package native

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// firstUID is the first of the host's users that agents run as when cookoff
// was started by root, and uidCount how many there are of them.
const (
	firstUID = 700_000
	uidCount = 1000*64 + 1024
)

// isRoot reports whether this process is root and may be other users as well.
// The root of a namespace that holds no other (unshare -r, a rootless
// container with few users) is an ordinary user outside, and treated as one.
var isRoot = sync.OnceValue(func() bool {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" { // elsewhere whoever owns a file decides nothing in a container
		return false
	}
	for _, name := range []string{"uid_map", "gid_map"} {
		f, err := os.Open("/proc/self/" + name)
		if err != nil {
			return true
		}
		ok := mapsUsers(f)
		f.Close()
		if !ok {
			return false
		}
	}
	return true
})

// mapsUsers reads a uid_map and reports whether it holds the users of agents.
func mapsUsers(r io.Reader) bool {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var inside, outside, n int64
		if _, err := fmt.Sscan(lines.Text(), &inside, &outside, &n); err == nil && inside <= firstUID &&
			inside+n >= firstUID+uidCount {
			return true
		}
	}
	return false
}
