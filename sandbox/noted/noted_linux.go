// Package noted keeps the sum of a file beside it, in an attribute, as long as nobody
// changes the file. A copy that an overlay makes of it when it is changed has the
// attribute too, and is another file: one that was made at another time. That time is
// the kernel's, nobody can set it, and it is compared for being the same, so that no
// clock that is set back makes a changed file an old one.
package noted

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
)

// Note notes the sum of a file. Where the file system has no attributes, or does not say
// when a file was made, nothing is noted.
func Note(f *os.File, sum string) {
	if made := madeAt(int(f.Fd()), ""); made != "" && sum != "" {
		_ = unix.Fsetxattr(int(f.Fd()), sandbox.SumAttr, []byte(sum+" "+made), 0)
	}
}

// Of gives the sum of a file that is still the one it was noted of; "" of any other.
func Of(path string) (sum string) {
	attr := make([]byte, 256)
	n, err := unix.Lgetxattr(path, sandbox.SumAttr, attr)
	if err != nil {
		return ""
	}
	sum, made, _ := strings.Cut(string(attr[:n]), " ")
	if made == "" || made != madeAt(unix.AT_FDCWD, path) {
		return ""
	}
	return sum
}

// madeAt is when the kernel made a file, that of the descriptor where there is no path;
// "": that is not known.
func madeAt(dir int, path string) string {
	var st unix.Statx_t
	err := unix.Statx(dir, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH, unix.STATX_BTIME, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%09d", st.Btime.Sec, st.Btime.Nsec)
}
