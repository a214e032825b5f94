package native

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// mounted is a line of /proc/self/mountinfo.
type mounted struct {
	dev  string // which file system, as major:minor
	root string // what of it is shown
	at   string // where
	kind string // ext4, overlay, …
}

// parseMounts reads a mountinfo. Where one mount hides another at the same
// place, the later line is the one to be seen.
func parseMounts(r io.Reader) ([]mounted, error) {
	var all []mounted
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // the options of an overlay can be long
	for lines.Scan() {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		f, behind := strings.Fields(before), strings.Fields(after)
		if !ok || len(f) < 6 || len(behind) < 1 || !path.IsAbs(f[4]) {
			return nil, fmt.Errorf("reading the mounts: a line that can't be understood: %.200q", lines.Text())
		}
		all = append(all, mounted{dev: f[2], root: unescape(f[3]), at: path.Clean(unescape(f[4])), kind: behind[0]})
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

// below reports whether p is dir or lies in it.
func below(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}

// aliases gives every place at which the mounts show what is at p: p itself,
// and others where the same file system is mounted again.
func aliases(mounts []mounted, p string) []string {
	out := []string{p}
	var holder mounted
	for _, m := range mounts {
		if below(p, m.at) && len(m.at) >= len(holder.at) {
			holder = m
		}
	}
	if holder.at == "" {
		return out
	}
	inside := path.Join(holder.root, strings.TrimPrefix(p, holder.at)) // where it lies in its file system
	for _, m := range mounts {
		if m.dev != holder.dev {
			continue
		}
		other := ""
		switch {
		case below(inside, m.root):
			other = path.Join(m.at, strings.TrimPrefix(inside, m.root))
		case below(m.root, inside): // a part of it, mounted by itself
			other = m.at
		}
		if other != "" && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}

// isKernels reports whether a kind of file system is an interface to the
// kernel or to its drivers: not files, and nothing that anybody misses.
func isKernels(kind string) bool {
	return slices.Contains([]string{
		"proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "securityfs", "selinuxfs", "smackfs", "debugfs", "tracefs", "configfs", "fusectl", "mqueue",
		"hugetlbfs", "bpf", "pstore", "efivarfs", "autofs", "binfmt_misc", "rpc_pipefs", "nsfs", "nfsd", "resctrl", "functionfs", "binder",
	}, kind)
}

// isLocal reports whether the files of such a file system are on this machine,
// so that looking at them can't wait for somebody else.
func isLocal(kind string) bool {
	return slices.Contains([]string{
		"ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "f2fs", "zfs", "jfs", "nilfs2", "reiserfs", "tmpfs", "ramfs", "rootfs", "overlay", "squashfs", "erofs",
		"iso9660", "udf", "vfat", "exfat", "msdos", "ntfs3", "hfsplus", "ubifs", "virtiofs",
	}, kind)
}
