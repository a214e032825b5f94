package tasks

import (
	"os"
	"path/filepath"
	"strings"
)

// ThisMachine answers for the machine that it runs on: a package is installed where
// Debian's list says so; where there is no such list, a program of its name must be there.
func ThisMachine() Machine {
	list, err := os.ReadFile("/var/lib/dpkg/status")
	if err != nil {
		return Machine{Installed: program}
	}
	have := map[string]bool{}
	for block := range strings.SplitSeq(string(list), "\n\n") {
		rest, ok := strings.CutPrefix(strings.TrimLeft(block, "\n"), "Package: ")
		if name, fields, cut := strings.Cut(rest, "\n"); ok && cut && strings.Contains("\n"+fields,
			"\nStatus: install ok installed") {
			have[name] = true
		}
	}
	return Machine{Installed: func(pkg string) bool { return have[pkg] }}
}

// program reports whether the system has a program of a name.
func program(name string) bool {
	for _, dir := range []string{"/usr/bin", "/usr/sbin", "/bin"} {
		if st, err := os.Stat(filepath.Join(dir, filepath.Base(name))); err == nil && st.Mode().IsRegular() {
			return true
		}
	}
	return false
}
