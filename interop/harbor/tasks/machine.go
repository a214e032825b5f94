package tasks

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"cookoff/internal/places"
	"cookoff/internal/toolchain"
)

// Machine is what is asked of this machine.
type Machine struct {
	Installed func(pkg string) bool                      // a package of the system
	Python    func(pkg string) (version string, ok bool) // a package of its python3
	Home      string                                     // of the user: worlds show its tools there
	// Wheels gives the versions of a package of Python that the user's directories of them
	// have; nil: there are none.
	Wheels func(pkg string) []string
	// Image gives an image that the user has as a file; nil: there is none.
	Image func(name string) (img Image, ok bool, err error)
	// Build gives an image that an engine builds, or has built; not ok: nobody asked for
	// that. nil: there is none.
	Build func(b Build) (img Image, ok bool, err error)
}

// ThisMachine answers for the machine that it runs on: a package is installed where
// Debian's list says so; where there is no such list, a program of its name must be there.
func ThisMachine() Machine {
	m := Machine{Installed: program, Python: pythons()}
	m.Home, _ = os.UserHomeDir() // without one there is nothing of it to show
	if _, ok := m.Python("pip"); ok {
		m.Wheels = wheels(os.Getenv("PIP_FIND_LINKS"))
	}
	if list, err := os.ReadFile(dpkg); err == nil {
		m.Installed = installed(string(list))
	}
	return m
}

// dpkg is Debian's list of what is installed.
const dpkg = "/var/lib/dpkg/status"

// installed answers by such a list.
func installed(list string) func(pkg string) bool {
	have := map[string]bool{}
	for block := range strings.SplitSeq(list, "\n\n") {
		rest, ok := strings.CutPrefix(strings.TrimLeft(block, "\n"), "Package: ")
		if name, fields, cut := strings.Cut(rest, "\n"); ok && cut && strings.Contains("\n"+fields,
			"\nStatus: install ok installed") {
			have[name] = true
		}
	}
	return func(pkg string) bool { return have[pkg] }
}

// MachineOf answers for the tree of an image. No link leads out of it.
func MachineOf(tree string) (Machine, error) {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return Machine{}, err
	}
	defer root.Close()
	list, _ := root.ReadFile(strings.TrimPrefix(dpkg, "/")) // without one nothing is installed
	have := map[string]string{}
	for _, glob := range []string{"usr/lib/python3/dist-packages/*-info", "usr/local/lib/python3*/*-packages/*-info",
		"usr/lib/python3*/site-packages/*-info"} {
		found, _ := fs.Glob(root.FS(), glob) // the patterns are good
		packaged(have, found)
	}
	m := Machine{Installed: installed(string(list)), Python: func(pkg string) (string, bool) {
		version, ok := have[plainName(pkg)]
		return version, ok
	}}
	return m, nil
}

// packaged adds the packages of Python and their versions that directories say.
func packaged(have map[string]string, found []string) {
	for _, at := range found {
		base := filepath.Base(at)
		base = strings.TrimSuffix(base, filepath.Ext(base))
		name, version, _ := strings.Cut(base, "-")
		version, _, _ = strings.Cut(version, "-")
		have[plainName(name)] = version
	}
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

// pythons answers which packages the python3 that worlds have has, and of which version.
func pythons() func(pkg string) (string, bool) {
	have := sync.OnceValue(func() map[string]string {
		home, _ := os.UserHomeDir() // without one nothing lies below it
		f := toolchain.New(toolchain.Options{Path: os.Getenv("PATH"), Home: home, Env: os.Environ()})
		globs := []string{"/usr/lib/python3/dist-packages/*-info", "/usr/local/lib/python3*/*-packages/*-info",
			"/usr/lib/python3*/site-packages/*-info"}
		if dirs := f.Find(context.Background(), "python3").Dirs; len(dirs) > 0 {
			globs = []string{filepath.Join(dirs[0], "lib/python3*/site-packages/*-info")}
		}
		out := map[string]string{}
		for _, glob := range globs {
			found, _ := filepath.Glob(glob) // the patterns are good
			packaged(out, found)
		}
		return out
	})
	return func(pkg string) (string, bool) {
		version, ok := have()[plainName(pkg)]
		return version, ok
	}
}

// plainName is a name of a package as PEP 503 writes it.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(name))
}

// shown says why no task can have a place: this machine's own tools may be seen there.
func (m Machine) shown(at string) bool {
	return m.Home != "" && (at == m.Home || places.Below(at, m.Home) || places.Below(m.Home, at))
}
