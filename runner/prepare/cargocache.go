package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// cargoCrates copies the crates that a Cargo.lock names out of Cargo's registry, each
// with the digest that the lockfile has, and what its index says of them.
func (c Caches) cargoCrates(lock, to string) (all bool, err error) {
	var file struct {
		Package []struct{ Name, Version, Source, Checksum string }
	}
	if _, err := toml.DecodeFile(lock, &file); err != nil {
		return false, nil //nolint:nilerr // cargo itself will say it better
	}
	all = true
	for _, p := range file.Package {
		if p.Source == "" {
			continue // of the project itself
		}
		has := false
		if strings.HasPrefix(p.Source, "registry+") {
			if has, err = c.cargoCrate(p.Name, p.Name+"-"+p.Version+".crate", p.Checksum, to); err != nil {
				return false, err
			}
		}
		all = all && has
	}
	return all, nil
}

// cargoCrate copies one crate of any registry.
func (c Caches) cargoCrate(name, file, digest, to string) (has bool, err error) {
	index := indexOf(name)
	if c.Cargo == "" || index == "" || filepath.Base(file) != file {
		return false, nil
	}
	found, err := filepath.Glob(filepath.Join(c.Cargo, "registry", "cache", "*"))
	if err != nil {
		return false, err
	}
	for _, dir := range found {
		registry := filepath.Base(dir)
		crate := filepath.Join("registry", "cache", registry, file)
		if !isDigest(filepath.Join(c.Cargo, crate), digest) {
			continue
		}
		top := filepath.Join("registry", "index", registry)
		for _, rel := range []string{crate, filepath.Join(top, "config.json"), filepath.Join(top, ".cache", index)} {
			err := copyInto(filepath.Join(c.Cargo, rel), filepath.Join(to, rel))
			if errors.Is(err, fs.ErrNotExist) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
		}
		return true, nil
	}
	return false, nil
}

// indexOf is where an index has a crate; "": it can't be the name of one.
func indexOf(name string) string {
	name = strings.ToLower(name)
	if name == "" || strings.ContainsAny(name, `/\.`) {
		return ""
	}
	switch len(name) {
	case 1, 2:
		return filepath.Join(string('0'+rune(len(name))), name)
	case 3:
		return filepath.Join("3", name[:1], name)
	}
	return filepath.Join(name[:2], name[2:4], name)
}

// isDigest reports whether a regular file has a SHA-256.
func isDigest(file, digest string) bool {
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && hex.EncodeToString(h.Sum(nil)) == digest
}
