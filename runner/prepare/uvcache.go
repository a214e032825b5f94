package prepare

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// What a package of uv's lockfile says.
var (
	uvName   = pattern.New(`(?m)^name = "([A-Za-z0-9._-]+)"`)
	uvDigest = pattern.New(`hash = "sha256:([0-9a-f]{64})"`)
	uvMine   = pattern.New(`(?m)^source = \{ (virtual|editable|directory) = `)
)

// What uv's note of a wheel says: where it was unpacked, and the digest of the file that it was.
var (
	uvHash    = pattern.New(`(?i)sha256[^0-9a-z]{1,3}([0-9a-f]{64})`)
	uvArchive = pattern.New(`^[A-Za-z0-9_-]{8,64}$`)
)

// uvPackages copies out of uv's cache what a lockfile names: the wheels of which uv noted a digest that the
// lockfile has. Some of them may be for other machines, so that nobody knows what is missing: some
// reports whether there is any, which a command without a network may do with.
func (c Caches) uvPackages(lock, to string) (some bool, err error) {
	text, err := os.ReadFile(lock)
	if err != nil || c.Uv == "" {
		return false, err
	}
	for entry := range strings.SplitSeq(strings.ReplaceAll(string(text), "\r\n", "\n"), "[[package]]\n") {
		name := uvName.FindStringSubmatch(entry)
		if name == nil || uvMine.MatchString(entry) {
			continue
		}
		p := pin{name: normal(name[1]), digests: all(uvDigest, entry)}
		if len(p.digests) == 0 {
			continue // of a repository or a path
		}
		took, err := c.uvPackage(p, to)
		if err != nil {
			return false, err
		}
		some = some || took
	}
	return some, nil
}

// all are the texts of the first group of a pattern.
func all(p *pattern.Pattern, text string) (list []string) {
	for _, m := range p.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// uvPins copies what requirements files name by version, with what uv knows of these packages' versions.
func (c Caches) uvPins(list []*pin, to string) (some bool, err error) {
	if c.Uv == "" {
		return false, nil
	}
	for _, p := range list {
		took, err := c.uvPackage(*p, to)
		if err != nil {
			return false, err
		}
		if !took {
			continue
		}
		some = true
		pages, _ := filepath.Glob(filepath.Join(globbed(c.Uv), "simple-v*", "pypi", p.name+".rkyv")) // it is well-formed
		for _, page := range pages {
			if err := c.uvCopy(page, to); err != nil {
				return false, err
			}
		}
	}
	return some, nil
}

// uvPackage copies the wheels of a package that are what is named.
func (c Caches) uvPackage(p pin, to string) (some bool, err error) {
	for _, index := range []string{"pypi", filepath.Join("index", "*")} {
		notes, _ := filepath.Glob(filepath.Join(globbed(c.Uv), "wheels-v*", index, p.name, "*.http")) // it is well-formed
		for _, note := range notes {
			took, err := c.uvWheel(note, p, to)
			if err != nil {
				return false, err
			}
			some = some || took
		}
	}
	return some, nil
}

// uvWheel copies a wheel and what uv notes of it.
func (c Caches) uvWheel(note string, p pin, to string) (bool, error) {
	base := strings.TrimSuffix(note, ".http")
	link, err := os.Readlink(base)
	archive := filepath.Base(link)
	if err != nil || !uvArchive.MatchString(archive) || filepath.Base(filepath.Dir(link)) != "archive-v0" {
		return false, nil //nolint:nilerr // it was never unpacked
	}
	st, err := os.Lstat(note)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 1<<16 {
		return false, nil //nolint:nilerr // it is none
	}
	text, err := os.ReadFile(note)
	if err != nil {
		return false, err
	}
	if p.version != "" && !strings.HasPrefix(filepath.Base(base), p.version+"-") {
		return false, nil
	}
	if noted := all(uvHash, string(text)); len(p.digests) > 0 &&
		!slices.ContainsFunc(noted, func(d string) bool { return slices.Contains(p.digests, d) }) {
		return false, nil
	}
	whole, err := copyFiles(filepath.Join(c.Uv, "archive-v0", archive), filepath.Join(to, "archive-v0", archive))
	if !whole {
		return false, err
	}
	for _, beside := range []string{note, base + ".msgpack"} {
		if err := c.uvCopy(beside, to); err != nil {
			return false, err
		}
	}
	rel, err := filepath.Rel(c.Uv, base)
	if err != nil {
		return false, err
	}
	up, err := filepath.Rel(filepath.Dir(rel), filepath.Join("archive-v0", archive))
	if err != nil {
		return false, err
	}
	if err := os.Symlink(up, filepath.Join(to, rel)); err != nil && !os.IsExist(err) {
		return false, err
	}
	return true, nil
}

// uvCopy copies a file of the cache to its place in another; one that is not there is none.
func (c Caches) uvCopy(file, to string) error {
	rel, err := filepath.Rel(c.Uv, file)
	if err != nil {
		return err
	}
	if err := copyInto(file, filepath.Join(to, rel)); !os.IsNotExist(err) {
		return err
	}
	return nil
}

// copyFiles copies the files of a directory. One with links or devices is not taken.
func copyFiles(from, to string) (whole bool, err error) {
	whole = true
	err = filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			whole = false
			return fs.SkipAll
		}
		if err := copyInto(at, filepath.Join(to, rel)); err != nil {
			return err
		}
		if st, err := d.Info(); err != nil || st.Mode()&0o111 == 0 {
			return err
		}
		return os.Chmod(filepath.Join(to, rel), 0o755)
	})
	if os.IsNotExist(err) {
		return false, nil // it was pruned
	}
	return whole && err == nil, err
}
