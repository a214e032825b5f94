package session

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"cookoff/recipe"
)

// setting is what the tasks to come are run with.
type setting struct {
	note func(Record) // writes down what the user changes

	mu     sync.Mutex
	recipe *recipe.Recipe
	on     map[string]bool // models that take part
	blind  bool
	allow  []string
	once   []string // for the next task
}

// chosen is what one task is run with.
type chosen struct {
	recipe *recipe.Recipe
	models []string
	blind  bool
	allow  []string
}

// now gives what a task that begins now is run with.
func (c *setting) now() chosen {
	c.mu.Lock()
	defer c.mu.Unlock()
	return chosen{c.recipe, c.modelsOn(), c.blind, slices.Concat(c.allow, c.once)}
}

// forgetOnce forgets what was allowed for the task that has begun.
func (c *setting) forgetOnce() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.once = nil
}

// take makes r the recipe of the session; all its models take part.
func (c *setting) take(r *recipe.Recipe) {
	c.recipe = r
	c.on = map[string]bool{}
	for _, m := range r.Names() {
		c.on[m] = true
	}
}

// Recipe is the recipe of the session.
func (c *setting) Recipe() *recipe.Recipe {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recipe
}

// SetRecipe makes another recipe the session's, from now on.
func (c *setting) SetRecipe(r *recipe.Recipe) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(r)
	c.note(Record{Kind: Recipe, Source: r.Source(), Markdown: r.MarshalMarkdown(), Models: c.modelsOn()})
}

// Models gives the recipe's models and whether each takes part.
func (c *setting) Models() (names []string, on []bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.recipe.Names() {
		names, on = append(names, m), append(on, c.on[m])
	}
	return names, on
}

func (c *setting) modelsOn() []string {
	return slices.DeleteFunc(c.recipe.Names(), func(m string) bool { return !c.on[m] })
}

// Switch lets a model take part, or not.
func (c *setting) Switch(model string, on bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.recipe.Names(), model) {
		return fmt.Errorf("%q is no model of this recipe: %s", model, strings.Join(c.recipe.Names(), ", "))
	}
	c.on[model] = on
	if len(c.modelsOn()) == 0 {
		c.on[model] = true
		return fmt.Errorf("%s is the last model: one must take part", model)
	}
	c.note(Record{Kind: Contests, Models: c.modelsOn()})
	return nil
}

// Blind reports whether names are hidden until the pick.
func (c *setting) Blind() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blind
}

// SetBlind hides names in the turns to come, or shows them.
func (c *setting) SetBlind(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blind = on
}

// Allow grants the recipe a permission: for the next task, or for the rest of
// the session.
func (c *setting) Allow(once bool, permissions ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if once {
		c.once = append(c.once, permissions...)
	} else {
		c.allow = append(c.allow, permissions...)
	}
	c.note(Record{Kind: Allowed, Allow: permissions, Once: once})
}

// Missing gives those of the permissions that were not granted yet.
func (c *setting) Missing(permissions []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(permissions),
		func(p string) bool { return slices.Contains(c.allow, p) || slices.Contains(c.once, p) })
}
