package trees

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// Mounted is a line of /proc/self/mountinfo.
type Mounted struct {
	dev  string // which file system, as major:minor
	root string // what of it is shown
	At   string // where
	Kind string // ext4, overlay, …
}

// ParseMounts reads a mountinfo. Where one mount hides another at the same
// place, the later line is the one to be seen.
func ParseMounts(r io.Reader) ([]Mounted, error) {
	var all []Mounted
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // the options of an overlay can be long
	for lines.Scan() {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		f, behind := strings.Fields(before), strings.Fields(after)
		if !ok || len(f) < 6 || len(behind) < 1 || !path.IsAbs(f[4]) {
			return nil, fmt.Errorf("reading the mounts: a line that can't be understood: %.200q", lines.Text())
		}
		all = append(all, Mounted{dev: f[2], root: unescape(f[3]), At: path.Clean(unescape(f[4])), Kind: behind[0]})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the mounts: %w", err)
	}
	return all, nil
}

// unescape undoes what the kernel does to spaces, tabs, line feeds and
// backslashes.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// Below reports whether p is dir or lies in it.
func Below(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}

// Aliases gives every place at which the mounts show what is at p: p itself,
// and others where the same file system is mounted again.
func Aliases(mounts []Mounted, p string) []string {
	out := []string{p}
	var holder Mounted
	for _, m := range mounts {
		if Below(p, m.At) && len(m.At) >= len(holder.At) {
			holder = m
		}
	}
	if holder.At == "" {
		return out
	}
	inside := path.Join(holder.root, strings.TrimPrefix(p, holder.At)) // where it lies in its file system
	for _, m := range mounts {
		if m.dev != holder.dev {
			continue
		}
		other := ""
		switch {
		case Below(inside, m.root):
			other = path.Join(m.At, strings.TrimPrefix(inside, m.root))
		case Below(m.root, inside): // a part of it, mounted by itself
			other = m.At
		}
		if other != "" && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}

// IsKernels reports whether a kind of file system is an interface to the
// kernel or to its drivers: not files, and nothing that anybody misses.
func IsKernels(kind string) bool {
	return slices.Contains([]string{
		"proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "securityfs", "selinuxfs", "smackfs", "debugfs",
		"tracefs", "configfs", "fusectl", "mqueue",
		"hugetlbfs", "bpf", "pstore", "efivarfs", "autofs", "binfmt_misc", "rpc_pipefs", "nsfs", "nfsd", "resctrl",
		"functionfs", "binder",
	}, kind)
}

// IsLocal reports whether the files of such a file system are on this machine,
// so that looking at them can't wait for somebody else.
func IsLocal(kind string) bool {
	return slices.Contains([]string{
		"ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "f2fs", "zfs", "jfs", "nilfs2", "reiserfs",
		"tmpfs", "ramfs", "rootfs", "overlay", "squashfs", "erofs",
		"iso9660", "udf", "vfat", "exfat", "msdos", "ntfs3", "hfsplus", "ubifs", "virtiofs",
	}, kind)
}
