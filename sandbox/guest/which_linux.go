package guest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
)

// meant is what a command is to be run as.
type meant struct {
	argv, env []string
	dir       string
	resolved
}

// meaning finds what a command means in this world.
func (s *server) meaning(c sandbox.Cmd) (m meant, err error) {
	m = meant{argv: c.Argv, env: mergeEnv(s.cfg.Env, c.Env), dir: worldPath(c.Dir)}
	if len(m.argv) == 0 {
		m.argv = []string{"bash", "--noprofile", "--norc", "-c", c.Script}
	}
	m.resolved, err = s.resolve(resolveArgs{m.dir, m.argv[0], m.env})
	return m, err
}

// attr is how it is started, in a session of its own.
func (m meant) attr() *syscall.ProcAttr {
	return &syscall.ProcAttr{Dir: m.dir, Env: m.env, Sys: &syscall.SysProcAttr{Setsid: true}}
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
}

// resolved is that program.
type resolved struct {
	Dir     bool // the command's directory is there
	Program string
	Exit    int // not 0: the status for not having found it
}

func resolve(a resolveArgs) (r resolved) {
	if st, err := os.Stat(a.Dir); err == nil && st.IsDir() {
		r.Dir = true
		r.Program, r.Exit = lookPath(a.Name, a.Dir, a.Env)
	}
	return r
}

// resolve finds a program with the agent's rights.
func (s *server) resolve(a resolveArgs) (resolved, error) {
	if s.helper == nil {
		return resolve(a), nil
	}
	return askFor[resolved](s.helper, OpResolve, a)
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
