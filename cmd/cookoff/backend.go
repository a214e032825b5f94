package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"cookoff/internal/cli"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/sandbox/builds"
	"cookoff/sandbox/native"
)

// backend gives the sandboxes of commands that stage nothing of a recipe.
func (a *app) backend(goCache string) (sandbox.Backend, error) {
	return a.backendFor(nil, goCache)
}

// backendFor gives the sandboxes of a recipe: what --sandbox says, else the
// recipe, else the configuration. What the recipe needs is never weakened.
func (a *app) backendFor(r *recipe.Recipe, goCache string) (sandbox.Backend, error) {
	cfg, err := a.LoadConfig()
	if err != nil {
		return nil, err
	}
	c := native.Choice{Name: cfg.Backend}
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
	if a.Sandbox != "" {
		if c.Name == native.GVisor && a.Sandbox != native.GVisor && r != nil {
			return nil, cli.Usage("--sandbox %s is weaker than what %s asks for\n  hint: --sandbox gvisor, or none", a.Sandbox, r.Source())
		}
		c.Name = a.Sandbox
	}
	b, err := native.Choose(c, native.Options{GoCache: goCache, Image: cfg.Image, Guest: cfg.Guest, ReadBuild: builds.Read})
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, fmt.Errorf("--sandbox: %w", err))
	}
	if c, ok := b.(io.Closer); ok && a.AtEnd != nil {
		a.AtEnd.Add(c)
	}
	return b, nil
}

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
