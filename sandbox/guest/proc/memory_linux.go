package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// resident is the memory that processes show as theirs, in bytes.
type resident struct {
	Own    int64 // nobody else's: no file's, and the tables that lead to pages
	Shared int64 // no file's either, but others may have it as well
}

// plus adds up; memory that is shared counts for each that has it.
func (r resident) plus(o resident) resident { return resident{r.Own + o.Own, r.Shared + o.Shared} }

// Account counts the memory of the world's processes, where no control group
// does.
type Account struct {
	OwnKernel    bool  // another one, whose memory as a whole is bounded
	OwnNetwork   bool  // all sockets that the kernel lists are the world's
	SocketBuffer int64 // bytes that one socket may hold of what was sent by it

	kept      kept      // what was there at the last look
	keptUntil time.Time // when the next look is due
}

// Held is what these processes hold, all there are. What the table says of them is
// cheap and too high where they share; each process's pages are looked at only where that is
// more than limit, and weighed only where that is, too.
func (a *Account) Held(all map[int]Process, limit int64) int64 {
	kept := a.keeps(all)
	sum := kept.with(total(all, Process.atMost))
	for _, of := range []func(int) resident{PagesOf, weighed} {
		if sum <= limit {
			return sum
		}
		sum = kept.with(total(all, func(p Process) resident { return of(p.Thread) }))
	}
	return sum
}

// LookAgain has the next count be of what is there then.
func (a *Account) LookAgain() { a.keptUntil = time.Time{} }

func total(all map[int]Process, of func(Process) resident) (sum resident) {
	for _, p := range all {
		sum = sum.plus(of(p))
	}
	return sum
}

// atMost is what a process holds if nothing of it is a file's or another's.
func (p Process) atMost() resident {
	if p.Thread != p.PID {
		return PagesOf(p.Thread)
	}
	r := resident{Own: p.resident}
	if p.size > muchMapped {
		r.Own += p.size / mappedByTable
	}
	return r
}

// PagesOf is the memory of a process, by a thread of it that lives. What takes longer to learn is asked for
// only where it could be much: what it shares, and the tables.
func PagesOf(pid int) resident {
	st, ok := sizesOf(pid)
	if !ok {
		return resident{}
	}
	r := resident{Own: max(0, st.resident-st.shared)}
	if st.shared > muchShared || st.size > muchMapped {
		if b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status"); err == nil {
			r.Shared = kibibytes(b, "RssShmem:")
			r.Own += kibibytes(b, "VmPTE:")
		}
	}
	return r
}

// sizes is what the kernel tells at once about a process's memory, in bytes.
type sizes struct{ size, resident, shared int64 }

func sizesOf(pid int) (st sizes, ok bool) {
	var all [256]byte
	f := bytes.Fields(all[:readShort("/proc/"+strconv.Itoa(pid)+"/statm", all[:])])
	if len(f) < 3 {
		return sizes{}, false
	}
	for i, to := range []*int64{&st.size, &st.resident, &st.shared} {
		*to = decimal(f[i]) * int64(os.Getpagesize())
	}
	return st, true
}

// muchShared is how much of what a process shares may go unseen, in bytes:
// programs and libraries alone are less, mostly. Of what is mapped, the tables
// take a 512th at most.
const (
	muchShared    = 4 << 20
	muchMapped    = 256 << 20
	mappedByTable = 512
)

// kibibytes finds a line of a name and a size in kB, and gives it in bytes.
func kibibytes(b []byte, name string) int64 {
	_, after, _ := bytes.Cut(b, []byte("\n"+name))
	f := bytes.Fields(after)
	if len(f) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(string(f[0]), 10, 64)
	return n << 10
}

// weighed is the memory of a process with shared pages divided by those that
// share them; of one that hides it, all of it.
func weighed(pid int) resident {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil || !bytes.Contains(b, []byte("\nPss_Anon:")) {
		return PagesOf(pid)
	}
	r := resident{kibibytes(b, "Pss_Anon:"), kibibytes(b, "Pss_Shmem:")}
	if b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status"); err == nil {
		r.Own += kibibytes(b, "VmPTE:")
	}
	return r
}

// kept is memory that no process need show as its own, in bytes.
type kept struct {
	shared int64 // mapped or attached by somebody, whether or not its pages are
	kernel int64 // buffers and records
}

