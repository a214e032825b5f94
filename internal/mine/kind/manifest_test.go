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
		{"a.toml", "[tool.pytest.ini_options]\n", "", false},
	} {
		if got := OnlyRunners(c.path, c.was, c.now); got != c.want {
			t.Errorf("%s\n%s\n%s: %v", c.path, c.was, c.now, got)
		}
	}
}
