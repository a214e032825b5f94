package trees

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"cookoff/sandbox/users"
)

// AsRootName is argv[0] of the process that works on a tree as root of the users that its files belong to.
const AsRootName = "cookoff-sandbox-trees"

// errand is the work of that process: one of these is set.
type errand struct {
	Remove string       `json:",omitempty"`
	Copy   *copyErrand  `json:",omitempty"`
	Own    *ownerErrand `json:",omitempty"`
}

// copyErrand copies what is in Src into Dst; where it is Whole, as CopyRoot does.
type copyErrand struct {
	Src, Dst          string
	UID, GID          int
	Live, Layer, Take bool
	Whole             bool     `json:",omitempty"`
	Leave             []string `json:",omitempty"`
}

// ownerErrand gives what is in Dir to its Owners, by their names there.
type ownerErrand struct {
	Dir    string
	Owners map[string]Owner
}

// Owner is a user and a group of a world.
type Owner struct{ UID, GID int }

// outcome is how the work of the process ended; an empty one is success.
type outcome struct {
	Errno syscall.Errno `json:",omitempty"`
	Why   string        `json:",omitempty"`
}

// errandError is an error of the process, whose kind is the kernel's.
type errandError struct{ outcome }

func (e *errandError) Error() string { return e.Why }

// Unwrap gives the kernel's error number.
func (e *errandError) Unwrap() error {
	if e.Errno == 0 {
		return nil
	}
	return e.Errno
}

func (e errand) do() error {
	switch {
	case e.Remove != "":
		return remove(e.Remove)
	case e.Copy != nil:
		return e.Copy.do()
	case e.Own != nil:
		return ownAll(e.Own.Dir, e.Own.Owners, users.Span{First: 1, FirstGroup: 1})
	}
	return errors.New("nothing to do")
}

func (e *copyErrand) do() error {
	c := Copier{UID: e.UID, GID: e.GID, Leave: e.Leave, Live: e.Live, Layer: e.Layer, Take: e.Take,
		Several: true}
	if e.Whole {
		return c.copyRoot(e.Src, e.Dst)
	}
	return c.copy(e.Src, e.Dst)
}

// lent has an errand done by root of a world with several users, where this process belongs to an ordinary
// user of the host that may have such worlds. Where it belongs to root, ok is false, and nothing is done.
func lent(e errand) (ok bool, err error) {
	if users.IsRoot() {
		return false, nil
	}
	span, err := users.Spanned()
	if err != nil {
		return false, err
	}
	return true, asRoot(span, e)
}

// Own gives all that is in a directory to the users of a world with several users: each file that owners
// names, to its owner, and every other one to root of the world.
func Own(dir string, owners map[string]Owner) error {
	span, err := users.Spanned()
	switch {
	case err != nil:
		return err
	case !span.Mapped:
		return ownAll(dir, owners, span)
	case len(owners) == 0: // it is root's already
		return nil
	}
	return asRoot(span, errand{Own: &ownerErrand{Dir: dir, Owners: owners}})
}

func ownAll(dir string, owners map[string]Owner, span users.Span) error {
	of := func(id, root, first int) int {
		if id == 0 {
			return root
		}
		return first + id - 1
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path) // path lies below it
		o := owners[filepath.ToSlash(rel)]
		return os.Lchown(path, of(o.UID, span.Root, span.First), of(o.GID, span.RootGroup, span.FirstGroup))
	})
}

// foreign reports whether something in a directory, as far as it can be looked into, belongs to one of the
// other users of this user's worlds.
func foreign(dir string, span users.Span) bool {
	found := false
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if d == nil {
			return nil
		}
		info, infoErr := d.Info()
		if infoErr != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && span.Has(int(st.Uid)) {
			found = true
			return fs.SkipAll
		}
		if err != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return found
}