// with adds what processes show: what they share is a part of what is shared.
func (k kept) with(r resident) int64 { return r.Own + max(r.Shared, k.shared) + k.kernel }

// keeps is what is kept, not looked at too often: it takes longer the more there is.
func (a *Account) keeps(all map[int]Process) kept {
	if a.OwnKernel {
		return kept{shared: segments()}
	}
	if now := time.Now(); now.After(a.keptUntil) {
		a.kept = a.lookKept(all)
		a.keptUntil = time.Now().Add(max(keptEvery, 4*time.Since(now)))
	}
	return a.kept
}

const keptEvery = 50 * time.Millisecond

// What records of the kernel take, in bytes, about: they differ with its version.
const (
	mappingSize    = 256
	descriptorSize = 1 << 10 // with what it leads to
	smallPipe      = 8 << 10 // all pipes of a user together may be 64 MiB larger
	semaphoreSize  = 64
	messageSize    = 64
)

func (a *Account) lookKept(all map[int]Process) (k kept) {
	sockets := map[uint64]bool{}
	mapped, pipes := map[string]int64{}, map[uint64]bool{}
	for _, p := range all {
		dir := "/proc/" + strconv.Itoa(p.Thread)
		size := p.size
		if p.Thread != p.PID {
			st, _ := sizesOf(p.Thread)
			size = st.size
		}
		if size > manyMappings {
			k.kernel += mappingSize * addMapped(mapped, dir+"/maps")
		}
		k.kernel += descriptorSize * addOpen(dir+"/fd", pipes, sockets)
	}
	k.kernel += smallPipe * int64(len(pipes))
	if a.OwnNetwork {
		sockets = nil // all there are, also those that nobody has open
	}
	k.kernel += socketBuffers(a.SocketBuffer, sockets)
	for _, f := range sysvipc("sem") {
		k.kernel += semaphoreSize * number(f, 3)
	}
	for _, f := range sysvipc("msg") {
		k.kernel += number(f, 3) + messageSize*number(f, 4)
	}
	k.shared = segments()
	for _, n := range mapped {
		k.shared += n
	}
	return k
}

// manyMappings is the size below which a process has no mappings worth counting.
const manyMappings = 16 << 20

// segments is the memory of all System V segments.
func segments() (sum int64) {
	for _, f := range sysvipc("shm") {
		sum += number(f, 14)
	}
	return sum
}

// number gives a field of a line; 0 when it is none, as in a heading.
func number(fields []string, i int) int64 {
	if i >= len(fields) {
		return 0
	}
	n, _ := strconv.ParseInt(fields[i], 10, 64)
	return n
}

// addMapped adds the mappings of memory that is shared and has no name, by the
// number that the kernel gives each: a mapping holds all pages that anybody has
// ever touched, and only how far it reaches can be seen. It gives how many
// mappings there are of whatever kind.
func addMapped(to map[string]int64, maps string) (n int64) {
	b, _ := os.ReadFile(maps)
	for line := range bytes.Lines(b) {
		n++
		if !bytes.Contains(line, []byte("/dev/zero (deleted)")) {
			continue
		}
		f := strings.Fields(string(line))
		if len(f) < 6 || !strings.HasSuffix(f[1], "s") {
			continue
		}
		from, till, _ := strings.Cut(f[0], "-")
		first, _ := strconv.ParseUint(from, 16, 64)
		last, _ := strconv.ParseUint(till, 16, 64)
		at, _ := strconv.ParseUint(f[2], 16, 64)
		to[f[4]] = max(to[f[4]], int64(at+last-first))
	}
	return n
}

// addOpen adds the pipes and sockets that a process has open, and gives how
// many descriptors it has.
func addOpen(dir string, pipes, sockets map[uint64]bool) (n int64) {
	d, err := os.Open(dir)
	if err != nil {
		return 0
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		to, _ := os.Readlink(dir + "/" + name)
		kind, rest, _ := strings.Cut(to, ":[")
		inode, _ := strconv.ParseUint(strings.TrimSuffix(rest, "]"), 10, 64)
		switch kind {
		case "pipe":
			pipes[inode] = true
		case "socket":
			sockets[inode] = true
		}
	}
	return int64(len(names))
}
