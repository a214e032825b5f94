package linux

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
)

// etc is made up, but for what programs need of the host's.
func (p setup) etc() error {
	if p.Whole != nil {
		return nil // it is there
	}
	if err := os.Mkdir(newRoot+"/etc", 0o755); err != nil {
		return err
	}
	for name, text := range plan.EtcFiles(p.Plan) {
		if err := writeFile(newRoot+"/etc/"+name, text); err != nil {
			return err
		}
	}
	if err := os.Symlink("/proc/mounts", newRoot+"/etc/mtab"); err != nil {
		return err
	}
	for name, text := range p.EtcCopied {
		path := newRoot + "/etc/" + name
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := writeFile(path, text); err != nil {
			return err
		}
	}
	for _, n := range p.EtcMounted {
		if err := bind("/etc/"+n, "/etc/"+n); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// network names the machine and, where the network is its own, brings the
// loopback up. Containers may forbid names: then the sandbox has the container's.
func (p setup) network() error {
	if err := unix.Sethostname([]byte(p.Hostname)); err != nil && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("naming the machine: %w", err)
	}
	if p.Network {
		return nil
	}
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bringing the loopback up: %w", err)
	}
	defer unix.Close(s)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, ifr); err != nil {
		return fmt.Errorf("bringing the loopback up: %w", err)
	}
	return nil
}
