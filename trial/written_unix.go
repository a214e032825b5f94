//go:build unix

package trial

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hold marks f as a journal that is being written, until f is closed or the
// process ends, however it ends. On a file system without locks it marks
// nothing: Written then says true.
func hold(f *os.File) { _ = flock(f, syscall.LOCK_EX) }

// looks is how often Hold tries again where somebody looks, as Written does
// for a moment.
const looks = 200

// Hold marks f as written by this process, until f is closed, as a journal is; false:
// another process writes it.
func Hold(f *os.File) bool {
	for range looks {
		if !errors.Is(flock(f, syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
			return true
		}
		if errors.Is(flock(f, syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
			return false // a writer
		}
		_ = flock(f, syscall.LOCK_UN)
		time.Sleep(time.Millisecond)
	}
	return false
}

// Written reports whether some process still writes the journal at path. Where
// that can't be told, one does.
func Written(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close() // lets go of the lock, too
	return flock(f, syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

// mayWrite refuses a directory in which this process can make nothing.
func mayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Writer gives the process that writes the journal at path, as far as the kernel
// says; 0: nobody knows.
func Writer(path string) int {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(sys.Dev)), unix.Minor(uint64(sys.Dev)), sys.Ino)
	for line := range strings.Lines(string(locks)) { // 1: FLOCK ADVISORY WRITE 4711 fd:01:131 0 EOF
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || f[3] != "WRITE" || f[5] != file {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}
