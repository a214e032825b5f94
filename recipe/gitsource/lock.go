package gitsource

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LockName is the file beside a recipe that says what its git sources meant
// when they were resolved.
const LockName = "recipe.lock"

// Lock is what a recipe.lock holds: what the git sources of the recipes beside
// it meant when they were resolved.
type Lock struct {
	path    string
	entries []lockEntry
}

// lockEntry is a source, and the names of the files beside the lock that use
// it; none where that is not known.
type lockEntry struct {
	Source
	For []string `json:"for,omitempty"`
}

// lockFile is recipe.lock.
type lockFile struct {
	Version int         `json:"version"`
	Sources []lockEntry `json:"sources"`
}

// LockPath names the lock of the recipe at path.
func LockPath(path string) string { return filepath.Join(filepath.Dir(path), LockName) }

// ReadLock reads the lock at path, which is empty where there is no file. The
// error names the file.
func ReadLock(path string) (*Lock, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{path: path}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the lock: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	var l lockFile
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if d.More() {
		return nil, fmt.Errorf("reading %s: something stands behind the lock", path)
	}
	if l.Version != 1 {
		return nil, fmt.Errorf("reading %s: version %d is not supported: this binary supports 1", path, l.Version)
	}
	seen := map[string]bool{}
	for _, s := range l.Sources {
		if _, err := ParseAddress(s.URL); err != nil {
			return nil, fmt.Errorf("reading %s: source %q: %w", path, s.URL, err)
		}
		if _, err := hex.DecodeString(s.SHA256); err != nil || len(s.SHA256) != 64 || !gitHash.MatchString(s.Commit) {
			return nil, fmt.Errorf("reading %s: source %q has no whole commit and sha256", path, s.URL)
		}
		if seen[s.URL] {
			return nil, fmt.Errorf("reading %s: source %q is there twice", path, s.URL)
		}
		seen[s.URL] = true
	}
	return &Lock{path, l.Sources}, nil
}

// Sources gives what is pinned, in the order of addresses.
func (l *Lock) Sources() []Source {
	out := make([]Source, len(l.entries))
	for i, e := range l.entries {
		out[i] = e.Source
	}
	return out
}

// Pin lays what the recipe at path resolved to over the lock: those of the
// same address are replaced, the others stay. It tells whether that changes
// anything.
func (l *Lock) Pin(path string, resolved []Source) (changed bool) {
	name := filepath.Base(path)
	for _, s := range resolved {
		i := slices.IndexFunc(l.entries, func(e lockEntry) bool { return e.URL == s.URL })
		if i < 0 {
			l.entries, changed = append(l.entries, lockEntry{s, []string{name}}), true
			continue
		}
		e := &l.entries[i]
		if e.Source != s {
			e.Source, changed = s, true
		}
		if !slices.Contains(e.For, name) {
			e.For, changed = append(e.For, name), true
			slices.Sort(e.For)
		}
	}
	slices.SortFunc(l.entries, func(a, b lockEntry) int { return strings.Compare(a.URL, b.URL) })
	return changed
}

// Prune takes out what nobody needs any more, now that the recipe at path
// resolves to resolved: what no file beside the lock is known to use. It gives
// the addresses, and tells whether the lock changes.
func (l *Lock) Prune(path string, resolved []Source) (gone []string, changed bool) {
	name := filepath.Base(path)
	for i := range l.entries {
		e := &l.entries[i]
		used := slices.ContainsFunc(resolved, func(s Source) bool { return s.URL == e.URL })
		users := slices.DeleteFunc(slices.Clone(e.For), func(user string) bool {
			return user == name && !used || user != name && !l.beside(user)
		})
		changed = changed || len(users) < len(e.For)
		if e.For = users; len(users) == 0 {
			gone, changed = append(gone, e.URL), true
		}
	}
	l.entries = slices.DeleteFunc(l.entries, func(e lockEntry) bool { return len(e.For) == 0 })
	return gone, changed
}

// beside tells whether a file is there, next to the lock.
func (l *Lock) beside(name string) bool {
	_, err := os.Lstat(filepath.Join(filepath.Dir(l.path), name))
	return !errors.Is(err, fs.ErrNotExist)
}

// MarshalLock writes a lock of sources alone.
func MarshalLock(sources []Source) []byte {
	l := &Lock{}
	for _, s := range sources {
		l.entries = append(l.entries, lockEntry{Source: s})
	}
	return l.Marshal()
}

// Marshal writes the lock.
func (l *Lock) Marshal() []byte {
	content, _ := json.MarshalIndent(lockFile{1, l.entries}, "", "  ") // texts always encode
	return append(content, '\n')
}
