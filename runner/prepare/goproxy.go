package prepare

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// GoProxies gives the directories that a value of GOPROXY names.
func GoProxies(value string) (dirs []string) {
	for _, one := range proxiesOf(value) {
		if dir := proxyDir(one); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func proxiesOf(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' })
}

func proxyDir(one string) string {
	u, err := url.Parse(strings.TrimSpace(one))
	if err != nil || u.Scheme != "file" || !filepath.IsAbs(u.Path) {
		return ""
	}
	return u.Path
}

// withoutDirs is a variable of the user's where directories of this machine, of which a
// sandbox has what lockfiles name, are replaced by the place of that.
func (s seed) withoutDirs(variable string) string {
	value, is := strings.CutPrefix(variable, "GOPROXY=")
	if !is || len(GoProxies(value)) == 0 {
		return variable
	}
	var out []string
	for _, one := range proxiesOf(value) {
		switch here := "file://" + seedDir + "/go"; {
		case proxyDir(one) == "":
			out = append(out, one)
		case s.modules && s.dir != "" && !slices.Contains(out, here):
			out = append(out, here)
		}
	}
	if len(out) == 0 {
		out = []string{"off"}
	}
	return "GOPROXY=" + strings.Join(out, ",")
}

// mostZipped bounds what of an archive is read: more than a module may hold.
const mostZipped = 1 << 30

// isZipSum reports whether the archive of a module has a digest as go.sum writes it.
func isZipSum(file, digest string) bool {
	r, err := zip.OpenReader(file)
	if err != nil {
		return false
	}
	defer r.Close()
	files := slices.Clone(r.File)
	slices.SortFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	all, left := sha256.New(), int64(mostZipped)
	for _, f := range files {
		in, err := f.Open()
		if err != nil {
			return false
		}
		one := sha256.New()
		n, err := io.Copy(one, io.LimitReader(in, left+1))
		in.Close()
		if left -= n; err != nil || left < 0 || strings.Contains(f.Name, "\n") {
			return false
		}
		fmt.Fprintf(all, "%x  %s\n", one.Sum(nil), f.Name)
	}
	return "h1:"+base64.StdEncoding.EncodeToString(all.Sum(nil)) == digest
}
