package kind

import (
	"strings"
	"testing"
)

func TestOnlyVersion(t *testing.T) {
	if !OnlyVersion("package.json", "{\n \"version\": \"1.0\",\n \"x\": 1\n}",
		"{\n \"version\": \"1.1\",\n \"x\": 1\n}") {
		t.Error("a version that moves is no fix")
	}
	if OnlyVersion("package.json", "{\"main\": \"a\"}", "{\"main\": \"b\"}") || OnlyVersion("a.go", "version = 1",
		"version = 2") {
		t.Error("what is no version was taken for one")
	}
	was := "{\n  \"scripts\": {\n    \"a\": \"b\"\n  },\n  \"dependencies\": {\n    \"x\": \"1\"\n  }\n}"
	if NeedsDiffer(was, strings.Replace(was, `"b"`, `"c"`, 1)) || !NeedsDiffer(was, strings.Replace(was, `"1"`, `"2"`, 1)) {
		t.Error("what a project needs is not told from its scripts")
	}
}

// TestSaysVersion: code that has to do with versions is code, also where each line of it says so.
func TestSaysVersion(t *testing.T) {
	for l, want := range map[string]bool{
		`__version__ = "1.2.3"`: true, `  "version": "1.0.0-beta.1",`: true, `version = '0.1'  # of it`: true,
		`VERSION = (1, 2, 3)`: true, `__version_info__ = (1, 2, 3, "final", 0)`: true, `const Version = "v1.2.3"`: true,
		`pub const VERSION: &str = "1.2";`: true, `#define SPAN_VERSION_MAJOR 2`: true, `#define VERSION "1.2"`: true,
		`__version__ = version = '1.2'`: true, `set(SPAN_VERSION 1.2.3)`: true, `project(span VERSION 1.2)`: true,
		`version: 1.2.3`: true, `static final String VERSION = "1.2";`: true, `    version="1.2.3",`: true, `1.2.3`: true,
		`__version__: str = "1.2"`: true, `rust-version = "1.60"`: true,
		`func (v *Version) Equal(o *Version) bool {`: false, `return version.compare(a, 1.2)`: false,
		`if version == 1:`: false, `max_version_length = 10`: false, `version = version.strip("1")`: false,
		`const kVersion = derive(version)`: false, `return parse(version) + 1`: false, `version = None`: false,
		`from .version import version as __version__`: false, `if (version < 2) {`: false, `versions.sort(1)`: false,
	} {
		if got := OnlyVersion("version.go", "a", "a\n"+l); got != want {
			t.Errorf("%s: %v", l, got)
		}
	}
}

// TestRunnerOnly: how tests are run is the judge's, and no part of a fix.
func TestRunnerOnly(t *testing.T) {
	const toml = "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\naddopts = [\n  \"-q\",\n]\n\n[tool.ruff]\nx = 1\n"
	for _, c := range []struct {
		path, was, now string
		want           bool
	}{
		{"pyproject.toml", toml, strings.Replace(toml, `"-q"`, `"-q", "-x"`, 1), true},
		{"pyproject.toml", "[project]\nname = \"a\"\n[tool.ruff]\nx = 1\n", toml, true},
		{"pyproject.toml", toml, strings.Replace(toml, "x = 1", "x = 2", 1), false},
		{"pyproject.toml", toml, strings.Replace(toml, `"-q"`, `"-x"`, 1) + "y = 1\n", false},
		{"pyproject.toml", "", "[tool.pytest.ini_options]\n", false},
		{"setup.cfg", "[metadata]\n", "[metadata]\n[tool:pytest]\naddopts = -q\n", true},
		{"package.json", `{"name":"a","jest":{"x":1}}`, `{"name":"a","jest":{"x":2}}`, true},
		{"package.json", `{"main":"a","jest":{"x":1}}`, `{"main":"b","jest":{"x":2}}`, false},
		{"package.json", `{"scripts":{"test":"node a"}}`, `{"scripts":{"test":"node a && node b"}}`, true},
		{"package.json", `{"scripts":{"test":"node a","x":"1"}}`, `{"scripts":{"test":"node a && node b","x":"2"}}`, false},
		{"package.json", `{"main":"a","scripts":{"test":"node a"}}`, `{"main":"b","scripts":{"test":"node b"}}`, false},
		{"Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n\n[[test]]\n" +
			"name = \"b\"\npath = \"tests/b.rs\"\n", true},
		{"Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n\n[[bin]]\nname = \"b\"\n", false},
		{"a.toml", "[tool.pytest.ini_options]\n", "", false},
	} {
		if got := OnlyRunners(c.path, c.was, c.now); got != c.want {
			t.Errorf("%s\n%s\n%s: %v", c.path, c.was, c.now, got)
		}
	}
}
