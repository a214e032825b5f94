package runner

import (
	"context"
	"errors"
	"slices"

	"cookoff/runner/project"
)

// snapshot gives the runner of a copy of the project. done removes the copy.
func (r *Runner) snapshot(ctx context.Context) (at *Runner, done func(), err error) {
	if r.project == "" {
		return r, func() {}, r.lay()
	}
	source := project.Source{Recipe: r.recipe, Dir: r.project, Hidden: r.env.Hidden, Outputs: r.outputs(), Secrets: r.env.Secrets}
	copied, done, err := source.Copy(ctx)
	if err != nil {
		return nil, nil, err
	}
	clone := *r
	clone.project = copied.Dir
	if err := clone.look(copied); err != nil {
		done()
		return nil, nil, err
	}
	return &clone, done, nil
}

// look takes in what was copied.
func (r *Runner) look(c *project.Copy) (err error) {
	if err := r.lay(); err != nil {
		return err
	}
	if r.env.Copied != nil {
		what, err := c.Copied()
		if err != nil {
			return err
		}
		r.env.Copied(what)
	}
	if r.digest, err = project.Digest(c.Dir, r.recipe); err != nil {
		return err
	}
	r.files, err = project.Count(c.Dir)
	return err
}

// lay gives every task's judge the files that only it sees. All that is wrong with
// them is said at once.
func (r *Runner) lay() error {
	var errs []error
	for _, name := range r.order {
		t := r.tasks[name]
		items, err := project.Laid(r.project, r.recipe, t.Task)
		errs = append(errs, err)
		t.checks.Lay(items)
	}
	return errors.Join(errs...)
}

// outputs are the files that the run writes for its user, in any of its parts.
func (r *Runner) outputs() []string {
	out := slices.Clone(r.env.Outputs)
	if p := r.env.Past; p != nil {
		for _, name := range p.Run.Outputs {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// despite is what was changed since a run began that goes on all the same.
type despite struct{ what []string }

func (d *despite) add(what []string) {
	for _, w := range what {
		if !slices.Contains(d.what, w) {
			d.what = append(d.what, w)
		}
	}
}
