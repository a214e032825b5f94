// Package container has podman or docker build worlds from images, one container a
// world. Project and home are copies.
package container

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"

	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/shipped"
)

// Builder starts guests in containers, by the command line of podman or docker.
type Builder struct {
	Image    string // of worlds that name none
	Programs *shipped.Programs

	mu      sync.Mutex
	engines map[string]engine // by image
}

// Facts of worlds that are containers.
func (*Builder) Facts() launch.Facts { return launch.Facts{Images: true, Patience: launch.EngineTime} }

// Prepare readies the engine's command.
func (b *Builder) Prepare(o launch.Order) (*launch.Prepared, error) {
	image := cmp.Or(o.Plan.Image, b.Image)
	if image == "" {
		return nil, errors.New("the container backend needs an image\nhint: one with bash and what the tasks use, " +
			"which is here: image: under Sandbox or in the task, [sandbox] image in cookoff.toml, or --image of " +
			"cookoff sandbox")
	}
	if strings.HasPrefix(image, "-") {
		return nil, fmt.Errorf("%q is no name of an image", image)
	}
	e, err := b.engine(image)
	if err != nil {
		return nil, err
	}
	program, err := b.Programs.Find(e.arch)
	if err != nil {
		return nil, err
	}
	guest, err := b.Programs.LayOut(program)
	if err != nil {
		return nil, err
	}
	o.Plan.Loader = guest.Loader
	if program != plan.SelfProgram {
		o.Plan.Wire = plan.Shapes()
	}
	args, err := e.run(o, guest.Dir, b.Programs.Foreign)
	if err != nil {
		return nil, err
	}
	name, inside := "cookoff-"+strings.ToLower(rand.Text()[:16]), guest.Command()
	made := &launch.Prepared{Path: e.path, Cmd: exec.Command(e.program, slices.Concat(e.global(),
		[]string{"run", "--name", name}, args, []string{"--entrypoint", inside[0], image}, inside[1:])...)}
	made.Cmd.Env, made.Cmd.Dir, made.Cmd.Stderr = e.env(), "/", o.Stderr
	made.Cmd.SysProcAttr = launch.ChildAttr()
	conn, theirs, err := launch.Pipes()
	if err != nil {
		return nil, err
	}
	made.Conn, made.Given = conn, theirs
	made.Cmd.Stdin, made.Cmd.Stdout = theirs[0], theirs[1]
	made.Running = func() (func(), error) { return func() { e.end(conn, name, o.Gone) }, nil }
	return made, nil
}

// engine finds a container program that can run image here, once.
func (b *Builder) engine(image string) (engine, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.engines[image]; ok {
		return e, nil
	}
	var problems []string
	for _, name := range []string{"podman", "docker"} {
		path, err := exec.LookPath(name)
		if err != nil {
			problems = append(problems, name+" is not installed")
			continue
		}
		e := engine{program: path, name: name, arch: runtime.GOARCH, rootless: name == "podman" && os.Geteuid() != 0}
		if b.Programs.Foreign || b.Programs.Guest != "" {
			err = e.look()
		}
		if err == nil {
			err = e.tune(image)
		}
		if err != nil {
			problems = append(problems, name+": "+err.Error())
			continue
		}
		if b.engines == nil {
			b.engines = map[string]engine{}
		}
		b.engines[image] = e
		return e, nil
	}
	return engine{}, fmt.Errorf("no container program works here: %s\nhint: %s, and have the image: podman pull IMAGE",
		strings.Join(problems, "; "), howToInstall)
}
