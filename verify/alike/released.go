package alike

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/pattern"
)

var (
	// ofVersion is a line that says which version of the project this is, around the number.
	ofVersion = pattern.New(`^(\s*(?:[#\w]+[ \t]+)*(?:\w+\.)?_{0,2}(?i:version)_{0,2}["']?` +
		`[ \t]*(?::?=|:|[ \t])[ \t]*["']?v?)` +
		`([0-9]+(?:\.[0-9]+){1,3}(?:[-+.]?[A-Za-z]+[.0-9A-Za-z]*)?)(["']?[\s,;)]*(?:(?:#|//).*)?)$`)
	versionFile = pattern.New(`(?i)^version(\.txt)?$`)
	wholeNumber = pattern.New(`^(v?)([0-9]+(?:\.[0-9]+){1,3}(?:[-+.]?[A-Za-z]+[.0-9A-Za-z]*)?)(\s*)$`)
	programs    = strings.Fields(".go .py .js .mjs .cjs .ts .mts .cts .rb .php .sh .bash .c .h .cc .cpp .hpp .java .rs " +
		".cs .kt .swift")
)

// ofProject are the headers of manifests below which the version of the project stands; below others stand those of
// what it needs.
var ofProject = map[string]*pattern.Pattern{
	"pyproject.toml": pattern.New(`^\s*\[(project|tool\.poetry)\]`),
	"Cargo.toml":     pattern.New(`^\s*\[(workspace\.)?package\]`),
	"setup.cfg":      pattern.New(`^\s*\[metadata\]`),
}

// saysVersion reports whether a file may be one that says which version of the project it is.
func saysVersion(p string) bool {
	return versionFile.MatchString(path.Base(p)) || slices.Contains(programs, path.Ext(p)) ||
		ofProject[path.Base(p)] != nil
}

// Unreleased gives a text with the version that the project had, where it says a higher one.
func Unreleased(p string, was, is []byte) (text []byte, higher bool) {
	if !saysVersion(p) || IsTest(p) || Foreign(p) {
		return is, false
	}
	about := ofVersion
	if versionFile.MatchString(path.Base(p)) {
		about = wholeNumber
	}
	old, now := strings.Split(string(was), "\n"), strings.Split(string(is), "\n")
	header := ofProject[path.Base(p)]
	inside := header == nil
	for i, line := range now {
		if header != nil && strings.HasPrefix(strings.TrimSpace(line), "[") {
			inside = header.MatchString(line)
		}
		m := about.FindStringSubmatch(line)
		if m == nil || !inside || slices.Contains(old, line) {
			continue
		}
		at := slices.IndexFunc(old, func(l string) bool {
			o := about.FindStringSubmatch(l)
			return o != nil && o[1] == m[1] && o[3] == m[3] && Higher(o[2], m[2]) && !slices.Contains(now, l)
		})
		if at >= 0 {
			now[i], higher = old[at], true
		}
	}
	return []byte(strings.Join(now, "\n")), higher
}

// Higher reports whether a version is a higher one: its first number that differs is.
func Higher(was, is string) bool {
	a, b := strings.Split(was, "."), strings.Split(is, ".")
	for i := range max(len(a), len(b)) {
		m, n := numberAt(a, i), numberAt(b, i)
		if m != n {
			return n > m
		}
	}
	return false
}

func numberAt(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	end := strings.IndexFunc(parts[i], func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(parts[i])
	}
	n, err := strconv.Atoi(parts[i][:end])
	if err != nil {
		return 0
	}
	return n
}
