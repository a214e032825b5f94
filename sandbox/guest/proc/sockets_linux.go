package proc

import (
	"encoding/binary"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// socketBuffers is what the buffers of the world's sockets hold, in bytes; of
// these only, by inode, when there are any named. Where the kernel can't tell,
// each counts as full.
func socketBuffers(full int64, only map[uint64]bool) (sum int64) {
	if only != nil && len(only) == 0 || only == nil && noSockets(sockstat("")) {
		return 0
	}
	of := func(inode uint32, bytes int64) {
		if only == nil || only[uint64(inode)] {
			sum += bytes
		}
	}
	err := localSockets(full, of)
	for _, kind := range inetKinds {
		if err == nil && !unused(kind.name) {
			err = inetSockets(kind.family, kind.protocol, of)
		}
	}
	switch {
	case err == nil:
		return sum + netlinkQueues(only)
	case only != nil:
		return int64(len(only)) * full
	}
	return socketsUsed() * full
}

// inetKinds are the sockets of the internet, by the names that the kernel counts
// them under.
var inetKinds = []struct {
	name             string
	family, protocol uint8
}{
	{"TCP", unix.AF_INET, unix.IPPROTO_TCP}, {"UDP", unix.AF_INET, unix.IPPROTO_UDP},
	{"TCP6", unix.AF_INET6, unix.IPPROTO_TCP}, {"UDP6", unix.AF_INET6, unix.IPPROTO_UDP},
}

// unused reports whether the world certainly has no bound or connected socket of
// a kind. To list them the kernel goes through the tables of the whole machine,
// which takes a thousand times as long as to count them.
func unused(kind string) bool {
	version := ""
	if strings.HasSuffix(kind, "6") {
		version = "6"
	}
	return noneCounted(sockstat(version), kind)
}

// sockstat is what the kernel counts of the world's sockets; "" where it does not tell.
func sockstat(version string) string {
	var all [1 << 10]byte
	return string(all[:readShort("/proc/net/sockstat"+version, all[:])])
}

// noSockets reports whether a text as of /proc/net/sockstat counts no socket at all, those
// included that nobody has open any more: as in most worlds, at most looks.
func noSockets(text string) bool { return strings.HasPrefix(text, "sockets: used 0\n") }

// noneCounted reports whether a text as of /proc/net/sockstat counts none.
func noneCounted(text, kind string) bool {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] == kind+":" && f[1] == "inuse" {
			return f[2] == "0"
		}
	}
	return false
}

// socketsUsed is how many sockets the world has.
func socketsUsed() int64 {
	f := strings.Fields(sockstat(""))
	if len(f) < 3 || f[0] != "sockets:" {
		return 0
	}
	return number(f, 2)
}

// netlinkQueues is what waits in netlink sockets, which the kernel lists as text.
func netlinkQueues(only map[uint64]bool) (sum int64) {
	b, _ := os.ReadFile("/proc/net/netlink")
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 10 {
			continue
		}
		if inode, err := strconv.ParseUint(f[9], 10, 64); err == nil && (only == nil || only[inode]) {
			sum += number(f, 4)
		}
	}
	return sum
}

// What is asked of the kernel about sockets, and where it answers.
const (
	diagByFamily   = 20
	unixShowPeer   = 4
	unixShowQueue  = 0x10
	unixShowMemory = 0x20
	unixPeer       = 2
	unixQueue      = 4
	unixMemory     = 5
	unixHead       = 16
	unixInode      = 4
	inetMemory     = 7
	inetHead       = 72
	inetInode      = 68
)

// datagrams is how many the queue of a local socket takes.
const datagrams = 11

// localSockets adds the local sockets. What is sent counts for the sender; of
// one that is gone nobody tells how much it was, only how much it may have been.
func localSockets(full int64, add func(inode uint32, bytes int64)) error {
	q := make([]byte, 24)
	q[0] = unix.AF_UNIX
	binary.NativeEndian.PutUint32(q[4:], ^uint32(0))
	binary.NativeEndian.PutUint32(q[12:], unixShowPeer|unixShowQueue|unixShowMemory)
	return diag(q, unixHead, func(head []byte, attr map[uint16][]byte) {
		n := socketMemory(attr[unixMemory])
		peer, queued := word(attr[unixPeer], 0), word(attr[unixQueue], 0)
		switch kind := head[1]; {
		case head[2] == listening || queued == 0:
		case kind == unix.SOCK_DGRAM:
			n += datagrams * full
		case peer == 0:
			n += full
		}
		add(word(head, unixInode/4), n)
	})
}

// listening is the state of a socket whose queue is of connections.
const listening = 10

func inetSockets(family, protocol uint8, add func(inode uint32, bytes int64)) error {
	q := make([]byte, 56)
	q[0], q[1], q[2] = family, protocol, 1<<(inetMemory-1)
	binary.NativeEndian.PutUint32(q[4:], ^uint32(0))
	return diag(q, inetHead, func(head []byte, attr map[uint16][]byte) {
		add(word(head, inetInode/4), socketMemory(attr[inetMemory]))
	})
}

// socketMemory adds what a socket's own account holds: received, sent or about
// to be, taken ahead, of options, and waiting for its turn.
func socketMemory(b []byte) int64 {
	sent := max(word(b, 2), word(b, 5))
	return int64(word(b, 0)) + int64(sent) + int64(word(b, 4)) + int64(word(b, 6)) + int64(word(b, 7))
}

// word is the i-th number of 32 bits; 0 when there are fewer.
func word(b []byte, i int) uint32 {
	if len(b) < 4*i+4 {
		return 0
	}
	return binary.NativeEndian.Uint32(b[4*i:])
}

// diag asks the kernel for all sockets of a kind, and hands on each: the head
// of what it says and the attributes after that.
func diag(question []byte, head int, each func(head []byte, attr map[uint16][]byte)) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	q := make([]byte, unix.NLMSG_HDRLEN, unix.NLMSG_HDRLEN+len(question))
	binary.NativeEndian.PutUint32(q, uint32(cap(q)))
	binary.NativeEndian.PutUint16(q[4:], diagByFamily)
	binary.NativeEndian.PutUint16(q[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	if err := unix.Sendto(fd, append(q, question...), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	b := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(fd, b, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		for rest := b[:n]; len(rest) >= unix.NLMSG_HDRLEN; {
			size := int(word(rest, 0))
			if size < unix.NLMSG_HDRLEN || size > len(rest) {
				return unix.EBADMSG
			}
			body := rest[unix.NLMSG_HDRLEN:size]
			switch kind := binary.NativeEndian.Uint16(rest[4:]); {
			case kind == unix.NLMSG_DONE:
				return nil
			case kind == unix.NLMSG_ERROR:
				return unix.Errno(-int32(word(body, 0)))
			case len(body) >= head:
				each(body[:head], attributes(body[head:]))
			}
			rest = rest[min(len(rest), (size+3)&^3):]
		}
	}
}

func attributes(b []byte) map[uint16][]byte {
	all := map[uint16][]byte{}
	for len(b) >= unix.SizeofRtAttr {
		size := int(binary.NativeEndian.Uint16(b))
		if size < unix.SizeofRtAttr || size > len(b) {
			break
		}
		all[binary.NativeEndian.Uint16(b[2:])] = b[unix.SizeofRtAttr:size]
		b = b[min(len(b), (size+3)&^3):]
	}
	return all
}
