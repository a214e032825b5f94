package native

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"cookoff/sandbox"
	"cookoff/sandbox/users"
)

// The names of backends, as recipes, the configuration and flags have them.
// Auto is native, bwrap where only that may make user namespaces, and container
// where the kernel is not Linux.
const (
	Auto      = "auto"
	Native    = "native"
	Bwrap     = "bwrap"
	Container = "container"
	GVisor    = "gvisor"
)

// Names lists the backends that can be asked for.
func Names() []string { return []string{Auto, Native, Bwrap, Container, GVisor} }

// Choice says which backend worlds have.
type Choice struct {
	Name string // "" is Auto
	// Image is that of containers whose Spec names none. Under Auto it makes
	// worlds containers.
	Image string
	// Images are those that worlds will ask for, "" for worlds without one:
	// Check tries each, and wants one that opens. None: worlds without an image only.
	Images []string
	// Whole says that worlds will ask for Unrestricted: Check tries that too.
	Whole bool
}

// Choose makes the backend. A Spec that names an image gets a container, when
// the choice is Auto or Container; else it is refused.
func Choose(c Choice, o Options) (sandbox.Backend, error) {
	switch c.Name {
	case "", Auto, Native, Bwrap, Container, GVisor:
	default:
		return nil, fmt.Errorf("no sandbox is called %q\nhint: %s", c.Name, strings.Join(Names(), ", "))
	}
	if c.Image != "" && (c.Name == "" || c.Name == Auto) {
		c.Name = Container
	}
	return &chosen{choice: c, opt: o, foreign: runtime.GOOS != "linux"}, nil
}

// chosen makes each world by the backend that is meant for it.
type chosen struct {
	choice  Choice
	opt     Options
	foreign bool // this machine's kernel builds no worlds: Auto is Container

	mu   sync.Mutex
	made map[string]sandbox.Backend
	auto string           // what Auto has become
	shut map[string]error // by image, what the last Check could not open: their walls were not tried
}

// backend makes a backend once.
func (c *chosen) backend(name string) sandbox.Backend {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.made[name]; b != nil {
		return b
	}
	if c.made == nil {
		c.made = map[string]sandbox.Backend{}
	}
	b := byName(name, c.opt)
	if name == Container {
		b = newContainer(c.opt, cmp.Or(c.choice.Image, c.opt.Image))
	}
	c.made[name] = b
	return b
}

// name is the backend that a world is made by.
func (c *chosen) name(image string) (string, error) {
	switch c.choice.Name {
	case "", Auto:
		if image != "" || c.foreign {
			return Container, nil
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.auto, nil
	case Container:
		return Container, nil
	}
	if image != "" {
		return "", fmt.Errorf("the image %q needs the container backend, and the sandbox is to be %s\n"+
			"hint: backend: container, or --sandbox container", image, c.choice.Name)
	}
	return c.choice.Name, nil
}

func (c *chosen) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	if err := c.shutFor(spec.Image); err != nil {
		return nil, err
	}
	name, err := c.name(spec.Image)
	if err != nil {
		return nil, sandbox.Unavailable("opening a sandbox", err)
	}
	if name != "" {
		return c.backend(name).Open(ctx, spec)
	}
	sb, err := c.backend(Native).Open(ctx, spec)
	if errors.Is(err, users.ErrForbidden) {
		other, berr := c.backend(Bwrap).Open(ctx, spec)
		if berr != nil {
			return nil, fmt.Errorf("%w\n(bubblewrap does not work here either: %s)", err, firstLine(berr))
		}
		sb, err, name = other, nil, Bwrap
	} else if err == nil {
		name = Native
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.auto = name
	return sb, err
}

// Check tries every backend that worlds will need. That some can't be opened is no
// error while others can: tasks that have no sandbox here are left out by name. One whose
// walls do not hold always is.
func (c *chosen) Check(ctx context.Context) error {
	images := c.choice.Images
	if len(images) == 0 {
		images = []string{""}
	}
	c.keepShut(nil)
	shut := map[string]error{}
	for _, image := range images {
		spec := sandbox.Spec{Image: image}
		if c.choice.Whole {
			spec.Filesystem = sandbox.Unrestricted
		}
		err := check(ctx, c, spec)
		if _, closed := errors.AsType[*closedError](err); !closed && err != nil {
			return err
		} else if closed {
			shut[image] = err
		}
	}
	if len(shut) == len(images) {
		return shut[images[0]]
	}
	c.keepShut(shut)
	return nil
}

func (c *chosen) keepShut(shut map[string]error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = shut
}

func (c *chosen) shutFor(image string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shut[image]
}

// Close closes every backend that a choice led to.
func (c *chosen) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, b := range c.made {
		err = errors.Join(err, closeBackend(b))
	}
	return err
}

// closedError is a sandbox that can't be opened.
type closedError struct{ error }

func (e *closedError) Unwrap() error { return e.error }
