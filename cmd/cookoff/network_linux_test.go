package main

import (
	"log"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/native"
)

// TestNoNetwork runs the program in a network namespace of its own that leads
// nowhere, and reads the kernel's counters: without a model behind a provider
// nothing so much as tries to leave the machine. No telemetry, no update check.
func TestNoNetwork(t *testing.T) {
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox here: %v", err)
	}
	quiet := `set -e; loopback-up; cd "$1"
		cookoff version; cookoff doctor; cookoff lint; cookoff show; cookoff recipes; cookoff models
		cookoff run; cookoff runs; cookoff report
		cat /proc/net/snmp`
	if tries := outward(t, quiet); tries != "" {
		t.Errorf("something tried to reach the network: %s", tries)
	}
	// The counters do see what they are asked about.
	if tries := outward(t,
		`loopback-up; bash -c ': < /dev/tcp/192.0.2.1/80' 2>/dev/null || cat /proc/net/snmp`); tries == "" {
		t.Error("a connection was not counted")
	}
}

// outward runs a script in an empty network namespace; the script ends with the
// namespace's counters. It gives those that say that somebody tried to reach
// another machine.
func outward(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/recipe.md", []byte(tiny(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := alone(t, "true", dir); err != nil {
		t.Skipf("no network namespace here: %v: %s", err, out)
	}
	out, err := alone(t, script, dir)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return counted(string(out))
}

// alone runs a script in a network namespace that has no way out.
func alone(t *testing.T, script, dir string) ([]byte, error) {
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script, "script", dir)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	return cmd.CombinedOutput()
}

// counted gives what the kernel counted of ways out: /proc/net/snmp has a line
// of names and a line of numbers for each protocol.
func counted(snmp string) string {
	var tries, names []string
	for line := range strings.Lines(snmp) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "Ip:" && f[0] != "Tcp:" && f[0] != "Udp:" {
			continue
		}
		if len(names) == 0 || names[0] != f[0] {
			names = f
			continue
		}
		for i, n := range names {
			switch n {
			case "OutNoRoutes": // all that can be counted: the loopback has a route
				if f[i] != "0" {
					tries = append(tries, f[0]+n+"="+f[i])
				}
			}
		}
		names = nil
	}
	return strings.Join(tries, " ")
}

// loopbackUp is the command that sets the loopback of its network namespace up.
func loopbackUp() {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		log.Fatal(err)
	}
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		log.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo); err != nil {
		log.Fatal(err)
	}
}
