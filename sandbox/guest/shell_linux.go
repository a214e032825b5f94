package guest

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/files"
	"cookoff/sandbox/guest/stream"
	"cookoff/sandbox/wire"
)

// meant is what a command is to be run as.
type meant struct {
	argv, env []string
	dir       string
	script    *string // what bash finds at descriptor 3; nil: nothing
	files.Resolved
}

// shell finds what commands mean in this world.
type shell struct {
	cfg    *wire.Config
	helper *helper // looks with the agent's rights; nil: this process does
}

// meaning finds what a command means in this world.
func (sh *shell) meaning(c sandbox.Cmd) (m meant, err error) {
	m = meant{argv: c.Argv, env: mergeEnv(sh.cfg.Env, c.Env), dir: files.WorldPath(c.Dir)}
	look := m.env
	if len(m.argv) == 0 {
		m.argv, m.script = []string{"bash", "--noprofile", "--norc", "-c", runScript}, &c.Script
		look = append([]string{systemPath}, look...)
	}
	m.Resolved, err = sh.resolve(files.ResolveArgs{Dir: m.dir, Name: m.argv[0], Env: look, Else: c.Else})
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
		return m.Exit, m.argv[0], m.Missing()
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
		f, err := stream.UnnamedFile("script", []byte(*m.script))
		if err != nil {
			return 0, nil, err
		}
		defer f.Close()
		streams = append(streams, f.Fd())
	}
	return r.start(m.Program, m.argv, &syscall.ProcAttr{Dir: m.Dir, Env: m.env, Files: streams, Sys: &sys})
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

// resolve finds a program with the agent's rights.
func (sh *shell) resolve(a files.ResolveArgs) (files.Resolved, error) {
	if sh.helper == nil {
		return files.Resolve(a), nil
	}
	return askFor[files.Resolved](sh.helper, wire.OpResolve, a)
}

// prepare finds the program of a command that is to run beside the calls. What
// keeps it from being started is a *sandbox.FileError.
func (sh *shell) prepare(c sandbox.Cmd) (meant, error) {
	m, err := sh.meaning(c)
	if err != nil {
		return m, err
	}
	if exit, what, why := m.refused(); exit != 0 {
		return m, &sandbox.FileError{Op: "start", Path: what, Reason: why}
	}
	return m, nil
}
