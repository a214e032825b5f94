// Package versions reads versions in the formats that verify blocks name, and looks
// for them in what programs print.
package versions

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"cookoff/internal/nearest"
)

// Formats of a version, as version_format names them. The last two carry
// their argument behind the colon.
const (
	formatRaw         = "raw"
	formatSemver      = "semver"
	formatSemverFull  = "semver_full"
	formatStripV      = "strip_v"
	formatCalver      = "calver"
	formatStripPrefix = "strip_prefix:"
	formatRegex       = "regex:"
)

const maxVersion = 128 // bytes

// Compiled on first use: a sandbox's guest is this binary too, and starts often.
var (
	semverCore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+`) })
	semverFull = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?`)
	})
)

// ValidateVersion says why v can't be a version: it must be 1 to 128 bytes of
// letters, digits and ._+-@/, without a leading "-" and without "..".
func ValidateVersion(v string) error {
	switch {
	case v == "":
		return errors.New("empty version")
	case len(v) > maxVersion:
		return fmt.Errorf("version of %d bytes: at most %d are allowed", len(v), maxVersion)
	case v[0] == '-':
		return fmt.Errorf("version %q starts with \"-\"", v)
	case strings.Contains(v, ".."):
		return fmt.Errorf("version %q contains \"..\"", v)
	}
	for i, r := range v {
		if !(r < 0x80 && isAlnum(byte(r))) && !strings.ContainsRune("._+-@/", r) {
			return fmt.Errorf("version %q has %q at byte %d: letters, digits and ._+-@/ are allowed", v, r, i)
		}
	}
	return nil
}

// Transform gives the part of version that format asks for: raw (or ""),
// semver, semver_full, strip_v, calver, strip_prefix:TEXT or regex:EXPR. It
// never falls back to the whole version: an unknown format, an invalid
// version and a format that finds nothing are errors.
func Transform(format, version string) (string, error) {
	if err := CheckFormat(format); err != nil {
		return "", err
	}
	if err := ValidateVersion(version); err != nil {
		return "", err
	}
	if got := transform(format, version); got != "" {
		if rest := cut(format, version, got); rest != "" {
			return "", fmt.Errorf("version_format %q finds %q in %q and would cut off %q, "+
				"which belongs to no version of this format", format, got, version, rest)
		}
		return got, nil
	}
	return "", fmt.Errorf("version_format %q finds nothing in %q", format, version)
}

// cut gives what the prerelease or build of a version goes on with though the
// format can't say it: without it, what the format gives could never match.
func cut(format, version, got string) string {
	if format != formatSemverFull || !strings.ContainsAny(got, "-+") {
		return ""
	}
	if rest := version[strings.Index(version, got)+len(got):]; strings.HasPrefix(rest, "_") {
		return rest
	}
	return ""
}

// transform applies a known format; "" says that it finds nothing.
func transform(format, version string) string {
	switch format {
	case "", formatRaw:
		return version
	case formatSemver:
		return semverCore().FindString(version)
	case formatSemverFull:
		return semverFull().FindString(version)
	case formatStripV:
		if len(version) > 1 && (version[0] == 'v' || version[0] == 'V') && IsDigit(version[1]) {
			return version[1:]
		}
		return version
	case formatCalver:
		return calver(version)
	}
	if text, ok := strings.CutPrefix(format, formatStripPrefix); ok {
		if rest, had := strings.CutPrefix(version, text); had {
			return rest
		}
		return ""
	}
	expr, _ := strings.CutPrefix(format, formatRegex)
	m := regexp.MustCompile(expr).FindStringSubmatch(version)
	switch {
	case m == nil:
		return ""
	case len(m) > 1:
		return m[1]
	}
	return m[0]
}

// CheckFormat says what is wrong with a format, whatever the version.
func CheckFormat(format string) error {
	switch format {
	case "", formatRaw, formatSemver, formatSemverFull, formatStripV, formatCalver:
		return nil
	}
	if text, ok := strings.CutPrefix(format, formatStripPrefix); ok {
		if text == "" {
			return errors.New("version_format \"strip_prefix:\" names no text")
		}
		return nil
	}
	if expr, ok := strings.CutPrefix(format, formatRegex); ok {
		if expr == "" {
			return errors.New("version_format \"regex:\" has no expression")
		}
		if _, err := regexp.Compile(expr); err != nil {
			return fmt.Errorf("version_format %q: %w", format, err)
		}
		return nil
	}
	return fmt.Errorf("unknown version_format %q", format)
}

// FormatHint says which formats of versions there are, first the one that was most likely
// meant.
func FormatHint(format string) string {
	names := []string{formatRaw, formatSemver, formatSemverFull, formatStripV, formatCalver}
	all := "allowed: " + strings.Join(names, ", ") + ", strip_prefix:TEXT, regex:EXPR"
	if near := nearest.Name(format, names); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, all)
	}
	return all
}

// calver finds the first YYYY.MM[.N] or YY.MM[.N] that no digit touches: RE2
// has no look-around, so the edges are looked at by hand.
func calver(v string) string {
	for i := range len(v) {
		if i > 0 && (IsDigit(v[i-1]) || i > 1 && v[i-1] == '.' && IsDigit(v[i-2])) {
			continue
		}
		year := digits(v[i:])
		if year != 4 && year != 2 {
			continue
		}
		end := i + year
		if end >= len(v) || v[end] != '.' {
			continue
		}
		month := digits(v[end+1:])
		if !isMonth(v[end+1 : end+1+month]) {
			continue
		}
		end += 1 + month
		if end < len(v) && v[end] == '.' {
			if n := digits(v[end+1:]); n > 0 {
				end += 1 + n
			}
		}
		return v[i:end]
	}
	return ""
}

func isMonth(s string) bool {
	switch len(s) {
	case 1:
		return s != "0"
	case 2:
		return s[0] == '0' && s[1] != '0' || s[0] == '1' && s[1] <= '2'
	}
	return false
}

// digits counts the digits s starts with.
func digits(s string) int {
	n := 0
	for n < len(s) && IsDigit(s[n]) {
		n++
	}
	return n
}

// IsDigit reports whether a byte is a decimal digit of ASCII.
func IsDigit(b byte) bool { return '0' <= b && b <= '9' }

func isAlnum(b byte) bool {
	return IsDigit(b) || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
