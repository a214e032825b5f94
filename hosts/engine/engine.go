// Package engine finds the machines that Slurm and Kubernetes give, and the commands
// that start a hand on each.
package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"cookoff/internal/hint"
)

// Place is a machine and the command that gives the input and output of a hand there.
type Place struct {
	Name    string // as the engine has it
	Command []string
}

// Kinds of engines, as they stand before the colon in the name of a host.
const (
	SlurmKind      = "slurm"
	KubernetesKind = "kubernetes"
)

// Cut takes the name of a host apart that an engine gives, as slurm:123.
func Cut(name string) (kind, rest string, ok bool) {
	kind, rest, ok = strings.Cut(name, ":")
	return kind, rest, ok && (kind == SlurmKind || kind == KubernetesKind)
}

// Hand is the command that starts a hand where cookoff is on PATH.
var hand = []string{"cookoff", "hand"}

// Engine starts programs of engines.
type Engine struct {
	Env  []string     // all of their environment
	Hand []string     // the command on each machine; nil: cookoff hand
	Say  func(string) // told what is waited for; nil: nobody
}

func (e *Engine) hand() []string {
	if len(e.Hand) > 0 {
		return e.Hand
	}
	return hand
}

func (e *Engine) say(format string, args ...any) {
	if e.Say != nil {
		e.Say(fmt.Sprintf(format, args...))
	}
}

// Find gives the machines that a name means, which Cut takes apart, and what gives
// them back; nil: nothing has to.
func (e *Engine) Find(ctx context.Context, name string) ([]Place, io.Closer, error) {
	kind, rest, _ := Cut(name)
	if rest == "" {
		return nil, nil, hint.New("slurm:JOB, slurm:-N2 with the options of an allocation to make, "+
			"kubernetes:app=hands",
			"the host %q says no machines", name)
	}
	if kind == KubernetesKind {
		places, err := e.pods(ctx, rest)
		return places, nil, err
	}
	if strings.HasPrefix(rest, "-") {
		return e.Allocate(ctx, strings.Fields(rest))
	}
	places, err := e.job(ctx, rest)
	return places, nil, err
}

// output runs a program and gives what it prints.
func (e *Engine) output(ctx context.Context, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var said bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stderr = e.Env, "/", &said
	out, err := cmd.Output()
	if err != nil && ctx.Err() != nil {
		return "", ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s is not installed here", argv[0])
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, tail(said.String()))
	}
	return string(out), nil
}

// tail is the end of what a program said.
func tail(s string) string {
	const most = 1000
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-most):]
}
