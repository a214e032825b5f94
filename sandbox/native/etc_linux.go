package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// etc is made up, but for what programs need of the host's.
func (p plan) etc() error {
	if p.Whole != nil {
		return nil // it is there
	}
	if err := os.Mkdir(newRoot+"/etc", 0o755); err != nil {
		return err
	}
	for name, text := range etcFiles(p) {
		if err := writeFile(newRoot+"/etc/"+name, text); err != nil {
			return err
		}
	}
	if err := os.Symlink("/proc/mounts", newRoot+"/etc/mtab"); err != nil {
		return err
	}
	for _, n := range etcShown() {
		if err := bind("/etc/"+n, "/etc/"+n); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// etcShown names what of the host's /etc is shown: what programs of /usr read
// there, and nothing that people put secrets into.
func etcShown() []string {
	names := []string{
		"alternatives", "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls", "pki/ca-trust", "crypto-policies", "ld.so.cache", "localtime", "protocols", "services",
		"maven/m2.conf", "maven/logging",
	}
	for _, glob := range []string{"security", "*.cfg", "*.properties"} {
		java, _ := filepath.Glob("/etc/java-*-openjdk/" + glob) // the pattern is a valid one
		for _, path := range java {
			names = append(names, strings.TrimPrefix(path, "/etc/"))
		}
	}
	return names
}

// etcFiles gives the files of /etc that are made up.
func etcFiles(p plan) map[string]string {
	files := map[string]string{
		"passwd":        "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nagent:x:1000:1000:agent:/home/agent:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		"group":         "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n",
		"hosts":         "127.0.0.1 localhost " + p.Hostname + "\n::1 localhost\n",
		"hostname":      p.Hostname + "\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nnetworks: files\nprotocols: files\nservices: files\n",
		"resolv.conf":   "",
		"shells":        "/bin/sh\n/bin/bash\n",
		"profile":       "",
	}
	if p.Network {
		if b, err := os.ReadFile("/etc/resolv.conf"); err == nil {
			files["resolv.conf"] = string(b)
		}
	}
	return files
}

// network names the machine and, where the network is its own, brings the
// loopback up.
func (p plan) network() error {
	if err := unix.Sethostname([]byte(p.Hostname)); err != nil {
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
