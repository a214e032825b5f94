package trees

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/users"
)

// asRoot does an errand in a process that is root of a namespace with these users.
func asRoot(span users.Span, e errand) error {
	in, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{AsRootName}, Env: []string{}, Dir: "/", Stdout: &out,
		SysProcAttr: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, AmbientCaps: []uintptr{
			unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER, unix.CAP_FSETID}},
	}
	to, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		to.Close()
		return users.ExplainNamespaces(err)
	}
	err = span.Map(cmd.Process.Pid)
	if err == nil {
		_, err = to.Write(in)
	}
	to.Close()
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("working on files of other users: %w", err)
	}
	var o outcome
	if err := json.Unmarshal(out.Bytes(), &o); err != nil {
		return fmt.Errorf("working on files of other users: %w", err)
	}
	if o.Why == "" {
		return nil
	}
	return &errandError{o}
}

// RunErrand is what the process of asRoot does: it waits until it is told its errand, and by then it is root.
func RunErrand() {
	var e errand
	err := json.NewDecoder(os.Stdin).Decode(&e)
	if err == nil {
		err = e.do()
	}
	var o outcome
	if err != nil {
		o.Why = err.Error()
		o.Errno, _ = errors.AsType[syscall.Errno](err)
	}
	_ = json.NewEncoder(os.Stdout).Encode(o) // who does not read it has ended
}
