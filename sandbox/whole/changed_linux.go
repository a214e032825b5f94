package whole

import (
	"io/fs"
	"syscall"
	"time"
)

// changedSince reports whether a file was made or changed after t, whatever
// times it was given.
func changedSince(info fs.FileInfo, t time.Time) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && time.Unix(st.Ctim.Unix()).After(t)
}
