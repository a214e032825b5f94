package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
)

// ResolveArgs asks for the program of a command.
type ResolveArgs struct {
	Dir, Name string
	Env       []string
	Else      bool // as of a sandbox.Cmd
}

// Resolved is that program, and where it starts.
type Resolved struct {
	Dir     string // where it starts; "": there is no such place
	Why     string // why that is not where it was to start
	Program string
	Exit    int // not 0: the status for not having found it
}

// Resolve finds the program of a command, with the rights of this process.
func Resolve(a ResolveArgs) (r Resolved) {
	r.Dir = a.Dir
	if r.Why = closed(a.Dir); r.Why != "" {
		r.Dir = ""
		for _, d := range []string{sandbox.HomeDir, "/tmp", "/"} {
			if a.Else && closed(d) == "" {
				r.Dir = d
				break
			}
		}
	}
	if r.Dir != "" {
		r.Program, r.Exit = lookPath(a.Name, r.Dir, a.Env)
	}
	return r
}

// closed says why a directory can't be entered; "" when it can.
func closed(dir string) string {
	st, err := os.Stat(dir)
	var errno syscall.Errno
	switch {
	case errors.Is(err, unix.ENOENT):
		return "no such directory"
	case errors.As(err, &errno):
		return errno.Error()
	case err != nil:
		return err.Error()
	case !st.IsDir():
		return "not a directory"
	case unix.Faccessat(unix.AT_FDCWD, dir, unix.X_OK, unix.AT_EACCESS) != nil:
		return fmt.Sprintf("permission denied, its mode is %04o", st.Mode().Perm())
	}
	return ""
}

// Missing says, as a shell would, why there is no program.
func (r Resolved) Missing() string {
	if r.Exit == 126 {
		return "no program that may be run"
	}
	return "command not found"
}

// lookPath finds a program as a shell in dir with env would; a non-zero exit
// is the status for not having found it.
func lookPath(name, dir string, env []string) (string, int) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return executable(name)
	}
	exit := 127
	for _, kv := range env {
		path, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, d := range filepath.SplitList(path) {
			if !filepath.IsAbs(d) {
				d = filepath.Join(dir, d)
			}
			p, e := executable(filepath.Join(d, name))
			if e == 0 {
				return p, 0
			}
			exit = min(exit, e)
		}
	}
	return "", exit
}

func executable(p string) (string, int) {
	st, err := os.Stat(p)
	switch {
	case err != nil:
		return "", 127
	case !st.Mode().IsRegular() || unix.Faccessat(unix.AT_FDCWD, p, unix.X_OK, unix.AT_EACCESS) != nil:
		return "", 126
	}
	return p, 0
}
