package run

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"cookoff/internal/changes"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/ui/text"
	"cookoff/runner/project"
)

// lookEvery is how often --watch looks at the files.
const lookEvery = 500 * time.Millisecond

// runOnChanges runs a comparison each time its recipe or the project is changed, until ctx
// ends. What is wrong with a recipe is said, and mended by the next change.
func (f runFlags) runOnChanges(ctx context.Context, d *door.Door, name string) error {
	var files []string // of the recipe, outside of the project
	written := f.outputs()
	for i, file := range written {
		if !filepath.IsAbs(file) {
			written[i] = filepath.Join(d.Dir, file)
		}
	}
	look := func() (changes.Seen, error) {
		return changes.Look(append([]string{d.Dir}, files...), written)
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if r, _, err := d.Find(ctx, name, d.Options(f.locked, false)); err == nil && r != nil {
			files = slices.DeleteFunc(r.LocalFiles(), func(path string) bool {
				rel, err := filepath.Rel(d.Dir, path)
				return err == nil && filepath.IsLocal(rel)
			})
		}
		before, err := look()
		if err != nil {
			return cli.Usage("--watch: %v: at most %d", err, changes.Most)
		}
		if err := f.once(ctx, d, name); ctx.Err() != nil {
			return err
		} else if failed, ok := errors.AsType[*cli.Failure](err); !ok && err != nil {
			d.PrintError(err)
		} else if ok && failed.Err != nil {
			d.PrintError(failed.Err)
		}
		d.Say("watching %s for changes; Ctrl-C ends", text.Line(d.Dir))
		what, err := changes.Wait(ctx, tick.C, before, look)
		if ctx.Err() != nil {
			return cli.Fail(cli.ExitInterrupted, nil)
		}
		if err != nil {
			return cli.Usage("--watch: %v: at most %d", err, changes.Most)
		}
		for i := range what {
			what[i] = text.Line(d.Rel(what[i]))
		}
		d.Say("changed%s; it is run again", project.Listed(what))
	}
}
