package container

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"cookoff/sandbox/launch"
	"cookoff/sandbox/wire"
)

// Build is an image that an engine is to make.
type Build struct {
	Dockerfile string // its text
	Context    string // directory whose files it may copy
	Name       string // that the image gets, as repository:tag
	To         string // the file that gets the image, as an archive
}

// Engine gives the name of the program that would build, podman before docker; "": neither
// is installed.
func Engine() string {
	for _, name := range []string{"podman", "docker"} {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return ""
}

// Make has the engine build an image and writes it to a file. What the Dockerfile runs
// has the engine's network. The error has the last line that the engine said.
func Make(ctx context.Context, b Build) error {
	name := Engine()
	program, err := exec.LookPath(name)
	if err != nil {
		return errors.New("neither podman nor docker is installed (" + howToInstall + ")")
	}
	e := engine{program: program, name: name}
	said, err := e.build(ctx, b)
	for _, flags := range e.runtimes() { // where control groups are mixed, the usual runtime starts nothing
		if err == nil || ctx.Err() != nil || !brokenRuntime(said) {
			break
		}
		e.flags = flags
		said, err = e.build(ctx, b)
	}
	if err == nil {
		said, err = e.output(e.command(ctx, "save", "-o", b.To, b.Name), "")
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", name, context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("%s: %s", name, keyLine(said, err))
	}
	return nil
}

func (e engine) build(ctx context.Context, b Build) (string, error) {
	return e.output(e.command(ctx, "build", "-t", b.Name, "-f", "-", b.Context), b.Dockerfile)
}

// runtimes are the ways to start what a Dockerfile runs, beside the usual one.
func (e engine) runtimes() [][]string {
	if e.name != "podman" {
		return nil
	}
	return [][]string{{"--runtime", "runc"}, {"--runtime", "crun"}}
}

// brokenRuntime reports whether an engine could not start anything.
func brokenRuntime(said string) bool {
	return strings.Contains(said, "cgroup") || strings.Contains(said, "OCI runtime") ||
		strings.Contains(said, "creating container")
}

// leaveTime is how long an engine may take to end what it runs.
const leaveTime = 10 * time.Second

// maxOutput is how much of what an engine says is kept: its end.
const maxOutput = 64 << 10

// output runs a call of the engine and gives the end of what it said.
func (e engine) output(cmd *exec.Cmd, input string) (string, error) {
	var end tail
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &end, &end
	cmd.SysProcAttr = launch.ChildAttr() // Ctrl-C on the terminal is not for it
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = leaveTime
	err := cmd.Run()
	return string(end), err
}

// tail keeps the end of what is written.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	if over := len(*t) - maxOutput; over > 0 {
		*t = append((*t)[:0], (*t)[over:]...)
	}
	return len(p), nil
}

// keyLine is the line that tells most of what an engine said: its error, else its last.
func keyLine(said string, err error) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(strings.ToLower(lines[i]), "error") {
			return wire.Clean(short(lines[i]))
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		return wire.Clean(short(last))
	}
	return err.Error()
}

// short is what fits into a message: both ends of a line.
func short(line string) string {
	const most = 400
	if r := []rune(line); len(r) > most {
		return string(r[:most/2]) + " … " + string(r[len(r)-most/2:])
	}
	return line
}
