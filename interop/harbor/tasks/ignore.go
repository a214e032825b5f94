package tasks

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignored is what a build leaves out of environment/: patterns of a .dockerignore, in
// their order, the last that matches decides.
type ignored []ignoring

// ignoring is a pattern; not takes back what others leave out.
type ignoring struct {
	glob string
	not  bool
}

// ignore reads what the build of the image leaves out: Dockerfile.dockerignore, or else
// .dockerignore. A pattern that isn't understood is refused.
func (d *dockerfile) ignore() (out ignored) {
	for _, name := range []string{"environment/Dockerfile.dockerignore", "environment/.dockerignore"} {
		if _, err := os.Lstat(filepath.Join(d.from.dir, name)); os.IsNotExist(err) {
			continue
		}
		text, err := d.from.read(name)
		if err != nil {
			d.out.fail(err)
			return nil
		}
		for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
			one, ok := ignorePattern(line)
			if !ok {
				d.out.refuse("%s: the pattern %.100q is not understood: names, *, ?, ** between slashes and ! are", name,
					strings.TrimSpace(line))
			} else if one.glob != "" {
				out = append(out, one)
			}
		}
		return out // the first that is there is the only one
	}
	return nil
}

// ignorePattern reads a line of a .dockerignore; an empty glob is none.
func ignorePattern(line string) (one ignoring, ok bool) {
	if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
		return ignoring{}, true
	}
	one.glob, one.not = strings.CutPrefix(strings.TrimSpace(line), "!")
	one.glob = strings.TrimSpace(one.glob)
	if strings.ContainsAny(one.glob, "{}\\[]$") || !isText(one.glob) || one.glob == "" {
		return one, false
	}
	for part := range strings.SplitSeq(one.glob, "/") {
		if part == ".." || strings.Contains(part, "**") && part != "**" {
			return one, false
		}
	}
	one.glob = strings.TrimPrefix(path.Clean("/"+one.glob), "/")
	return one, true
}

// whole reports whether a directory is left out with all that is in it.
func (ig ignored) whole(name string) bool {
	return ig.out(name) && !slices.ContainsFunc(ig, func(one ignoring) bool { return one.not })
}

// out reports whether a path in environment/ is left out, itself or with a directory
// that it lies in.
func (ig ignored) out(name string) bool {
	out := false
	for _, one := range ig {
		for at := name; at != "." && at != "/"; at = path.Dir(at) {
			if ok, err := doublestar.Match(one.glob, at); ok && err == nil {
				out = !one.not
				break
			}
		}
	}
	return out
}
