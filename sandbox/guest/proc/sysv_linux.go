package proc

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ForgetLeft removes the System V segments that no process has any more.
func ForgetLeft() {
	for _, f := range sysvipc("shm") {
		if len(f) > 6 && f[6] == "0" {
			remove(unix.SYS_SHMCTL, f, unix.IPC_RMID, 0)
		}
	}
}

// Forget removes all System V segments, message queues and semaphores of the
// world, which outlive the processes that made them.
func Forget() {
	for _, f := range sysvipc("shm") {
		remove(unix.SYS_SHMCTL, f, unix.IPC_RMID, 0)
	}
	for _, f := range sysvipc("msg") {
		remove(unix.SYS_MSGCTL, f, unix.IPC_RMID, 0)
	}
	for _, f := range sysvipc("sem") {
		remove(unix.SYS_SEMCTL, f, 0, unix.IPC_RMID) // the number of a semaphore comes between
	}
}

// LeftBehind reports whether there is any of them.
func LeftBehind() bool {
	for _, kind := range []string{"shm", "msg", "sem"} {
		if len(sysvipc(kind)) > 1 { // one is the heading
			return true
		}
	}
	return false
}

func remove(call uintptr, line []string, args ...uintptr) {
	if id, err := strconv.Atoi(line[1]); err == nil { // else it is the heading
		_, _, _ = unix.Syscall(call, uintptr(id), args[0], args[1])
	}
}

// sysvipc lists the System V objects of a kind, after a heading: the second
// field is the number.
func sysvipc(kind string) (lines [][]string) {
	b, _ := os.ReadFile("/proc/sysvipc/" + kind)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 {
			lines = append(lines, f)
		}
	}
	return lines
}
