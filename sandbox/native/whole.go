package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cookoff/sandbox"
)

// elseDir holds, in the directory of a trial whose world shows the whole host,
// what is written outside of project and home; kernelDir what the kernel needs
// beside it.
const (
	elseDir   = "e"
	kernelDir = "ke"
)

// wholeTree is the host's tree as a world shows it, in the order of mounting.
//
// One overlay over "/" would be simpler. But the kernel lets nobody without
// rights on the host look below a mount that somebody else made, and the layer
// that takes the writes may not lie in the one below. So there is an overlay
// for each directory that holds neither, and the directories above those are
// made anew.
type wholeTree struct {
	Parts    []part
	Left     []string // what of the host is not shown, and why
	ReadOnly bool
}

// part is a place that the set-up mounts or makes.
type part struct {
	At   string
	Kind partKind
	Own  string // name of its directory in elseDir
	Link string // target of a symbolic link
}

type partKind string

const (
	overlaid partKind = "overlay"   // the host's directory, with writes in Own
	madeAnew partKind = "directory" // Own, in which others are mounted
	showFile partKind = "file"      // the host's file, read-only
	linked   partKind = "link"
)

// leftFile is where the set-up says what of the host it could not show.
const leftFile = "left"

// readLeft gives what the set-up said it left out.
func readLeft(dir string) ([]string, error) {
	var left []string
	b, err := os.ReadFile(filepath.Join(dir, leftFile))
	if err == nil {
		err = json.Unmarshal(b, &left)
	}
	if err != nil {
		return nil, fmt.Errorf("reading what of the host is not shown: %w", err)
	}
	return left, nil
}

// outside is what a world with the whole host has outside of project and home.
type outside struct {
	left    []string // what of the host is not shown
	parts   []part
	opened  time.Time
	looked  bool
	changed []string // once it is sealed or copied
	more    int
}

// NotShown says what of the host a world with Unrestricted lacks, and why.
func (w *world) NotShown() []string {
	if w.whole == nil {
		return nil
	}
	return w.whole.left
}

// ChangedElsewhere names what was changed outside of project and home.
func (w *world) ChangedElsewhere() (some []string, more int) {
	if w.whole == nil {
		return nil, 0
	}
	return w.whole.changed, w.whole.more
}

// checkWhole refuses what a world with the whole host can't be made by.
func (w *world) checkWhole(spec sandbox.Spec) error {
	switch {
	case spec.Filesystem != sandbox.Unrestricted:
		return nil
	case w.b.via != nil:
		return errors.New("only the native backend has filesystem: unrestricted\nhint: backend: native, or --sandbox native; or filesystem: project_only, with [sandbox] tool_paths for what else must be visible")
	case w.plain:
		return errors.New("filesystem: unrestricted needs overlays, and the kernel refuses them here\nhint: Linux 5.11 or later, with TMPDIR on a file system that takes user attributes (ext4, xfs, btrfs; tmpfs from Linux 6.6 on; in a container, a volume and not its own files); or filesystem: project_only, with [sandbox] tool_paths for what else must be visible")
	}
	return nil
}

// changedNamed is how many of the files that were changed elsewhere are named.
const changedNamed = 20

// look finds what was changed outside of project and home of the world in dir,
// once: what checks do there afterwards is not the contestant's doing.
func (o *outside) look(dir string) {
	if o != nil && !o.looked {
		o.looked = true
		o.note(filepath.Join(dir, elseDir))
	}
}

// note finds what was changed in dir. No link is followed.
func (o *outside) note(dir string) {
	for _, part := range o.parts {
		if part.Own == "" {
			continue
		}
		top := filepath.Join(dir, part.Own)
		_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what can't be looked at is not named
			}
			if info, err := d.Info(); err != nil || d.IsDir() || !changedSince(info, o.opened) {
				return nil
			}
			if len(o.changed) == changedNamed {
				o.more++
				return nil
			}
			rel, _ := filepath.Rel(top, path) // path lies below it
			o.changed = append(o.changed, filepath.Join(part.At, rel))
			return nil
		})
	}
}

// forgetElsewhere removes what a sealed world wrote outside of project and home,
// and keeps the names.
func (w *world) forgetElsewhere() error {
	if w.whole == nil {
		return nil
	}
	w.whole.look(w.dir)
	return errors.Join(removeTree(filepath.Join(w.dir, elseDir)), removeTree(filepath.Join(w.dir, kernelDir)))
}

// TryWhole opens a sandbox with Unrestricted, probes it from inside, and says
// what of this machine it lacks. An error says what is missing for one.
func TryWhole(ctx context.Context) (notShown []string, err error) {
	b := byName(Native, Options{})
	defer func() { err = errors.Join(err, closeBackend(b)) }()
	if err := check(ctx, b, sandbox.Spec{Filesystem: sandbox.Unrestricted}); err != nil {
		return nil, err
	}
	sb, err := b.Open(ctx, sandbox.Spec{Filesystem: sandbox.Unrestricted})
	if err != nil {
		return nil, err
	}
	if p, ok := sb.(sandbox.Partial); ok {
		notShown = p.NotShown()
	}
	return notShown, sb.Close()
}
