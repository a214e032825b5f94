package main

import (
	"fmt"
	"io"
	"slices"
	"sync"

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
	cfg, err := a.loadConfig()
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
	if a.sandbox != "" {
		if c.Name == native.GVisor && a.sandbox != native.GVisor && r != nil {
			return nil, usage("--sandbox %s is weaker than what %s asks for\n  hint: --sandbox gvisor, or none", a.sandbox, r.Source())
		}
		c.Name = a.sandbox
	}
	b, err := native.Choose(c, native.Options{GoCache: goCache, Image: cfg.Image, Guest: cfg.Guest, ReadBuild: builds.Read})
	if err != nil {
		return nil, &failure{exitUsage, fmt.Errorf("--sandbox: %w", err)}
	}
	if c, ok := b.(io.Closer); ok && a.atEnd != nil {
		a.atEnd.add(c)
	}
	return b, nil
}

// closers are what is closed when a command ends: backends, which hold a
// directory and a control group. What can't be given back is left to "clean".
type closers struct {
	mu  sync.Mutex
	all []io.Closer
}

func (cs *closers) add(c io.Closer) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.all = append(cs.all, c)
}

func (cs *closers) close() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, c := range cs.all {
		_ = c.Close()
	}
	cs.all = nil
}

// images lists those that the tasks of a recipe ask for, "" for tasks without.
func images(r *recipe.Recipe) []string {
	var out []string
	for _, t := range r.Tasks {
		image := orElse(t.Image, r.Sandbox.Image)
		if !slices.Contains(out, image) {
			out = append(out, image)
		}
	}
	return out
}
