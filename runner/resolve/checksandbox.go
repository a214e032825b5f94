package resolve

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/sandbox/gate"
)

// sandboxChecker checks what a recipe asks of its worlds.
type sandboxChecker struct{ *checker }

// all checks the section and what each task adds.
func (c *sandboxChecker) all() {
	s := c.recipe.Sandbox
	if s.Filesystem == "unrestricted" {
		c.unrestricted()
	}
	switch s.Network {
	case "full":
		c.needs("sandbox.network", "network: full", problem.AllowNetwork)
	case "allow":
		if !c.may(problem.AllowNetwork) {
			c.needs("sandbox.network", "network: allow", problem.AllowHosts)
		}
		for i, h := range s.AllowHosts {
			if err := gate.CheckHost(h); err != nil {
				c.at(fmt.Sprintf("sandbox.allow_hosts[%d]", i),
					"write a name such as example.com, or *.example.com for all below it", "%v", err)
			}
		}
	}
	if s.Isolation != "" && !slices.Contains([]string{"", "auto", "gvisor"}, s.Backend) {
		c.at("sandbox.isolation", "drop one of them", "isolation: %s needs the gvisor backend, and backend says %s",
			s.Isolation, s.Backend)
	}
	if s.Image != "" {
		c.image("sandbox.image")
	}
	c.before("sandbox", s.Prepare, s.Warm, s.Image)
	if s.PrepareTimeout != 0 && s.Prepare == "" &&
		!slices.ContainsFunc(c.recipe.Tasks, func(t recipe.Task) bool { return t.Prepare != "" }) {
		c.at("sandbox.prepare_timeout", "write the command behind prepare:, or leave it out",
			"prepare_timeout: nothing is prepared")
	}
	if s.Filesystem != "read_only" {
		return
	}
	for i, t := range c.recipe.Tasks {
		if t.Setup != "" {
			c.warn(fmt.Sprintf("tasks[%d].setup", i), "use filesystem: project_only, or let setup stage below HOME",
				"filesystem: read_only: nothing in /work can be written, by setup neither")
		}
	}
}

// unrestricted refuses the whole host where nobody allowed it or nothing can
// show it.
func (c *sandboxChecker) unrestricted() {
	const key = "sandbox.filesystem"
	s := c.recipe.Sandbox
	c.needs(key, "filesystem: unrestricted", problem.AllowUnrestricted)
	switch dir, err := filepath.EvalSymlinks(c.given.Dir); {
	case s.Isolation != "" || !slices.Contains([]string{"", "auto", "native"}, s.Backend):
		c.at(key, "use backend: native, or filesystem: project_only",
			"filesystem: unrestricted needs the native backend, and the recipe asks for %s",
			cmp.Or(s.Backend, "gvisor"))
	case hasImage(c.recipe):
		c.at(key, "drop the image, or use filesystem: project_only",
			"filesystem: unrestricted shows this machine's files, and an image brings its own")
	case err == nil && dir == "/":
		c.at(key, "stand in a directory of the project's own",
			"filesystem: unrestricted conceals the project's place on the host, and here that is everything")
	}
}

// hasImage reports whether the recipe or one of its tasks names an image.
func hasImage(r *recipe.Recipe) bool {
	return r.Sandbox.Image != "" || slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool { return t.Image != "" })
}

// image refuses an image that no container could be made of.
func (c *checker) image(key string) {
	s := c.recipe.Sandbox
	if s.Isolation != "" || !slices.Contains([]string{"", "auto", "container"}, s.Backend) {
		c.at(key, "use backend: container, without isolation",
			"an image needs the container backend, and the recipe asks for %s", cmp.Or(s.Backend, "gvisor"))
	}
}

// before checks what is to be run before any task is proven.
func (c *checker) before(key, prepare, warm, image string) {
	s := c.recipe.Sandbox
	if prepare != "" && prepare != "none" && (image != "" || s.Isolation != "" ||
		!slices.Contains([]string{"", "auto", "native"}, s.Backend)) {
		c.at(key+".prepare", "drop the image and the other backend, or write prepare: none and have it all in the image",
			"prepare: only the native backend keeps what a command made, and %s is asked for",
			cmp.Or(s.Backend, s.Isolation, "an image"))
	}
	switch warm {
	case "yes", "no", "on", "off", "none", "true", "True", "False", "0", "1":
		c.at(key+".warm", "write warm: false for no caches, leave it out for what the checks compile, "+
			"or name the command that compiles", "warm: %q is no command that compiles", warm)
	}
}
