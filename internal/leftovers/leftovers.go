// Package leftovers finds what killed processes of cookoff left: files that nobody
// has locked, or that were half written long ago.
package leftovers

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/internal/ui/text"
	"cookoff/runner/copies"
	"cookoff/sandbox"
	"cookoff/sandbox/scratch"
	"cookoff/trial"
)

// halfWritten is how old a file under way must be to be taken for one that
// nobody goes on with.
const halfWritten = time.Hour

// Leftover is something that a killed process left.
type Leftover struct {
	Path  string `json:"path"`
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
}

// Find finds what killed processes left of their work on the project in dir, and
// on this machine: locked by nobody, or half written long ago.
func Find(dir string) []Leftover {
	var all []Leftover
	add := func(what string, paths ...string) {
		for _, p := range paths {
			all = append(all, Leftover{Path: p, What: what, Bytes: sizeOf(p)})
		}
	}
	add("an empty control group", scratch.LeftoverGroups("")...)
	add("files of sandboxes", scratch.Leftovers("")...)
	add("the copy of a project", sandbox.Leftovers()...)
	add(halfState, halfStates(dir)...)
	if cache, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(cache, "cookoff")
		add("a download that was under way", stale(filepath.Join(cache, "*", ".fetch-*"),
			filepath.Join(cache, "*", ".keep-*"), filepath.Join(cache, "*", "*", ".fetch-*"),
			filepath.Join(cache, "*", "*", ".keep-*"))...)
		add("a build cache that was being made", stale(filepath.Join(cache, "go-build", "new-*"))...)
	}
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

// Sweep removes what is found for the project in dir, and of the run of a journal
// the states that were being written: nobody else writes them. It gives what it
// removed; what can't be removed stays.
func Sweep(dir, journal string) (gone []Leftover) {
	found := Find(dir)
	if journal != "" {
		for _, half := range halfOf(journal) {
			found = append(found, Leftover{Path: half, What: halfState, Bytes: sizeOf(half)})
		}
	}
	for _, l := range found {
		if scratch.Remove(l.Path) == nil {
			gone = append(gone, l)
		}
	}
	return gone
}

// halfState is what a state is called whose writer was killed.
const halfState = "a state that was being written"

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
	said := fmt.Sprintf("removed %s of runs that were killed: %s", text.Count(len(gone), "leftover"), strings.Join(kinds, ", "))
	if size > 0 {
		said += ", " + text.Bytes(size)
	}
	return said
}

// halfStates gives the states of runs that nobody writes any more, or not for long.
func halfStates(dir string) (half []string) {
	ids, _ := trial.Runs(dir) // none where they can't be listed
	for _, id := range ids {
		journal := filepath.Join(trial.RunsDir(dir), id, trial.JournalFile)
		if found := halfOf(journal); len(found) > 0 && trial.Written(journal) {
			half = append(half, stale(found...)...)
		} else {
			half = append(half, found...)
		}
	}
	return half
}

// halfOf gives the states of a run that are being written.
func halfOf(journal string) []string {
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(journal), trial.StatesDir,
		".new-*")) // a directory's name with a pattern in it finds nothing
	return found
}

// stale gives the files that match and were not written to for long.
func stale(patterns ...string) (old []string) {
	for _, p := range patterns {
		matches, _ := filepath.Glob(p) // the patterns are well-formed
		for _, m := range matches {
			if st, err := os.Lstat(m); err == nil && time.Since(st.ModTime()) > halfWritten {
				old = append(old, m)
			}
		}
	}
	return old
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
