package whole

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
)

// written gives where, on the host, what the world writes at path goes, with
// the directory of the host that this stands for; "": nothing is there yet.
func (p *planner) written(path string) (top, string) {
	for link, target := range p.links {
		if trees.Below(path, link) {
			path = filepath.Join(target, strings.TrimPrefix(path, link))
		}
	}
	var best top
	for _, t := range p.tops {
		if trees.Below(path, t.at) && len(t.at) > len(best.at) {
			best = t
		}
	}
	return best, path
}

// point makes sure that the world has a real directory at path, or one that a
// file can be put in, whatever the host has on the way: the set-up follows no
// link out of it. It gives where it lies; "": the set-up makes it.
func (p *planner) point(path string) string {
	t, path := p.written(path)
	if t.at == "" || p.err != nil {
		return ""
	}
	dir, on := t.dir, t.at
	p.pass(dir, on)
	for part := range strings.SplitSeq(strings.Trim(strings.TrimPrefix(path, t.at), "/"), "/") {
		if part == "" {
			break
		}
		dir, on = filepath.Join(dir, part), filepath.Join(on, part)
		if st, err := os.Lstat(dir); err == nil && st.IsDir() {
			p.pass(dir, on)
			continue
		} else if err == nil {
			p.keep(os.Remove(dir))
		}
		p.keep(os.Mkdir(dir, 0o755))
		var st unix.Stat_t
		switch {
		case unix.Lstat(on, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR || replaced(on):
			p.keep(os.Chmod(dir, 0o755))
		case !enters(on, &st), slices.Contains(p.concealed,
			on): // the way to something that is shown: nothing else of it is
			if err := unix.Lsetxattr(dir, "user.overlay.opaque", []byte("y"), 0); err != nil {
				p.keep(fmt.Errorf("the directory for temporary files takes no user attributes: %w\n"+
					"hint: set TMPDIR to one on ext4, xfs or btrfs", err))
			}
			p.keep(os.Chmod(dir, 0o755))
		default:
			// who may pass may look: the guest measures what lies there
			if st.Mode |= 0o444 & (st.Mode << 2); users.IsRoot() {
				p.keep(os.Lchown(dir, int(st.Uid), int(st.Gid)))
			}
			p.keep(unix.Chmod(dir, st.Mode&0o1777))
		}
	}
	return dir
}

// pass lets the agent through a directory of the world that stands for one of
// the host's that it can't enter, and is empty: there is something in it now
// that is meant to be seen.
func (p *planner) pass(dir, on string) {
	var st unix.Stat_t
	if unix.Lstat(on, &st) == nil && !enters(on, &st) {
		p.keep(os.Chmod(dir, 0o755))
	}
}

// whiteouts takes away what is concealed in overlays.
func (p *planner) whiteouts() {
	for _, c := range p.concealed {
		t, _ := p.written(c)
		if t.at == "" || t.at == c || t.new {
			continue // it was left out
		}
		if slices.ContainsFunc(p.concealed, func(other string) bool { return other != c && trees.Below(c, other) }) {
			continue // it goes with that
		}
		if _, err := os.Lstat(c); err != nil {
			continue
		}
		if p.passes(filepath.Dir(c), t.at) {
			p.whiteout(c)
		}
	}
}

// passes reports whether the agent gets to a directory, from one that it gets
// to. Where it does not, there is nothing to conceal.
func (p *planner) passes(dir, from string) bool {
	for ; dir != from; dir = filepath.Dir(dir) {
		var st unix.Stat_t
		if unix.Lstat(dir, &st) != nil || !enters(dir, &st) {
			return false
		}
	}
	return true
}

func (p *planner) whiteout(path string) {
	dir := p.point(filepath.Dir(path))
	if dir == "" {
		return
	}
	if err := unix.Mknod(filepath.Join(dir, filepath.Base(path)), unix.S_IFCHR, 0); err != nil && !errors.Is(err,
		unix.EEXIST) {
		p.keep(fmt.Errorf("concealing %s: %w", path, err))
	}
}

// own makes what the world has of its own: the places for its mounts, and the
// files that say who the agent is.
func (p *planner) own(pl plan.Plan) {
	for _, dir := range []string{sandbox.HomeDir, "/var/tmp"} {
		p.point(dir)
	}
	if pl.Caches != nil {
		p.point(plan.CacheDir)
	}
	for _, m := range pl.Mounts {
		p.point(filepath.Dir(m.Target))
		if st, err := os.Stat(m.Path); err == nil && st.IsDir() {
			p.point(m.Target)
		} else if err == nil {
			p.put(m.Target, nil, true)
		}
	}
	if home, err := os.UserHomeDir(); err == nil && !users.IsRoot() {
		p.point(filepath.Dir(home)) // it is not the user's, and so could not become so
	}
	for name, text := range wholeEtc(pl) {
		p.put("/etc/"+name, []byte(text), false)
	}
}

// put makes a file.
func (p *planner) put(path string, text []byte, keep bool) {
	dir := p.point(filepath.Dir(path))
	if dir == "" || p.err != nil {
		return
	}
	at := filepath.Join(dir, filepath.Base(path))
	if st, err := os.Lstat(at); err == nil && keep && st.Mode().IsRegular() {
		return
	}
	p.keep(trees.Remove(at))
	p.keep(os.WriteFile(at, text, 0o644))
	p.keep(os.Chmod(at, 0o644))
}
