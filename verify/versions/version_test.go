package versions

import (
	"strings"
	"testing"
)

func TestTransform(t *testing.T) {
	check := func(format, version, want string) {
		t.Helper()
		got, err := Transform(format, version)
		if err != nil || got != want {
			t.Errorf("Transform(%q, %q) = %q, %v; want %q", format, version, got, err, want)
		}
	}
	check("", "go1.21.0", "go1.21.0")
	check("raw", "@biomejs/biome@2.3.8", "@biomejs/biome@2.3.8")
	check("semver", "biome@2.3.8", "2.3.8")
	check("semver", "tool-name-v2.3.8-linux", "2.3.8")
	check("semver", "1.2.3.4", "1.2.3")
	check("semver_full", "v1.2.3-rc.1+build", "1.2.3-rc.1+build")
	check("semver_full", "1.2.3-rc.1+b+c", "1.2.3-rc.1+b")
	check("semver_full", "1.2.3_alpha", "1.2.3")
	check("strip_v", "v1.2.3", "1.2.3")
	check("strip_v", "V1.2.3", "1.2.3")
	check("strip_v", "vv1.2.3", "vv1.2.3")
	check("strip_v", "version1.2.3", "version1.2.3")
	check("strip_v", "v", "v")
	check("calver", "release-2024.01.15", "2024.01.15")
	check("calver", "2024.1", "2024.1")
	check("calver", "24.05", "24.05")
	check("calver", "v24.05.2-lts", "24.05.2")
	check("calver", "1.2.3-2023.11", "2023.11")
	check("strip_prefix:biome@", "biome@2.3.8", "2.3.8")
	check(`regex:(\d+)\.(\d+)`, "go1.21.0", "1")
	check(`regex:\d+\.\d+`, "go1.21.0", "1.21")
}

func TestTransformRefuses(t *testing.T) {
	check := func(format, version, because string) {
		t.Helper()
		got, err := Transform(format, version)
		if err == nil || got != "" || !strings.Contains(err.Error(), because) {
			t.Errorf("Transform(%q, %q) = %q, %v; want an error with %q", format, version, got, err, because)
		}
	}
	check("semver", "go1.21", "finds nothing")
	check("semver_full", "Release_1_15_0", "finds nothing")
	check("semver_full", "1.2.3-rc_1", "would cut off \"_1\"")
	check("calver", "1.2.3", "finds nothing")
	check("calver", "2024.13", "finds nothing")
	check("calver", "12024.01", "finds nothing")
	check("strip_prefix:biome@", "1.2.3", "finds nothing")
	check("strip_prefix:1.2.3", "1.2.3", "finds nothing")
	check("strip_prefix:", "1.2.3", "names no text")
	check("regex:x(y)?", "x", "finds nothing")
	check("regex:(", "1.2.3", "error parsing regexp")
	check("regex:", "1.2.3", "no expression")
	check("SEMVER", "1.2.3", "unknown version_format")
	check("semver", "1.2.3;cmd", "letters, digits")
}

func TestValidateVersion(t *testing.T) {
	check := func(v, because string) {
		t.Helper()
		err := ValidateVersion(v)
		if (err == nil) != (because == "") || err != nil && !strings.Contains(err.Error(), because) {
			t.Errorf("ValidateVersion(%q) = %v; want %q", v, err, because)
		}
	}
	check("1.2.3+build.123", "")
	check("@scope/pkg@0.0.1", "")
	check(strings.Repeat("1", 128), "")
	check(strings.Repeat("1", 129), "129 bytes")
	check("", "empty")
	check("-1.2.3", "starts with")
	check("1..2", `".."`)
	check("1.2.3\n", "byte 5")
	check("１.２.３", "byte 0")
	check("1.2.3\xff", "byte 5")
}

// A transform never panics; what it gives is a part of what it got, and
// asking again changes nothing.
func FuzzTransform(f *testing.F) {
	for _, format := range []string{"raw", "semver", "semver_full", "strip_v", "calver",
		"strip_prefix:v", `regex:(\d+)`, "bogus"} {
		f.Add(format, "v1.2.3-rc.1+b")
		f.Add(format, "2024.01.15")
	}
	f.Fuzz(func(t *testing.T, format, version string) {
		got, err := Transform(format, version)
		if (err == nil) == (got == "") {
			t.Fatalf("Transform(%q, %q) = %q, %v", format, version, got, err)
		}
		if !strings.Contains(version, got) {
			t.Fatalf("Transform(%q, %q) = %q: no part of it", format, version, got)
		}
		switch format {
		case "raw", "semver", "semver_full", "strip_v", "calver":
			if err != nil {
				return
			}
			if twice, err := Transform(format, got); twice != got && ValidateVersion(got) == nil {
				t.Fatalf("Transform(%q, %q) = %q, %v: not the same again", format, got, twice, err)
			}
		}
	})
}
