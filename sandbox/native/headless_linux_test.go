package native

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// headless is how hide takes memory in a process whose first thread has ended: to the
// kernel's table it is a zombie, and its other threads go on.
const headless = "pages of a process whose first thread has ended"

func init() {
	if len(os.Args) == 4 && os.Args[1] == hideName && os.Args[2] == headless {
		runtime.LockOSThread() // main stays on the first thread
	}
}

// endFirstThread ends the first thread of this process once another goes on with f, which ends the
// process.
func endFirstThread(f func() error) {
	go func() {
		for {
			b, err := os.ReadFile("/proc/self/stat")
			if _, rest, _ := strings.Cut(string(b), ") "); err != nil || strings.HasPrefix(rest, "Z") {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if err := f(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}()
	_, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0) // the thread's, not the process's
}

// takePages takes them, and a file that has no name any more.
func takePages() error {
	b, err := unix.Mmap(-1, 0, hideSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	touch(b)
	f, err := os.Create("held") // it stays open
	if err == nil {
		_, err = f.Write(b[:heldSize])
	}
	return errors.Join(err, os.Remove("held"))
}

// heldSize is how long that file is, in bytes.
const heldSize = 8 << 20

// TestFirstThreadEnded: a process that looks dead and is not is ended with the call that
// started it, by its time as well; one that is left counts for the disk that it holds, and
// sealing ends it.
func TestFirstThreadEnded(t *testing.T) {
	b := without(newNative(Options{Dir: t.TempDir()}), plan.Without{plan.ControlGroup})
	sb := openIn(t, b, withHide(t, 2<<30))
	look := `for p in /proc/[0-9]*; do read -r s < $p/stat; [[ $s == *') Z '* ]] && echo looks dead; done 2>/dev/null; true`
	start := fmt.Sprintf("setsid /opt/probe %s '%s' 100s > /tmp/said$$ & until grep -qs taken /tmp/said$$; do :; done",
		hideName, headless)
	if r := runIn(t, sb, start+"; "+look); string(r.Stdout) != "looks dead\n" {
		t.Fatalf("the attack proves nothing: %+v", r)
	}
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: start + "; sleep 100", Timeout: 2 * time.Second})
	if err != nil || r.Reason != "timeout" {
		t.Fatalf("%+v, %v", r, err)
	}
	// One that was killed looks dead as well, until its memory is freed.
	left := "left() { " + look + "; }; until [ \"$(left)\" != $'looks dead\\nlooks dead' ]; do :; done; left"
	if r := runIn(t, sb, left); string(r.Stdout) != "looks dead\n" {
		t.Errorf("when the second call was ended, of two such processes are left: %q", r.Stdout)
	}
	small := withHide(t, 2<<30)
	small.Limits.Disk = heldSize / 2
	if r := runIn(t, openIn(t, b, small), start+"; sleep 20"); r.Reason != "disk" {
		t.Errorf("a file that it holds: %+v", r)
	}
	sealed, err := sb.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sealed.Release()
}
