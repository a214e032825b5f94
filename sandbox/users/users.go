// Package users says who the processes of a world are on the host, and what to do
// where the kernel gives them no user namespace.
package users

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// ErrForbidden says that this program may make no user namespaces here.
var ErrForbidden = errors.New("making namespaces")

// First is the first of the host's users that agents run as when cookoff was
// started by root, and Count how many there are of them.
const (
	First = 700_000
	Count = 1000*64 + 1024
)

// IsRoot reports whether this process is root and may be other users as well.
// The root of a namespace that holds no other (unshare -r, a rootless
// container with few users) is an ordinary user outside, and treated as one.
var IsRoot = sync.OnceValue(func() bool {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" { // elsewhere whoever owns a file decides nothing in a container
		return false
	}
	for _, name := range []string{"uid_map", "gid_map"} {
		f, err := os.Open("/proc/self/" + name)
		if err != nil {
			return true
		}
		ok := mapsUsers(f, First, Count)
		f.Close()
		if !ok {
			return false
		}
	}
	return true
})

// mapsUsers reads a uid_map and reports whether it holds these users.
func mapsUsers(r io.Reader, first, count int64) bool {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var inside, outside, n int64
		if _, err := fmt.Sscan(lines.Text(), &inside, &outside, &n); err == nil && inside <= first &&
			inside+n >= first+count {
			return true
		}
	}
	return false
}

// Agent is the user and group on the host that the commands of one world run as.
type Agent struct{ UID, GID int }

// MakeDir makes a directory of the agent's, with those above it. One that is there
// becomes the agent's.
func (a Agent) MakeDir(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return a.Own(path)
}

// Own makes a file the agent's. No link is followed.
func (a Agent) Own(path string) error { return os.Lchown(path, a.UID, a.GID) }

// CopyOwner is who copies for a world are made for: the agent where this process may
// give files away, else -1, which is whoever makes the copy.
func (a Agent) CopyOwner() (uid, gid int) {
	if IsRoot() {
		return a.UID, a.GID
	}
	return -1, -1
}

// Kept is the owner of what is kept on the host when a world is gone: root where this
// process is root, else whoever makes the copy.
func Kept() (uid, gid int) { return Agent{}.CopyOwner() }

// Pool lends users to worlds: each world of a process started by root has one that no
// other has. The zero Pool is ready.
type Pool struct {
	mu   sync.Mutex
	lent map[int]bool
}

// Lend takes a user for one world. Other cookoff processes take theirs from other
// places of the range. Not started by root, every world has this process's user.
func (p *Pool) Lend() Agent {
	if !IsRoot() {
		return Agent{os.Getuid(), os.Getgid()}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lent == nil {
		p.lent = map[int]bool{}
	}
	uid := First + os.Getpid()%1000*64
	for p.lent[uid] {
		uid++
	}
	p.lent[uid] = true
	return Agent{uid, uid}
}

// Return gives one back. Nothing of its world may live any more.
func (p *Pool) Return(a Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.lent, a.UID)
}
