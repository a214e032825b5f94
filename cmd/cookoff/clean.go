package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/trial"
)

// halfWritten is how old a file under way must be to be taken for one that
// nobody goes on with.
const halfWritten = time.Hour

// leftover is something that a killed process left.
type leftover struct {
	Path  string `json:"path"`
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
}

func (a *app) cleanCommand() *cobra.Command {
	var dryRun bool
	var format string
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed runs left behind",
		Long: `Removes what cookoff left behind where it was killed: the files of its sandboxes,
copies of projects, empty control groups, files that were being written. No process
and no mount is ever left: they end with the cookoff that made them. What a running
cookoff uses is locked, and stays; so do runs and their journals.`,
		Example: `  cookoff clean --dry-run
  cookoff clean`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if err := cli.OneOf("format", format, "text", "json"); err != nil {
				return err
			}
			return a.clean(dryRun, format)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be removed")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (a *app) clean(dryRun bool, format string) error {
	found := a.leftovers()
	var failed error
	gone := slices.DeleteFunc(slices.Clone(found), func(l leftover) bool {
		if dryRun {
			return false
		}
		err := native.RemoveTree(l.Path)
		failed = errors.Join(failed, err)
		return err != nil
	})
	if format == "json" {
		failed = errors.Join(failed, a.PrintJSON(append([]leftover{}, gone...)))
	} else {
		verb := "removed"
		if dryRun {
			verb = "would remove"
		}
		for _, l := range gone {
			if _, err := fmt.Fprintf(a.Out, "%s %s (%s, %s)\n", verb, text.Line(l.Path), l.What, text.Bytes(l.Bytes)); err != nil {
				return cli.Written(err)
			}
		}
		if len(found) == 0 {
			a.Say("nothing is left over")
		}
	}
	if failed != nil {
		return cli.Fail(cli.ExitInfra, failed)
	}
	return nil
}

// leftovers finds them: locked by nobody, or half written long ago.
func (a *app) leftovers() []leftover {
	var all []leftover
	add := func(what string, paths ...string) {
		for _, p := range paths {
			all = append(all, leftover{Path: p, What: what, Bytes: sizeOf(p)})
		}
	}
	add("an empty control group", native.LeftoverGroups(native.Options{})...)
	add("files of sandboxes", native.Leftovers(native.Options{})...)
	add("the copy of a project", sandbox.Leftovers()...)
	add("a state that was being written", a.halfStates()...)
	if cache, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(cache, "cookoff")
		add("a download that was under way", stale(filepath.Join(cache, "*", ".fetch-*"), filepath.Join(cache, "*", ".keep-*"), filepath.Join(cache, "*", "*", ".fetch-*"), filepath.Join(cache, "*", "*", ".keep-*"))...)
		add("a build cache that was being made", stale(filepath.Join(cache, "go-build", "new-*"))...)
	}
	return all
}

// sweep removes what is left of cookoffs that were killed, before a run begins or
// goes on, and says so. What can't be removed "clean" tells of.
func (a *app) sweep(b *begun) {
	found := a.leftovers()
	if b != nil { // nobody else writes states of this run
		for _, half := range halfOf(b.journal.Path()) {
			found = append(found, leftover{Path: half, Bytes: sizeOf(half)})
		}
	}
	n, size := 0, int64(0)
	for _, l := range found {
		if native.RemoveTree(l.Path) == nil {
			n, size = n+1, size+l.Bytes
		}
	}
	if n > 0 {
		a.Say("removed %s of runs that were killed, %s", text.Count(n, "leftover"), text.Bytes(size))
	}
}

// halfStates gives the states of runs that nobody writes any more, or not for long.
func (a *app) halfStates() (half []string) {
	ids, _ := trial.Runs(a.Dir) // none where they can't be listed
	for _, id := range ids {
		journal := filepath.Join(trial.RunsDir(a.Dir), id, trial.JournalFile)
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
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(journal), trial.StatesDir, ".new-*")) // a directory's name with a pattern in it finds nothing
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
