package recipe

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

// lockName is the file beside a recipe that says what its git sources meant
// when they were resolved.
const lockName = "recipe.lock"

// lockFile is recipe.lock.
type lockFile struct {
	Version int      `json:"version"`
	Sources []Source `json:"sources"`
}

// LockPath names the lock of the recipe at path.
func LockPath(path string) string { return filepath.Join(filepath.Dir(path), lockName) }

// ReadLock gives the sources that a lock pins; none where there is no file.
// The error names the file.
func ReadLock(path string) ([]Source, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
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
	if l.Version != 1 {
		return nil, fmt.Errorf("reading %s: version %d is not supported: this binary supports 1", path, l.Version)
	}
	for _, s := range l.Sources {
		if _, err := parseGitAddress(s.URL); err != nil {
			return nil, fmt.Errorf("reading %s: source %q: %w", path, s.URL, err)
		}
		if _, err := hex.DecodeString(s.SHA256); err != nil || len(s.SHA256) != 64 || !gitHash.MatchString(s.Commit) {
			return nil, fmt.Errorf("reading %s: source %q has no whole commit and sha256", path, s.URL)
		}
	}
	return l.Sources, nil
}

// MergeLock lays what was resolved over what a lock holds: those of the same
// address are replaced, the others stay, as other recipes beside this one may
// need them. changed tells whether anything is new.
func MergeLock(old, resolved []Source) (merged []Source, changed bool) {
	merged = slices.Clone(old)
	for _, s := range resolved {
		i := slices.IndexFunc(merged, func(o Source) bool { return o.URL == s.URL })
		switch {
		case i < 0:
			merged, changed = append(merged, s), true
		case merged[i] != s:
			merged[i], changed = s, true
		}
	}
	slices.SortFunc(merged, func(a, b Source) int { return strings.Compare(a.URL, b.URL) })
	return merged, changed
}

// MarshalLock writes a lock.
func MarshalLock(sources []Source) []byte {
	content, _ := json.MarshalIndent(lockFile{1, sources}, "", "  ") // texts always encode
	return append(content, '\n')
}
