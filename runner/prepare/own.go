package prepare

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/hint"
	"cookoff/sandbox/trees"
)

// workDir is where in an exported state the project's files are.
const workDir = "w"

// record is a file beside those of an exported state, which no world has: a made, as JSON.
const record = "made.json"

// made says of what a command wrote how far it belongs to one state of a project.
type made struct {
	// Own are files that the project has and the command changed. Worlds have the project's, so that another
	// project without them would lack them.
	Own []string `json:"own"`
	// Sources: it lies where no packages do, so that it was made of the project's own files.
	Sources bool `json:"sources"`
}

// packages are directories, and files, that package managers write beside a project's own.
var packages = []string{"node_modules", "vendor", ".venv", "venv", "site-packages", "__pycache__", ".yarn", ".pnp.cjs",
	".pnp.loader.mjs", ".pnpm-store", ".husky", ".bundle", ".gradle", ".cache", ".npm"}

// ofPackages reports whether a file of a project is what package managers write there, a lockfile among it.
func ofPackages(rel string) bool {
	if parts := strings.Split(rel, "/"); slices.ContainsFunc(parts, func(p string) bool {
		return slices.Contains(packages, p) || strings.HasSuffix(p, ".egg-info")
	}) {
		return true
	}
	return isLock(path.Base(rel))
}

// settle leaves the project's own files out of what was made, and says what that is: worlds have these as the
// project has them. An error says what no world can have as the command left it.
func settle(dir, project string, gone []string) (m made, err error) {
	if project == "" {
		return m, nil
	}
	top := filepath.Join(dir, workDir)
	if lost, err := removed(top, project, gone); err != nil || lost != "" {
		return m, unfit(err, "removes", lost)
	}
	if _, err := os.Lstat(filepath.Join(project, repository)); err == nil {
		// Git notes there that files were looked at, or was told of hooks: the project's is as it was.
		if err := trees.Remove(filepath.Join(top, repository)); err != nil {
			return m, err
		}
	}
	err = meet(top, project, func(rel string, meets, alike bool) error {
		if meets && !alike {
			return unfit(nil, "puts something of another kind in place of", rel)
		}
		m.Sources = m.Sources || !ofPackages(rel)
		if meets {
			m.Own = append(m.Own, rel)
		}
		return nil
	})
	if err != nil || len(m.Own) == 0 && !m.Sources {
		return m, err
	}
	for _, rel := range m.Own { // no directory above it is a link
		if err := trees.Remove(filepath.Join(top, filepath.FromSlash(rel))); err != nil {
			return m, err
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	return m, os.WriteFile(filepath.Join(dir, record), text, 0o644)
}

// repository is where git keeps a repository.
const repository = ".git"

// unfit is the error of a command that a project can't be prepared with, or err.
func unfit(err error, does, what string) error {
	if err != nil {
		return err
	}
	return hint.New("what is to be changed in the project is the setup's; what it makes anew must not lie in "+
		"the project already (node_modules and .venv are left out by themselves where no commit has them)",
		"the command %s %q, which the project has", does, what)
}

// removed gives a file of the project that the command took away, and did not write again; "": none.
func removed(top, project string, gone []string) (lost string, err error) {
	for _, g := range gone {
		if g == repository || strings.HasPrefix(g, repository+string(filepath.Separator)) {
			continue
		}
		err := filepath.WalkDir(filepath.Join(project, g), func(p string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a directory that is new was not taken away
			}
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(project, p)
			if err != nil {
				return err
			}
			if _, err := os.Lstat(filepath.Join(top, rel)); err != nil {
				lost = filepath.ToSlash(rel)
				return fs.SkipAll
			}
			return nil
		})
		if err != nil || lost != "" {
			return lost, err
		}
	}
	return "", nil
}

// meet tells of each file below top, by its path with slashes, whether it meets something of the project, and whether
// both are files then; of a directory that the project does not have, nothing below is told.
func meet(top, project string, tell func(rel string, meets, alike bool) error) error {
	return filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if p == top {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // the command wrote nothing there
			}
			return err
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, p)
		if err != nil {
			return err
		}
		st, err := os.Lstat(filepath.Join(project, rel))
		if none := errors.Is(err, fs.ErrNotExist); err != nil && !none {
			return err
		} else if !none && d.IsDir() && st.IsDir() {
			return nil
		} else if err := tell(filepath.ToSlash(rel), !none, !none && d.IsDir() == st.IsDir()); err != nil {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// recorded is what was noted of something that was made.
func recorded(dir string) (m made, err error) {
	text, err := os.ReadFile(filepath.Join(dir, record))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

// OfSources reports whether what lies in a directory that a Store gave was made of a project's own files, so that it
// belongs to one state of it.
func OfSources(dir string) (bool, error) {
	m, err := recorded(dir)
	return m.Sources, err
}

// fits reports whether what was made for one project is what another one needs: it lies over none of its files, and
// the files that were left out of it are there.
func fits(dir, project string) (bool, error) {
	if project == "" {
		return true, nil
	}
	m, err := recorded(dir)
	if err != nil {
		return false, err
	}
	for _, rel := range m.Own {
		if st, err := os.Lstat(filepath.Join(project, filepath.FromSlash(rel))); err != nil || st.IsDir() {
			return false, nil // it is not there
		}
	}
	free := true
	err = meet(filepath.Join(dir, workDir), project, func(_ string, meets, _ bool) error {
		if free = !meets; meets {
			return fs.SkipAll
		}
		return nil
	})
	return free, err
}
