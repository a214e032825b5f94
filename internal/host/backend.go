package host

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"cookoff/internal/cachedir"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/sandbox/builds"
	"cookoff/sandbox/native"
)

// Backend gives the sandboxes of a recipe: what the user asks for, else the
// recipe, else the configuration. What the recipe needs is never weakened. A nil
// recipe is none. Of the tool chains at tools, Python's own modules are not compiled anew at each start.
// The error is a *SandboxError or a *WeakerError.
func (h *Host) Backend(r *recipe.Recipe, goCache string, tools []string) (sandbox.Backend, error) {
	c := h.Choice(r)
	if h.Sandbox != "" && h.Sandbox != c.Name {
		return nil, &WeakerError{h.Sandbox, r.Source()}
	}
	return h.chosen(c, goCache, tools)
}

// Chosen gives sandboxes of a backend by its name, as Choice has it.
func (h *Host) Chosen(name, image string, images []string, goCache string, tools []string) (sandbox.Backend, error) {
	return h.chosen(native.Choice{Name: name, Image: image, Images: images}, goCache, tools)
}

func (h *Host) chosen(c native.Choice, goCache string, tools []string) (sandbox.Backend, error) {
	o := native.Options{GoCache: goCache, PythonCache: pythonCache(tools), Image: h.Config.Image,
		Guest: h.Config.Guest, ReadBuild: builds.Read}
	if dir, err := cachedir.Path("sums"); err == nil {
		o.Sums = dir
	}
	b, err := native.Choose(c, o)
	if err != nil {
		return nil, &SandboxError{err}
	}
	if c, ok := b.(io.Closer); ok && h.AtEnd != nil {
		h.AtEnd(c)
	}
	return b, nil
}

// Choice says which sandboxes a recipe gets. Where the user asks for one that is
// weaker than what the recipe asks for, it is the recipe's.
func (h *Host) Choice(r *recipe.Recipe) native.Choice {
	c := native.Choice{Name: h.Config.Backend}
	if r != nil {
		c.Image, c.Images = r.Sandbox.Image, images(r)
		c.Whole = r.Sandbox.Filesystem == string(sandbox.Unrestricted)
		if b := r.Sandbox.Backend; b != "" && b != native.Auto {
			c.Name = b
		}
		if r.Sandbox.Isolation == "strong" {
			c.Name = native.GVisor
		}
	}
	if h.Sandbox != "" && (c.Name != native.GVisor || r == nil) {
		c.Name = h.Sandbox
	}
	return c
}

// WeakerError refuses a sandbox that is weaker than what a recipe asks for.
type WeakerError struct{ Sandbox, Recipe string }

func (e *WeakerError) Error() string {
	return fmt.Sprintf("the sandbox %s is weaker than what %s asks for", e.Sandbox, e.Recipe)
}

// SandboxError is a sandbox that there can't be.
type SandboxError struct{ Err error }

func (e *SandboxError) Error() string { return "sandbox: " + e.Err.Error() }
func (e *SandboxError) Unwrap() error { return e.Err }

// images lists those that the tasks of a recipe ask for, "" for tasks without.
func images(r *recipe.Recipe) []string {
	var out []string
	for _, t := range r.Tasks {
		image := cmp.Or(t.Image, r.Sandbox.Image)
		if !slices.Contains(out, image) {
			out = append(out, image)
		}
	}
	return out
}
