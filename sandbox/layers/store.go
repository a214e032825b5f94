package layers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/scratch"
	"cookoff/sandbox/users"
	"cookoff/sandbox/wire"
)

// Store has the files of all worlds of one backend.
type Store struct {
	Space   *scratch.Space
	Layered bool   // its worlds mount layers; else they are always copies
	GoCache string // a warm Go build cache that worlds start with; "": none
	// PythonCache has, in the directory sandbox.PythonCache, what this machine's Pythons
	// have compiled of their own modules, for worlds of the referee; "": none.
	PythonCache string
	Owners      *Owners
	Sums        string // where sums of shared files are kept for the next process; "": nowhere

	mu     sync.Mutex
	copies bool // no overlays here: worlds are copies
	sums   sums
}

// Python gives the compiled modules of this machine's Pythons that a world is to have,
// "" for none. Python takes none of its own by itself where it is told to look elsewhere
// for those of the project, as the referee does. Where contestants may
// change Python itself, nothing is given.
func (s *Store) Python(spec sandbox.Spec) string {
	if spec.Profile != sandbox.Verify || spec.Root.Dir != "" || spec.User.Super() ||
		spec.Filesystem == sandbox.Unrestricted {
		return ""
	}
	return s.PythonCache
}

// Refused reports whether err says for the first time that overlays can't
// be had here; from then on worlds are copies.
func (s *Store) Refused(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.copies || !errors.Is(err, errOwners) && !errors.Is(err, wire.ErrOverlay) {
		return false
	}
	s.copies = true
	return true
}

// TestOnlyCopies has worlds be copies, as where overlays are refused.
func (s *Store) TestOnlyCopies() { s.copies = true }

// Begin makes the directory of a world, and finds what it starts with. What it gives
// with an error is still to be removed.
func (s *Store) Begin(spec sandbox.Spec, agent users.Agent) (*Files, error) {
	f := &Files{store: s, agent: agent, super: spec.User.Super(), several: spec.User.Many(), most: spec.Limits}
	var err error
	if f.mode, err = s.modeOf(f, spec); err != nil {
		return f, err
	}
	if f.lower, f.from, err = s.startOf(spec); err != nil {
		return f, err
	}
	if spec.Prepared != "" && f.Copied() {
		return f, errors.New("what prepare: made needs overlays, and this sandbox has none\n" +
			"hint: the native backend has them on Linux 5.11 or later, " +
			"with TMPDIR on a file system that takes user attributes; or have the setup do it")
	}
	if f.dir, err = s.Space.New(); err == nil && f.super && users.IsRoot() {
		err = agent.Own(f.dir) // the set-up, which must get in, is the world's root
	}
	return f, err
}

// modeOf chooses how a world keeps its files.
func (s *Store) modeOf(f *Files, spec sandbox.Spec) (mode, error) {
	s.mu.Lock()
	copies := s.copies
	s.mu.Unlock()
	has, whole := s.Layered, spec.Filesystem == sandbox.Unrestricted
	switch {
	case whole && !has:
		return nil, errors.New("only the native backend has filesystem: unrestricted\nhint: backend: native, " +
			"or --sandbox native; or filesystem: project_only, with [sandbox] tool_paths for what else must be visible")
	case whole && copies:
		return nil, errors.New("filesystem: unrestricted needs overlays, and the kernel refuses them here\n" +
			"hint: Linux 5.11 or later, with TMPDIR on a file system that takes user attributes (ext4, xfs, btrfs; " +
			"tmpfs from Linux 6.6 on; in a container, a volume and not its own files); " +
			"or filesystem: project_only, with [sandbox] tool_paths for what else must be visible")
	case copies && spec.Root.Dir != "":
		return nil, errors.New("a root of its own needs overlays, and the kernel refuses them here\n" +
			"hint: Linux 5.11 or later, with TMPDIR on a file system that takes user attributes (ext4, xfs, btrfs; " +
			"tmpfs from Linux 6.6 on)")
	case copies && spec.User.Many():
		return nil, errors.New("user: root+others needs overlays, and the kernel refuses them here\n" +
			"hint: Linux 5.11 or later, with TMPDIR on a file system that takes user attributes (ext4, xfs, btrfs; " +
			"tmpfs from Linux 6.6 on)")
	case !has || copies:
		return &copied{of: f}, nil
	}
	return layered(f), nil
}

// errOther says that a state can't be opened by the backend that it is given to.
var errOther = errors.New("a state of another backend")

// startOf finds what a world starts with, newest first, and the state whose that is,
// which is held then.
func (s *Store) startOf(spec sandbox.Spec) (lower []stratum, from *State, err error) {
	if spec.State != nil {
		st, ok := spec.State.(*State)
		if !ok || st.store != s {
			return nil, nil, errOther
		}
		if err := st.hold(); err != nil {
			return nil, nil, err
		}
		return st.layers, st, nil
	}
	if spec.Prepared != "" {
		made := stratum{work: filepath.Join(spec.Prepared, plan.TopWork),
			home: filepath.Join(spec.Prepared, plan.TopHome), shared: true}
		if rest := filepath.Join(spec.Prepared, plan.TopRest); spec.Root.Dir != "" && isDir(rest) {
			made.rest = rest
		}
		lower = append(lower, made)
	}
	if spec.Root.Dir != "" {
		lower = append(lower, stratum{rest: filepath.Join(spec.Root.Dir, sandbox.RootTree)})
	}
	if spec.Project == "" {
		return lower, nil, nil
	}
	dir, err := filepath.Abs(spec.Project)
	if err != nil {
		return nil, nil, err
	}
	if st, err := os.Stat(dir); err != nil {
		return nil, nil, fmt.Errorf("opening the project: %w", err)
	} else if !st.IsDir() {
		return nil, nil, fmt.Errorf("opening the project: %s is not a directory", dir)
	}
	return append(lower, stratum{work: dir, shared: true}), nil, nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
