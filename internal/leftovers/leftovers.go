// Package leftovers finds what killed processes of cookoff left.
package leftovers

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/temporary"
	"cookoff/internal/ui/text"
	"cookoff/runner/copies"
	"cookoff/sandbox"
	"cookoff/sandbox/scratch"
)

// Leftover is something that a killed process left.
type Leftover struct {
	Path  string `json:"path"`
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
}

// Find finds what killed processes left on this machine.
func Find() []Leftover {
	var all []Leftover
	add := func(what string, paths ...string) {
		for _, p := range paths {
			all = append(all, Leftover{Path: p, What: what, Bytes: sizeOf(p)})
		}
	}
	add("an empty control group", scratch.LeftoverGroups("")...)
	add("files of sandboxes", scratch.Leftovers("")...)
	add("the copy of a project", sandbox.Leftovers()...)
	add("what was being made", temporary.Left()...)
	return all
}

// kept is what the copy of a project is called that waits for the next run.
const kept = "the copy of the project, kept for the next run"

// Copies gives the copies of the project in dir that are kept for the next run and from
// which no run starts now.
func Copies(dir string) (all []Leftover) {
	store := copies.Store{Dir: filepath.Join(dir, ".cookoff", "cache")}
	for _, home := range store.Homes() {
		if copies.Idle(home) {
			all = append(all, Leftover{Path: home, What: kept, Bytes: sizeOf(home)})
		}
	}
	return all
}

// Remove removes what is left over.
func (l Leftover) Remove() error {
	if l.What == kept {
		return copies.Remove(l.Path)
	}
	return scratch.Remove(l.Path)
}

// Sweep removes what Find finds, and gives what it removed; what can't be removed stays.
func Sweep() (gone []Leftover) {
	for _, l := range Find() {
		if scratch.Remove(l.Path) == nil {
			gone = append(gone, l)
		}
	}
	temporary.Left() // lists of what is gone go
	return gone
}

// Say says in a few words what was removed, each kind once, and of how many bytes,
// where there were any.
func Say(gone []Leftover) string {
	var kinds []string
	size := int64(0)
	for _, l := range gone {
		size += l.Bytes
		if !slices.Contains(kinds, l.What) {
			kinds = append(kinds, l.What)
		}
	}
	said := fmt.Sprintf("removed %s of runs that were killed: %s",
		text.Count(len(gone), "leftover"), strings.Join(kinds, ", "))
	if size > 0 {
		said += ", " + text.Bytes(size)
	}
	return said
}

// sizeOf adds up the files of a tree as far as they can be seen.
func sizeOf(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
