package host

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/shootout/prefs"
)

// Concealed is what no sandbox shows, not even one that shows the whole machine:
// cookoff's own files, for what they say of other trials and of answers, and
// files with a key in them.
func (h *Host) Concealed() []string {
	cfg := h.Config
	out := []string{cfg.Path, cfg.KeyFile}
	if file := TrustFile(h.Getenv); file != "" {
		out = append(out, filepath.Dir(file))
	}
	if file, err := prefs.Path(h.Getenv); err == nil {
		out = append(out, filepath.Dir(file))
	}
	if cache, err := os.UserCacheDir(); err == nil {
		out = append(out, filepath.Join(cache, "cookoff"))
	}
	var places []string
	if home, err := os.UserHomeDir(); err == nil {
		places = []string{home}
		for _, own := range []string{".cookoff", ".errata", ".config/cookoff"} {
			out = append(out, filepath.Join(home, own))
		}
	}
	secrets := cfg.Secrets()
	if len(secrets) > 0 {
		places = append(places, "/etc/profile.d", "/etc/environment")
	} else {
		places = nil
	}
	for _, dir := range places {
		s := keySearch{secrets: secrets, top: dir}
		_ = filepath.WalkDir(dir, s.entry) // what can't be read here can't be read inside
		out = append(out, s.found...)
	}
	return slices.DeleteFunc(out, func(path string) bool { return path == "" })
}

// Bounds of the search for keys: where people keep them, and no further.
const (
	keyDepth = 3       // directories below the home
	keySize  = 1 << 18 // bytes of a file
	keyFiles = 20_000
)

// keySearch looks for files that hold the value of a key.
type keySearch struct {
	secrets map[string]string
	top     string
	seen    int
	found   []string
}

// entry looks at one file or directory on the way: a file that holds one of the secrets is
// noted. Directories that lie deep or are caches, and large files, are passed over.
func (s *keySearch) entry(path string, d fs.DirEntry, err error) error {
	switch {
	case err != nil && d != nil && d.IsDir():
		return fs.SkipDir
	case err != nil:
		return nil
	case d.IsDir():
		rel, _ := filepath.Rel(s.top, path) // path lies below it
		if strings.Count(rel, "/") >= keyDepth-1 && rel != "." ||
			slices.Contains([]string{".git", ".cache", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		return nil
	case !d.Type().IsRegular():
		return nil
	}
	if s.seen++; s.seen > keyFiles {
		return fs.SkipAll
	}
	if st, err := d.Info(); err != nil || st.Size() > keySize {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for _, value := range s.secrets {
		if len(value) >= 8 && bytes.Contains(text, []byte(value)) {
			s.found = append(s.found, path)
			return nil
		}
	}
	return nil
}
