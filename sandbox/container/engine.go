package container

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/wire"
)

// lingerTime is how long a container may take to end by itself, once its guest
// has lost its host, before it is killed.
const lingerTime = 2 * time.Second

// killTime bounds that killing.
const killTime = time.Minute

// engine is a container program that works here.
type engine struct {
	program, name string   // podman, docker
	path          []string // where the image has its programs
	flags         []string // what this machine needs
	rootless      bool
	arch          string // of its kernel, as Go names it
}

// end ends a container: its guest ends when the host is gone, and with it
// everything in the container; else it is killed.
func (e engine) end(conn io.Closer, name string, gone <-chan struct{}) {
	conn.Close()
	select {
	case <-gone:
		return
	case <-time.After(lingerTime):
	}
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	_ = e.command(ctx, "kill", "--signal", "KILL", name).Run() // it may have ended meanwhile
}

// command is a call of the engine beside the containers.
func (e engine) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, e.program, slices.Concat(e.global(), args)...)
	cmd.Env, cmd.Dir = e.env(), "/"
	return cmd
}

// env is what an engine needs to find its images, and no key of the harness.
func (engine) env() []string {
	var env []string
	for _, k := range []string{"PATH", "HOME", "USER", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR",
		"DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY",
		"CONTAINER_HOST", "CONTAINER_CONNECTION", "CONTAINER_SSHKEY", "CONTAINERS_MACHINE_PROVIDER"} {
		if v, ok := os.LookupEnv(k); ok {
			env = append(env, k+"="+v)
		}
	}
	return env
}

// global are the arguments before the verb.
func (e engine) global() []string {
	if i := slices.Index(e.flags, "--runtime"); i >= 0 && e.name == "podman" {
		return e.flags[i : i+2]
	}
	return nil
}

// Images lists the container images that are here, by podman, else docker. An
// error says what is missing.
func Images(ctx context.Context) ([]string, error) {
	var problems []error
	for _, name := range []string{"podman", "docker"} {
		path, lerr := exec.LookPath(name)
		if lerr != nil {
			continue
		}
		e := engine{program: path, name: name}
		out, lerr := e.command(ctx, "images", "--format", "{{.Repository}}:{{.Tag}}").Output()
		if lerr != nil {
			problems = append(problems, fmt.Errorf("%s does not answer: %s", name, lastLine(lerr)))
			continue
		}
		all := slices.DeleteFunc(strings.Fields(string(out)),
			func(s string) bool { return strings.Contains(s, "<none>") })
		if len(all) > 0 {
			return all, nil
		}
		problems = append(problems, fmt.Errorf("%s works, and has no image\nhint: %s pull debian:stable-slim", name,
			name))
	}
	if len(problems) == 0 {
		problems = append(problems, errors.New("neither podman nor docker is installed\nhint: "+howToInstall))
	}
	return nil, errors.Join(problems...)
}

// lastLine is the last that a failed command said, or how it failed.
func lastLine(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return wire.Clean(lines[len(lines)-1])
	}
	return err.Error()
}

// look asks an engine whose kernel is not this program's what that one is.
func (e *engine) look() error {
	ctx, cancel := context.WithTimeout(context.Background(), launch.EngineTime)
	defer cancel()
	format := "{{.OSType}} {{.Architecture}} false"
	if e.name == "podman" {
		format = "{{.Host.OS}} {{.Host.Arch}} {{.Host.Security.Rootless}}"
	}
	out, err := e.command(ctx, "info", "--format", format).Output()
	if err != nil {
		return fmt.Errorf("it does not answer: %s (%s)", lastLine(err), howToStart)
	}
	var system string
	if n, _ := fmt.Sscan(string(out), &system, &e.arch, &e.rootless); n != 3 {
		return fmt.Errorf("it says of its kernel: %q", wire.Clean(string(out)))
	}
	switch e.arch { // docker has the kernel's names
	case "x86_64":
		e.arch = "amd64"
	case "aarch64":
		e.arch = "arm64"
	}
	if system != "linux" {
		return fmt.Errorf("its containers run %s, and a world is one of Linux", wire.Clean(system))
	}
	return nil
}

// tune finds out what this machine needs for a container to start: where
// control groups are mixed or not delegated, an engine can't limit by them,
// and its usual runtime may not start at all.
func (e *engine) tune(image string) error {
	ctx, cancel := context.WithTimeout(context.Background(), launch.EngineTime)
	defer cancel()
	if err := e.execute(e.command(ctx, "image", "inspect", "--format", "{{.Id}}", image)); err != nil {
		return fmt.Errorf("the image %q is not here: %w", image, err)
	}
	ways := [][]string{{cgroupLimits}, {}}
	if e.name == "podman" {
		ways = append(ways, []string{"--runtime", "runc", cgroupLimits}, []string{"--runtime", "runc"},
			[]string{"--runtime", "crun"})
	}
	var first error
	for _, way := range ways {
		e.flags = way
		args := []string{"run", "--rm", "--pull", "never", "--network", "none", "--read-only",
			"--entrypoint", "/bin/sh"}
		args = append(args, e.limits(plan.Plan{})...)
		err := e.execute(e.command(ctx, append(args, image, "-c", "exit 0")...))
		if err == nil {
			e.path = e.imagePath(ctx, image)
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// execute runs a command and makes an error of the last line that it said.
func (e *engine) execute(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return fmt.Errorf("%s (%w)", wire.Clean(lines[len(lines)-1]), err)
}

// imagePath gives the directories that an image has its programs in.
func (e engine) imagePath(ctx context.Context, image string) []string {
	out, err := e.command(ctx, "image", "inspect", "--format", "{{json .Config.Env}}", image).Output()
	var env []string
	if err != nil || json.Unmarshal(out, &env) != nil {
		return nil
	}
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			return filepath.SplitList(v)
		}
	}
	return nil
}
