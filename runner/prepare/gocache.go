package prepare

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// goModules copies the modules that a go.sum names out of the module cache, as a proxy
// of files: those whose digest is the one that go.sum has.
func (c Caches) goModules(sum, to string) (all bool, err error) {
	f, err := os.Open(sum)
	if err != nil {
		return false, err
	}
	defer f.Close()
	all = true
	for lines := bufio.NewScanner(f); lines.Scan(); {
		w := strings.Fields(lines.Text()) // module, version or version/go.mod, digest
		if len(w) != 3 {
			continue
		}
		version, isMod := strings.CutSuffix(w[1], "/go.mod")
		has, err := c.goModule(w[0], version, w[2], isMod, to)
		if err != nil {
			return false, err
		}
		all = all && has
	}
	return all, nil
}

// goModule copies one module, or its go.mod alone, from the first place that has it.
func (c Caches) goModule(module, version, digest string, isMod bool, to string) (has bool, err error) {
	at := filepath.Join(escaped(module), "@v", escaped(version))
	if !filepath.IsLocal(at) {
		return false, nil
	}
	places := c.GoProxies
	if c.Go != "" {
		places = append([]string{filepath.Join(c.Go, "cache", "download")}, places...)
	}
	for _, place := range places {
		if has, err := goModuleAt(filepath.Join(place, at), digest, isMod, filepath.Join(to, at)); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// goModuleAt copies the files of one version of a module.
func goModuleAt(from, digest string, isMod bool, to string) (has bool, err error) {
	ends := []string{".info", ".mod"}
	if isMod && !isSum(from+".mod", digest) {
		return false, nil
	}
	if !isMod {
		known, err := os.ReadFile(from + ".ziphash")
		if err == nil && strings.TrimSpace(string(known)) != digest || err != nil && !isZipSum(from+".zip", digest) {
			return false, nil
		}
		ends = append(ends, ".zip")
	}
	for _, end := range ends {
		err := copyInto(from+end, to+end)
		if errors.Is(err, fs.ErrNotExist) && end == ".info" {
			continue // go makes one where only go.mod is needed
		}
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// isSum reports whether a go.mod file has a digest as go.sum writes it.
func isSum(file, digest string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%x  go.mod\n", sha256.Sum256(text)))
	return "h1:"+base64.StdEncoding.EncodeToString(sum[:]) == digest
}

// escaped writes a module's path or version as the module cache does: capital letters
// as ! and the small one.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// copyInto copies a regular file, unless it is there; no link is followed.
func copyInto(from, to string) error {
	st, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return fs.ErrNotExist
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
