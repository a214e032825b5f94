package tasks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packagesAt is where worlds have the packages of Python that this machine lacks.
const packagesAt, packagesPath = "~/.packages", "/home/agent/.packages"

// prepare is the command that gets them.
func (t Task) prepare() string {
	words := make([]string, len(t.Packages))
	for i, p := range t.Packages {
		words[i] = quote(p)
	}
	return `"python3 -m pip install --quiet --disable-pip-version-check --no-warn-script-location --target ` +
		packagesPath + " " + strings.Join(words, " ") + `"`
}

// isPackage reports whether pip takes a name for that of a package, and a shell and a
// recipe for a plain word.
func isPackage(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c))
	})
}

// wheels answers which versions of a package lie in the directories that PIP_FIND_LINKS
// names.
func wheels(links string) func(pkg string) []string {
	have := map[string][]string{}
	for dir := range strings.FieldsSeq(links) {
		if dir = strings.TrimPrefix(dir, "file://"); !filepath.IsAbs(dir) {
			continue
		}
		list, _ := os.ReadDir(dir) // one that isn't there has none, as for pip
		for _, e := range list {
			name, version, ok := archived(e.Name())
			if ok && !slices.Contains(have[name], version) {
				have[name] = append(have[name], version)
			}
		}
	}
	return func(pkg string) []string { return have[plainName(pkg)] }
}

// archived is the package and the version that a file of one says.
func archived(file string) (name, version string, ok bool) {
	if base, is := strings.CutSuffix(file, ".whl"); is {
		name, rest, found := strings.Cut(base, "-")
		version, _, _ := strings.Cut(rest, "-")
		return plainName(name), version, found
	}
	for _, ending := range []string{".tar.gz", ".zip"} {
		if base, is := strings.CutSuffix(file, ending); is {
			at := strings.LastIndex(base, "-")
			if at < 1 {
				return "", "", false
			}
			return plainName(base[:at]), base[at+1:], true
		}
	}
	return "", "", false
}
