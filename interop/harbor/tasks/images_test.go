package tasks

import "testing"

// Names of images mean what engines take them for.
func TestNamesOfImages(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"debian", "docker.io/library/debian:latest", true},
		{"debian:12", "library/debian:12", true},
		{"debian:12", "debian", false},
		{"me/it", "docker.io/me/it:latest", true},
		{"localhost/it", "it", false},
		{"localhost:5000/it", "localhost:5000/it:latest", true},
		{"example.org/it:1@sha256:00", "example.org/it:1", true},
		{"debian@sha256:00", "debian", false},
		{"debian@sha256:00", "debian@sha256:00", true},
	} {
		if SameImage(c.a, c.b) != c.same {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.same)
		}
	}
}

// A file of a package says which it is.
func TestArchivesOfPackages(t *testing.T) {
	for file, want := range map[string][2]string{
		"pytest-8.4.1-py3-none-any.whl":            {"pytest", "8.4.1"},
		"Typing_Extensions-4.1-2-py3-none-any.whl": {"typing-extensions", "4.1"},
		"ruamel.yaml-0.18.tar.gz":                  {"ruamel-yaml", "0.18"},
		"pytest-json-ctrf-0.3.5.tar.gz":            {"pytest-json-ctrf", "0.3.5"},
		"notes.txt":                                {}, "-1.tar.gz": {}, "x.whl": {}, "": {}} {
		name, version, ok := archived(file)
		if ok != (want[0] != "") || ok && (name != want[0] || version != want[1]) {
			t.Errorf("%s: %q %q %v", file, name, version, ok)
		}
	}
	if isPackage("a;b") || isPackage("-r") || isPackage("") || isPackage("a b") || !isPackage("Flask_2.x-y") {
		t.Error("names of packages")
	}
}
