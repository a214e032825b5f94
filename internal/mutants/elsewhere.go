package mutants

import (
	"go/build"
	"io"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// Elsewhere reports whether a source is built for other systems only than that of worlds: no test there reaches it. Of
// Go that is known, by the names of files and what stands at their heads. Tags that a build may be given keep none
// out.
func Elsewhere(file, text string) bool {
	if path.Ext(file) != ".go" {
		return false
	}
	here := build.Default
	here.GOOS, here.CgoEnabled, here.UseAllFiles = "linux", true, false
	here.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	for _, here.BuildTags = range [][]string{nil, given(text)} {
		if built, err := here.MatchFile("", path.Base(file)); err != nil || built {
			return false
		}
	}
	return true
}

var (
	constraint = pattern.New(`(?m)^//(?:go:build| *\+build) (.*)$`)
	tag        = pattern.New(`[\w.]+`)
)

// systems are tags of Go's that are not given: systems, processors, compilers, releases.
var systems = pattern.New(`^(?:aix|android|darwin|dragonfly|freebsd|hurd|illumos|ios|js|linux|nacl|netbsd|openbsd|plan9|` +
	`solaris|wasip1|windows|zos|unix|386|amd64|amd64p32|arm|armbe|arm64|arm64be|loong64|mips\w*|ppc\w*|riscv\w*|s390x?|` +
	`sparc\w*|wasm|cgo|gc|gccgo|ignore|go1\.\d+)$`)

// given are the tags that a source asks for and somebody may give.
func given(text string) (out []string) {
	for _, m := range constraint.FindAllStringSubmatch(text, -1) {
		out = append(out, slices.DeleteFunc(tag.FindAllString(m[1], -1), systems.MatchString)...)
	}
	return out
}
