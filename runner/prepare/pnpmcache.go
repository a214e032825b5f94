package prepare

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/pattern"
)

// Entries of pnpm's lockfile, and the digests that they have.
var (
	pnpmEntry  = pattern.New(`(?m)^\s+resolution: *\{?.*$`)
	pnpmDigest = pattern.New(`\bintegrity: *(sha512-[A-Za-z0-9+/=]+)`)
	pnpmOwn    = pattern.New(`\bdirectory: `)
)

// pnpmPackages copies the packages that a lockfile names out of pnpm's store, which has
// what is in each under its digest.
func (c Caches) pnpmPackages(lock, to string) (all bool, err error) {
	text, err := os.ReadFile(lock)
	if err != nil {
		return false, err
	}
	all = true
	for _, entry := range pnpmEntry.FindAllString(string(text), -1) {
		m := pnpmDigest.FindStringSubmatch(entry)
		if m == nil {
			all = all && pnpmOwn.MatchString(entry)
			continue
		}
		has, err := c.pnpmPackage(m[1], to)
		if err != nil {
			return false, err
		}
		all = all && has
	}
	return all, nil
}

// pnpmPackage copies one package: the list of its files, and these.
func (c Caches) pnpmPackage(digest, to string) (has bool, err error) {
	h, ok := hexOf(digest)
	if !ok || c.Pnpm == "" {
		return false, nil
	}
	// the pattern is well-formed
	list, _ := filepath.Glob(filepath.Join(c.Pnpm, "v10", "index", h[:2], h[2:64]+"-*.json"))
	list = append(list, filepath.Join(c.Pnpm, "v3", "files", h[:2], h[2:]+"-index.json"))
	for _, at := range list {
		raw, err := os.ReadFile(at)
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(c.Pnpm, at)
		if err != nil {
			return false, err
		}
		has, err := c.pnpmFiles(raw, strings.Split(rel, string(filepath.Separator))[0], filepath.Join(to, rel), to)
		if has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// pnpmFiles copies the files that a list of the store names, each where its content is what
// its digest says, and the list, without what was built here.
func (c Caches) pnpmFiles(raw []byte, version, index, to string) (has bool, err error) {
	var whole map[string]json.RawMessage
	var list map[string]struct {
		Integrity string `json:"integrity"`
		Mode      int    `json:"mode"`
	}
	if json.Unmarshal(raw, &whole) != nil || json.Unmarshal(whole["files"], &list) != nil {
		return false, nil
	}
	for _, f := range list {
		h, ok := hexOf(f.Integrity)
		if !ok {
			return false, nil
		}
		at := filepath.Join(version, "files", h[:2], h[2:])
		if f.Mode&0o111 != 0 {
			at += "-exec"
		}
		if ok, err := copyWhole(filepath.Join(c.Pnpm, at), filepath.Join(to, at), h); err != nil || !ok {
			return false, err
		}
	}
	delete(whole, "sideEffects")
	text, err := json.Marshal(whole)
	if err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(index), 0o755); err != nil {
		return false, err
	}
	return true, os.WriteFile(index, text, 0o644)
}

// hexOf gives a digest of npm's kind as pnpm's store writes it.
func hexOf(digest string) (string, bool) {
	sum, ok := strings.CutPrefix(digest, "sha512-")
	raw, err := base64.StdEncoding.DecodeString(sum)
	return hex.EncodeToString(raw), ok && err == nil && len(raw) == sha512.Size
}

// copyWhole copies a file whose content has a digest; ok: it is there and has it.
func copyWhole(from, to, digest string) (ok bool, err error) {
	st, err := os.Lstat(from)
	if err != nil || !st.Mode().IsRegular() {
		return false, nil //nolint:nilerr // it is not there
	}
	in, err := os.Open(from)
	if err != nil {
		return false, nil //nolint:nilerr // as if it were not there
	}
	defer in.Close()
	sum := sha512.New()
	if _, err := io.Copy(sum, in); err != nil || hex.EncodeToString(sum.Sum(nil)) != digest {
		return false, err
	}
	err = copyInto(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
