// Package builds says how programs were built. It is apart from sandbox/native,
// whose start would wait for it (decision 18), and is handed to it.
package builds

import (
	"debug/buildinfo"
	"errors"
	"runtime/debug"
	"strings"
)

// What Read says of a program, beside the settings of its build (GOOS, GOARCH).
const (
	Module   = "module"   // that it is the main package of
	Package  = "package"  // that it is
	Revision = "revision" // of its source; "": not known
)

// Read says how the program at path was built, or, for "", this one.
func Read(path string) (map[string]string, error) {
	info, ok := debug.ReadBuildInfo()
	if path != "" {
		var err error
		if info, err = buildinfo.ReadFile(path); err != nil {
			return nil, err
		}
	} else if !ok {
		return nil, errors.New("this program does not say how it was built")
	}
	said := map[string]string{Module: info.Main.Path, Package: info.Path, Revision: revision(info)}
	for _, s := range info.Settings {
		said[s.Key] = s.Value
	}
	return said, nil
}

// revision names the source of a build, "" where it is not known.
func revision(b *debug.BuildInfo) string {
	var words []string
	if v := b.Main.Version; v != "(devel)" && v != "" {
		words = append(words, v)
	}
	for _, s := range b.Settings {
		switch {
		case s.Key == "vcs.revision":
			words = append(words, s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			words = append(words, "modified")
		}
	}
	return strings.Join(words, " ")
}
