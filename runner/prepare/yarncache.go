package prepare

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"cookoff/internal/pattern"
)

// What an entry of yarn's lockfile says.
var (
	yarnResolved = pattern.New(`(?m)^  resolved "([^"]+)"`)
	yarnDigest   = pattern.New(`(?m)^  integrity .*?(sha512-[A-Za-z0-9+/=]+)`)
	yarnVersion  = pattern.New(`(?m)^  version "([^"]+)"`)
)

// yarnPackages copies the packages that a lockfile names out of yarn's cache: those whose
// digest is the one that the lockfile has. The lockfiles of later yarns have none that a
// cache can be asked for.
func (c Caches) yarnPackages(lock, to string) (all bool, err error) {
	text, err := os.ReadFile(lock)
	if err != nil {
		return false, err
	}
	all = !strings.Contains(string(text), "\n__metadata:")
	for entry := range strings.SplitSeq(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n\n") {
		resolved, version := yarnResolved.FindStringSubmatch(entry), yarnVersion.FindStringSubmatch(entry)
		if version == nil {
			continue // the head
		}
		digest := yarnDigest.FindStringSubmatch(entry)
		if resolved == nil || digest == nil {
			all = false
			continue
		}
		has, err := c.yarnPackage(resolved[1], version[1], digest[1], to)
		if err != nil {
			return false, err
		}
		all = all && has
	}
	return all, nil
}

// yarnPackage copies the archive of a package.
func (c Caches) yarnPackage(resolved, version, digest, to string) (has bool, err error) {
	h, ok := hexOf(digest)
	u, err := url.Parse(resolved)
	if !ok || err != nil || c.Yarn == "" {
		return false, nil //nolint:nilerr // it is none that the cache has
	}
	name := mirrored(u.Path)
	list, _ := filepath.Glob(filepath.Join(c.Yarn, "v6", "npm-*-"+globbed(version)+"-*")) // the pattern is well-formed
	for _, dir := range list {
		at, _ := filepath.Glob(filepath.Join(globbed(dir), "node_modules", "*", ".yarn-tarball.tgz"))
		scoped, _ := filepath.Glob(filepath.Join(globbed(dir), "node_modules", "@*", "*", ".yarn-tarball.tgz"))
		for _, file := range append(at, scoped...) {
			if ok, err := copyWhole(file, filepath.Join(to, name), h); ok || err != nil {
				return ok, err
			}
		}
	}
	return false, nil
}

// mirrored is the name of an archive as yarn looks for it: with the scope in front.
func mirrored(at string) string {
	name := path.Base(at)
	if parts := strings.Split(strings.TrimPrefix(at, "/"), "/"); len(parts) > 2 {
		for _, p := range parts[:len(parts)-1] {
			if strings.HasPrefix(p, "@") {
				return p + "-" + name
			}
		}
	}
	return name
}

// globbed is a pattern that means this text alone.
func globbed(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}
