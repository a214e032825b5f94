// Package gvisor has gVisor's runsc build worlds with a kernel of their own: what runs
// inside makes no system calls of this machine's kernel. The view is that of the native
// backend; project and home are copies.
package gvisor

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/shipped"
	"cookoff/sandbox/users"
	"cookoff/sandbox/wire"
)

// Builder starts guests in gVisor.
type Builder struct{ Programs *shipped.Programs }

// Facts of worlds that gVisor makes.
func (Builder) Facts() launch.Facts { return launch.Facts{Patience: launch.EngineTime} }

// Prepare writes a bundle and readies the process that becomes runsc.
func (b Builder) Prepare(o launch.Order) (*launch.Prepared, error) {
	path, err := exec.LookPath("runsc")
	if err != nil {
		return nil, errors.New("gVisor is not installed\nhint: install runsc of 2024 or later (apt install runsc, " +
			"where that is new enough, or gvisor.dev/docs/user_guide/install), or drop isolation: strong")
	}
	guest, err := b.Programs.LayOut(plan.SelfProgram)
	if err != nil {
		return nil, err
	}
	who, err := usersOf(o.Agent)
	if err != nil {
		return nil, err
	}
	p := o.Plan
	p.OwnKernel, p.Loader = true, guest.Loader
	p.Agent, p.Helper = plan.AgentID, append(slices.Clone(p.Loader), plan.GuestDir+"/guest", plan.HelperName,
		strconv.Itoa(plan.AgentID))
	dir, state := filepath.Join(p.Dir, "b"), filepath.Join(p.Dir, "r")
	if err := writeBundle(dir, o, guest); err != nil {
		return nil, fmt.Errorf("making a bundle for gVisor: %w", err)
	}
	if err := who.own(state, filepath.Join(dir, "config.json")); err != nil {
		return nil, fmt.Errorf("making a bundle for gVisor: %w", err)
	}
	rp := newRunscPlan(path, dir, state, p)
	conn, theirs, err := launch.Pipes()
	if err != nil {
		return nil, err
	}
	if p.TestOnlyOff.Has(plan.Undumpable) {
		_ = errors.Join(theirs[0].Chmod(0o666), theirs[1].Chmod(0o666)) // everybody may open the connection
	}
	made := &launch.Prepared{Conn: conn, Given: theirs}
	made.Cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{plan.RunscName},
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, Dir: "/",
		Stdin: theirs[0], Stdout: theirs[1], Stderr: o.Stderr, SysProcAttr: who.namespaces(p),
	}
	made.Running = func() (func(), error) { return nil, rp.begin(conn, who, made.Cmd.Process.Pid) }
	return made, nil
}

// Explain adds what runsc said.
func (Builder) Explain(err error, said string) error {
	said = strings.TrimSpace(wire.Printable(said))
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		return users.ExplainNamespaces(err)
	case said == "":
		return err
	case !strings.Contains(said, "hint: "):
		said += "\nhint: gVisor must be of 2024 or later (runsc --version); " +
			"with an older one take another backend (--sandbox native, bwrap or container), or drop isolation: strong"
	}
	return fmt.Errorf("%w\n%s", err, said)
}
