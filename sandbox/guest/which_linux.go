package guest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// meant is what a command is to be run as.
type meant struct {
	argv, env []string
	dir       string
	script    *string // what bash finds at descriptor 3; nil: nothing
	resolved
}

// meaning finds what a command means in this world.
func (s *server) meaning(c sandbox.Cmd) (m meant, err error) {
	m = meant{argv: c.Argv, env: mergeEnv(s.cfg.Env, c.Env), dir: worldPath(c.Dir)}
	look := m.env
	if len(m.argv) == 0 {
		m.argv, m.script = []string{"bash", "--noprofile", "--norc", "-c", runScript}, &c.Script
		look = append([]string{systemPath}, look...)
	}
	m.resolved, err = s.resolve(resolveArgs{m.dir, m.argv[0], look, c.Else})
	return m, err
}

// systemPath is where the shell of scripts is looked for first: a bash that
// somebody puts into ~/bin must not keep everybody from running anything.
const systemPath = "PATH=/usr/local/bin:/usr/bin:/bin"

// runScript has bash run the text at descriptor 3 as it would run its argument
// after -c, also in the variable that holds that. Of what is on a command line
// everybody can see all, a process that looks for a word there would find
// itself, and the kernel takes no more than 128 KiB.
const runScript = `IFS= read -rd "" -u3 BASH_EXECUTION_STRING; exec 3<&-; eval -- "$BASH_EXECUTION_STRING"`

// refused says what keeps the command from being started and why, with the exit
// status that a shell would give; 0: nothing does.
func (m meant) refused() (exit int, what, why string) {
	switch {
	case m.Dir == "":
		return 126, m.dir, m.Why
	case m.Exit != 0:
		return m.Exit, m.argv[0], m.missing()
	case m.script != nil && strings.ContainsRune(*m.script, 0):
		return 126, "the script", "it contains a NUL character"
	}
	return 0, "", ""
}

// moved is a line that says that the command starts elsewhere than it was to;
// "" when it does not.
func (m meant) moved() string {
	if m.Why == "" {
		return ""
	}
	return fmt.Sprintf("cookoff: %s can't be entered: %s; the command starts in %s\n", m.dir, m.Why, m.Dir)
}

// begin starts what a command means, with these streams, in a session of its own.
func (r *reaper) begin(m meant, sys syscall.SysProcAttr, streams ...uintptr) (int, <-chan syscall.WaitStatus, error) {
	sys.Setsid = true
	if m.script != nil {
		f, err := unnamedFile("script", []byte(*m.script))
		if err != nil {
			return 0, nil, err
		}
		defer f.Close()
		streams = append(streams, f.Fd())
	}
	return r.start(m.Program, m.argv, &syscall.ProcAttr{Dir: m.Dir, Env: m.env, Files: streams, Sys: &sys})
}

// missing says, as a shell would, why there is no program.
func (r resolved) missing() string {
	if r.Exit == 126 {
		return "no program that may be run"
	}
	return "command not found"
}

// mergeEnv adds more to base; the last value of a name counts.
func mergeEnv(base, more []string) []string {
	at := map[string]int{}
	var env []string
	for _, kv := range slices.Concat(base, more) {
		k, _, ok := strings.Cut(kv, "=")
		if !ok || k == "" || strings.ContainsRune(kv, 0) {
			continue
		}
		if i, have := at[k]; have {
			env[i] = kv
			continue
		}
		at[k] = len(env)
		env = append(env, kv)
	}
	return env
}

// resolveArgs asks for the program of a command.
type resolveArgs struct {
	Dir, Name string
	Env       []string
	Else      bool // as of a sandbox.Cmd
}

// resolved is that program, and where it starts.
type resolved struct {
	Dir     string // where it starts; "": there is no such place
	Why     string // why that is not where it was to start
	Program string
	Exit    int // not 0: the status for not having found it
}

func resolve(a resolveArgs) (r resolved) {
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

// resolve finds a program with the agent's rights.
func (s *server) resolve(a resolveArgs) (resolved, error) {
	if s.helper == nil {
		return resolve(a), nil
	}
	return askFor[resolved](s.helper, wire.OpResolve, a)
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
