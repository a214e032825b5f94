package native

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// overlay stacks layers, and writes to a fresh one.
type overlay struct{ nothingElse }

// layered is the mode of worlds that have layers.
func layered(spec sandbox.Spec) fileMode {
	if spec.Filesystem == sandbox.Unrestricted {
		return &wholeHost{}
	}
	return overlay{}
}

func (overlay) copied() bool { return false }

// below are the layers that the world started with.
func (overlay) below(w *world, _ stratum) ([]stratum, error) { return w.lower, nil }

// open plans what project and home rest on, and the mounts that the set-up
// finds open.
func (overlay) open(w *world, p *plan.Plan, spec sandbox.Spec) ([]*os.File, error) {
	l := layers{w: w}
	if w.b.testOnlyOff.Has(plan.HiddenFiles) {
		spec.Hidden = nil
	}
	if len(spec.Hidden) > 0 {
		if err := w.mask(spec.Hidden); err != nil {
			return nil, fmt.Errorf("hiding files: %w", err)
		}
	}
	l.project(p, len(spec.Hidden) > 0)
	l.caches(p, spec)
	l.uppers(*p)
	return l.open, l.err
}

// caches stacks what build caches rest on: what was kept for the task, and the library
// of Go, where its programs are this machine's.
func (l *layers) caches(p *plan.Plan, spec sandbox.Spec) {
	library := l.w.b.opt.GoCache
	if spec.Root.Dir != "" {
		library = ""
	}
	if library == "" && spec.Caches == "" {
		return
	}
	p.Caches = &plan.Tree{Upper: plan.TopCaches, Scratch: "kc"}
	l.add(p.Caches, spec.Caches)
	l.add(p.Caches, library)
}

// project stacks what project and home rest on: in one overlay where every
// stratum holds both, since that is the dearest part of opening a sandbox.
func (l *layers) project(p *plan.Plan, masked bool) {
	lower := l.w.lower
	if masked {
		mask := filepath.Join(l.w.dir, maskDir)
		lower = append([]stratum{{work: filepath.Join(mask, plan.TopWork), both: mask}}, lower...)
	}
	if !slices.ContainsFunc(lower, func(s stratum) bool { return s.both == "" }) {
		p.Both = &plan.Tree{Upper: plan.TopDir, Scratch: "k"}
		for _, s := range lower {
			l.add(p.Both, s.both)
		}
		return
	}
	for _, s := range lower {
		l.add(&p.Work, s.work)
		l.add(&p.Home, s.home)
		if p.Rest != nil {
			l.add(&p.Rest.Tree, s.rest)
		}
	}
}

// uppers makes the directories that take the writes, and those that the kernel
// needs beside them.
func (l *layers) uppers(p plan.Plan) {
	owned, other := []string{plan.TopDir, p.Work.Upper, p.Home.Upper}, []string{p.Work.Scratch, p.Home.Scratch}
	if p.Both != nil {
		other = []string{p.Both.Scratch}
	}
	if p.Caches != nil {
		owned, other = append(owned, p.Caches.Upper), append(other, p.Caches.Scratch)
	}
	if p.Rest != nil {
		other = append(other, p.Rest.Scratch)
	}
	for _, d := range owned {
		if l.err == nil {
			l.err = l.w.ownDir(filepath.Join(l.w.dir, d))
		}
	}
	for _, d := range other {
		if l.err == nil {
			l.err = os.Mkdir(filepath.Join(l.w.dir, d), 0o700)
		}
		if l.err == nil && l.w.super {
			l.err = os.Lchown(filepath.Join(l.w.dir, d), l.w.uid, l.w.gid())
		}
	}
	if p.Rest != nil && l.err == nil {
		l.err = l.w.ownPlaces(p.Rest)
	}
}

// show opens, for root, what is mounted read-only: the set-up, which is no
// longer root of the host, may not reach it. What the caller wants to show is
// shown as the agent's own where the file system can say so, since only the
// caller may be allowed to read it. What is open already stands before it.
func (w *world) show(p *plan.Plan, open []*os.File) []*os.File {
	if !isRoot() {
		return open
	}
	for i := range p.Mounts {
		m := &p.Mounts[i]
		var st unix.Stat_t
		if unix.Stat(m.Path, &st) != nil {
			continue // the set-up says it
		}
		var f *os.File
		if m.Own && int(st.Uid) != w.uid {
			f, _ = w.b.mapped(m.Path, idmap{from: int(st.Uid), to: w.uid})
		}
		if f == nil {
			var err error
			if f, err = opened(m.Path, unix.AT_RECURSIVE); err != nil {
				continue
			}
		}
		m.FD, m.Dir = plan.LayerFD+len(open), st.Mode&unix.S_IFMT == unix.S_IFDIR
		open = append(open, f)
	}
	return open
}

// opened opens a mount of a place, which needs no way there any more.
func opened(path string, more uint) (*os.File, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|more)
	if err != nil {
		return nil, fmt.Errorf("opening a layer: %w", err)
	}
	return os.NewFile(uintptr(fd), "mount"), nil
}

// layers collects the lower layers of trees.
type layers struct {
	w    *world
	open []*os.File
	err  error
}

// add puts dir below t. A directory of another user than the agent is shown
// as the agent's own by a mount that maps the one to the other.
func (l *layers) add(t *plan.Tree, dir string) {
	if dir == "" || l.err != nil {
		return
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		l.err = fmt.Errorf("opening a layer: %w", err)
		return
	}
	if !isRoot() || int(st.Uid) == l.w.uid && !l.w.super {
		t.Lower = append(t.Lower, plan.Layer{Path: dir})
		return
	}
	open := func() (*os.File, error) { return l.w.b.mapped(dir, idmap{from: int(st.Uid), to: l.w.uid}) }
	if int(st.Uid) == l.w.uid {
		open = func() (*os.File, error) { return opened(dir, 0) }
	}
	f, err := open()
	if err != nil {
		l.err = err
		return
	}
	t.Lower = append(t.Lower, plan.Layer{Path: dir, FD: plan.LayerFD + len(l.open)})
	l.open = append(l.open, f)
}

// mapped opens a mount of dir on which one user's files are another's.
func (b *backend) mapped(dir string, m idmap) (*os.File, error) {
	ns, err := b.userNamespace(m)
	if err != nil {
		return nil, err
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("opening a layer: %w", err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP | unix.MOUNT_ATTR_RDONLY, Userns_fd: uint64(ns.Fd())}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("%w: %w", errMapped, err)
	}
	return os.NewFile(uintptr(fd), "layer"), nil
}

// userNamespace gives a user namespace that says m, made once.
func (b *backend) userNamespace(m idmap) (*os.File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.host.idmaps[m]; f != nil {
		return f, nil
	}
	ids := []syscall.SysProcIDMap{{ContainerID: m.from, HostID: m.to, Size: 1}}
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{plan.IdmapName}, Env: []string{}, Dir: "/",
		SysProcAttr: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids,
			Pdeathsig: unix.SIGKILL},
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, explainStart(err)
	}
	f, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", cmd.Process.Pid))
	in.Close()
	_ = cmd.Wait()
	if err != nil {
		return nil, fmt.Errorf("mapping users: %w", err)
	}
	if b.host.idmaps == nil {
		b.host.idmaps = map[idmap]*os.File{}
	}
	b.host.idmaps[m] = f
	return f, nil
}
