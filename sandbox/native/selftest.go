package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"cookoff/internal/temporary"
	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// outOfReach looks whether processes can get at the guest. One whose open files
// can be listed hands out the connection to its host.
const outOfReach = `[ "$(echo /proc/1/fd/*)" = '/proc/1/fd/*' ] || exit 44
for f in maps mem environ; do { : < /proc/1/$f; } 2>/dev/null && exit 44; done
`

// notTheirs is the same where the guest is another user's, and the kernel shows
// everybody what every process has open: whichever of the threads of the guest
// and its helper is asked, no connection and no memory of theirs may be opened,
// and they have nothing but GOGC in their environment. What they have open of
// the world's files and of the agent's own pipes is no harm. No program is
// started, to be quick.
const notTheirs = `theirs=0
for t in {1..64}; do
	uid=; while read -r key uid _; do [ "$key" = Uid: ] && break; done 2>/dev/null < /proc/$t/status
	[ -z "$uid" ] || [ "$uid" = $UID ] && continue
	theirs=$((theirs+1))
	while read -r -d '' has; do case $has in GOGC=*) ;; *) exit 44 ;; esac; done < /proc/$t/environ
	for f in /proc/$t/mem /proc/$t/fd/*; do
		[ -p $f ] && [ -O $f ] && continue
		{ exec {x}< $f || exec {x}>> $f; } 2>/dev/null || continue
		[ $f = /proc/$t/mem ] && exit 44
		x=/dev/fd/$x # what was opened, not what has that number by now
		[ -f $x ] || [ -d $x ] || [ -c $x ] || [ -O $x ] || exit 44
		x=${x##*/}; exec {x}>&-
	done
done
[ $theirs -ge 2 ] || exit 44
`

// What the self-test's script ends with.
const (
	testPassed  = 42
	testNoStat  = 43
	testReaches = 44
)

// selfTest needs nothing of a system but bash and coreutils.
const selfTest = `stat / >/dev/null || exit 43
%s[ "$(id -un)" = agent ] && [ "$(id -u)" != 0 ] && [ "$PWD" = /work ] && echo x > f && ! echo x 2>/dev/null > %s && exit 42`

// elsewhere is the next step where a backend's world has a hole.
const elsewhere = "hint: take another backend (--sandbox native, bwrap or container), or drop isolation: strong"

func check(ctx context.Context, b sandbox.Backend, spec sandbox.Spec) error {
	sb, err := b.Open(ctx, spec)
	if err != nil {
		return &closedError{err}
	}
	defer sb.Close()
	look, outside := outOfReach, "/usr/f"
	if w, ok := sb.(*world); ok && w.twoUsers {
		look = notTheirs
	}
	if spec.Filesystem == sandbox.Unrestricted { // there, the user may have a right to write in /usr, and writes a copy
		outside = "/f"
	}
	r, err := sb.Exec(ctx, sandbox.Cmd{Script: fmt.Sprintf(selfTest, look, outside)})
	switch {
	case err != nil:
		return err
	case r.Exit == 127 && bytes.Contains(r.Stderr, []byte("bash: command not found")):
		return sandbox.Unavailable("checking",
			errors.New("there is no bash inside\nhint: every command runs in bash: use an image that has it"))
	case r.Exit == testNoStat:
		return sandbox.Unavailable("checking",
			fmt.Errorf("programs inside can't look at files: %s (gVisor of 2022 does this)\n%s",
				firstLine(errors.New(wire.Clean(string(r.Stderr)))), elsewhere))
	case r.Exit == testReaches:
		return sandbox.Unavailable("checking",
			errors.New("programs inside can read what serves them, and could give its answers (an older gVisor "+
				"may let them)\n"+
				elsewhere))
	case r.Exit != testPassed:
		return sandbox.Unavailable("checking",
			fmt.Errorf("the self-test ended with %d: %s", r.Exit, wire.Clean(string(r.Stderr))))
	}
	return survives(ctx, sb)
}

// survives wants a world that nothing inside can end: a model could void its
// own trial.
func survives(ctx context.Context, sb sandbox.Sandbox) error {
	_, err := sb.Exec(ctx, sandbox.Cmd{Script: "kill -9 1; kill -9 -1"})
	if err == nil {
		_, err = sb.Exec(ctx, sandbox.Cmd{Script: "true"})
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return sandbox.Unavailable("checking", fmt.Errorf("programs inside can end what serves them: %s\n%s",
			firstLine(err), elsewhere))
	}
	return nil
}

// keepsReadOnly wants a file of a read-only project to stay as it is. A kernel
// that is not Linux may empty it before it refuses to open it.
func keepsReadOnly(ctx context.Context, b sandbox.Backend) error {
	dir, err := temporary.Dir("", "cookoff-check-*")
	if err != nil {
		return sandbox.Unavailable("checking", err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("before"), 0o644); err != nil {
		return sandbox.Unavailable("checking", err)
	}
	sb, err := b.Open(ctx, sandbox.Spec{Project: dir, Filesystem: sandbox.ReadOnly})
	if err != nil {
		return err
	}
	defer sb.Close()
	r, err := sb.Exec(ctx, sandbox.Cmd{Script: `{ echo x > f; } 2>/dev/null; [ "$(cat f)" = before ]`})
	if err != nil {
		return err
	}
	if r.Exit != 0 {
		return sandbox.Unavailable("checking",
			errors.New("programs inside can change files that are read-only\n"+elsewhere))
	}
	return nil
}

// selfTested is a backend that opens nothing before its self-test has passed,
// whoever asks: its walls are another kernel's.
type selfTested struct {
	sandbox.Backend
	mu     sync.Mutex
	passed bool
}

// Open makes a sandbox. That the self-test fails wraps ErrUnavailable.
func (v *selfTested) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	v.mu.Lock()
	passed := v.passed
	v.mu.Unlock()
	if !passed {
		if err := v.Check(ctx); err != nil {
			return nil, err
		}
	}
	return v.Backend.Open(ctx, spec)
}

// Check tries the backend, read-only files too.
func (v *selfTested) Check(ctx context.Context) error {
	err := v.Backend.Check(ctx)
	if err == nil {
		err = keepsReadOnly(ctx, v.Backend)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.passed = err == nil
	return err
}

// Close closes the backend.
func (v *selfTested) Close() error { return closeBackend(v.Backend) }

func closeBackend(b any) error {
	if c, ok := b.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
