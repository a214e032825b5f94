// Package whole shows the whole host to a world: it plans of which overlays, copies and
// read-only files that is made, and says what is left out and what was changed.
package whole

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
)

// Outside is what a world with the whole host has outside of project and home. A nil
// Outside is that of a world which shows none of the host there.
type Outside struct {
	left   []string // what of the host is not shown
	parts  []plan.Part
	since  time.Time // when it was opened
	looked bool
	some   []string // changed, once it is sealed or copied
	more   int
}

// Built reads what the set-up could not show of the world in dir.
func (o *Outside) Built(dir string) error {
	if o == nil {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, plan.LeftFile))
	if err == nil {
		err = json.Unmarshal(b, &o.left)
	}
	if err != nil {
		return fmt.Errorf("reading what of the host is not shown: %w", err)
	}
	return nil
}

// NotShown says what of the host the world lacks, and why.
func (o *Outside) NotShown() []string {
	if o == nil {
		return nil
	}
	return o.left
}

// Changed names what was changed outside of project and home, as far as it was looked
// at: some of it, and how many more.
func (o *Outside) Changed() (some []string, more int) {
	if o == nil {
		return nil, 0
	}
	return o.some, o.more
}

// changedNamed is how many of the files that were changed elsewhere are named.
const changedNamed = 20

// Look finds what was changed outside of project and home of the world in dir,
// once: what checks do there afterwards is not the contestant's doing.
func (o *Outside) Look(dir string) {
	if o == nil || o.looked {
		return
	}
	o.looked = true
	for _, part := range o.parts {
		if part.Own != "" {
			o.note(part.At, filepath.Join(dir, plan.ElseDir, part.Own))
		}
	}
}

// note finds what was changed in top, where what is written below at goes. No link is
// followed.
func (o *Outside) note(at, top string) {
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what can't be looked at is not named
		}
		if info, err := d.Info(); err != nil || d.IsDir() || !changedSince(info, o.since) {
			return nil
		}
		if len(o.some) == changedNamed {
			o.more++
			return nil
		}
		rel, _ := filepath.Rel(top, path) // path lies below it
		o.some = append(o.some, filepath.Join(at, rel))
		return nil
	})
}

// Forget removes what a sealed world wrote outside of project and home, and keeps
// the names.
func (o *Outside) Forget(dir string) error {
	if o == nil {
		return nil
	}
	o.Look(dir)
	return errors.Join(trees.Remove(filepath.Join(dir, plan.ElseDir)), trees.Remove(filepath.Join(dir, plan.KernelDir)))
}
