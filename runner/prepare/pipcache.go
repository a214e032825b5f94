package prepare

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// pin is a package of Python that a lockfile names.
type pin struct {
	name, version string
	digests       []string // SHA-256 of its files; none: the lockfile has none
}

var (
	pinned = pattern.New(`^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*===?\s*([A-Za-z0-9][A-Za-z0-9.!+_-]*)`)
	hashed = pattern.New(`--hash[= ]sha256:([0-9a-f]{64})`)
	apart  = pattern.New(`[-_.]+`)
)

// normal is a package's name as all its spellings are compared.
func normal(name string) string { return strings.ToLower(apart.ReplaceAllString(name, "-")) }

// pins are the packages that a requirements file names by their versions.
func pins(text string) (list []*pin) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\\\r\n", " "), "\\\n", " ")
	for line := range strings.Lines(text) {
		m := pinned.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		p := &pin{name: normal(m[1]), version: m[2]}
		for _, h := range hashed.FindAllStringSubmatch(line, -1) {
			p.digests = append(p.digests, h[1])
		}
		list = append(list, p)
	}
	return list
}

// pipPackages copies the wheels that requirements name out of what pip (from 23.3) keeps of answers; of
// those with a digest the ones that have it. Others of the cache are not shown.
func (c Caches) pipPackages(list []*pin, to string) (some bool, err error) {
	if c.Pip == "" || len(list) == 0 {
		return false, nil
	}
	for _, dir := range []string{"http-v2", "wheels"} {
		err := filepath.WalkDir(filepath.Join(c.Pip, dir), func(at string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			took, err := takeWheel(at, to, list, dir == "wheels")
			some = some || took
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return some, nil
}

// takeWheel copies a file of the cache that is a wheel which somebody names. One that was
// made here has no digest that a lockfile could know.
func takeWheel(at, to string, list []*pin, made bool) (bool, error) {
	z, err := zip.OpenReader(at)
	if err != nil {
		return false, nil //nolint:nilerr // it is no wheel
	}
	name, version, file := wheelOf(&z.Reader)
	if err := z.Close(); err != nil || file == "" {
		return false, err
	}
	for _, p := range list {
		if p.name != normal(name) || p.version != version || made && len(p.digests) > 0 {
			continue
		}
		if len(p.digests) > 0 && !slices.ContainsFunc(p.digests, func(d string) bool { return isDigest(at, d) }) {
			continue
		}
		return true, copyInto(at, filepath.Join(to, file))
	}
	return false, nil
}

var infoDir = pattern.New(`^([A-Za-z0-9_.]+)-([A-Za-z0-9_.!+]+)\.dist-info/WHEEL$`)

// wheelOf gives what a wheel holds, and the name of its file; "": it is none.
func wheelOf(z *zip.Reader) (name, version, file string) {
	for _, f := range z.File {
		m := infoDir.FindStringSubmatch(f.Name)
		if m == nil || f.UncompressedSize64 > 1<<16 {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return "", "", ""
		}
		text, err := io.ReadAll(io.LimitReader(r, 1<<16))
		if r.Close() != nil || err != nil {
			return "", "", ""
		}
		if tags := wheelTags(string(text)); tags != "" {
			return m[1], m[2], path.Base(m[1] + "-" + m[2] + tags + ".whl")
		}
	}
	return "", "", ""
}

var tagWord = pattern.New(`^[A-Za-z0-9_.]+$`)

// wheelTags are what stands in the name of a wheel's file behind its version: its build, and
// for which Python, interface and machine it is.
func wheelTags(text string) string {
	var parts [3][]string
	build := ""
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case key == "Build" && tagWord.MatchString(value):
			build = "-" + value
		case key == "Tag":
			tag := strings.Split(value, "-")
			if len(tag) != 3 {
				return ""
			}
			for i, t := range tag {
				if !tagWord.MatchString(t) {
					return ""
				}
				if !slices.Contains(parts[i], t) {
					parts[i] = append(parts[i], t)
				}
			}
		}
	}
	if len(parts[0]) == 0 {
		return ""
	}
	out := build
	for _, p := range parts {
		out += "-" + strings.Join(p, ".")
	}
	return out
}
