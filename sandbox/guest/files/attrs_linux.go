package files

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
)

// maxAttrs bounds the extended attributes of one file, in bytes: the kernel's
// own bound of one.
const maxAttrs = 64 << 10

// attrs describes the extended attributes of an entry, see Attrs.
func attrs(dir int, name string, mode fs.FileMode) string {
	return Attrs("/proc/self/fd/"+strconv.Itoa(dir)+"/"+name, mode)
}

// Attrs describes the extended attributes of a file that programs of the world
// can set: their names with a sum of what they say. It is "" where there
// are none, and for links and devices, which can have none.
func Attrs(file string, mode fs.FileMode) string {
	if !mode.IsRegular() && !mode.IsDir() {
		return ""
	}
	buf := make([]byte, 4<<10)
	n, err := unix.Llistxattr(file, buf)
	if err == unix.ERANGE {
		buf = make([]byte, maxAttrs)
		n, err = unix.Llistxattr(file, buf)
	}
	if err != nil || n == 0 {
		return ""
	}
	var out []string
	for _, attr := range strings.Split(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00") {
		if !settable(attr) {
			continue
		}
		value := make([]byte, maxAttrs)
		size, err := unix.Lgetxattr(file, attr, value)
		if err != nil {
			size = 0
		}
		sum := sha256.Sum256(value[:size])
		out = append(out, attr+"="+hex.EncodeToString(sum[:8]))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// settable reports whether an attribute is the doing of a program, and not of
// the file system or of the machine's security policy.
func settable(attr string) bool {
	if strings.HasPrefix(attr, "user.overlay.") || attr == sandbox.SumAttr {
		return false
	}
	return strings.HasPrefix(attr, "user.") || strings.HasPrefix(attr, "system.posix_acl_") ||
		attr == "security.capability"
}
