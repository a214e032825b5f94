package propose

import "testing"

// TestEarlier: what the newest commit needs is got so that older ones are prepared by it, too.
func TestEarlier(t *testing.T) {
	const venv, pip = "python3 -m venv .venv && ", "python3 -m venv .venv && .venv/bin/pip install -q "
	for _, c := range []struct {
		name, command, want string
		old                 map[string]string // files of the oldest commit
	}{
		{"an extra that the oldest does not have", "-e '.[test]'", "-e '.[test]' pytest", nil},
		{"and has under another name", "-e '.[test]'", "-e '.[test,dev]' pytest",
			map[string]string{"pyproject.toml": "[project.optional-dependencies]\ndev = ['pytest']\n"}},
		{"the same", "-e '.[test]'", "-e '.[test]'",
			map[string]string{"pyproject.toml": "[project.optional-dependencies]\ntest = ['pytest']\n"}},
		{"none now", "-e . pytest", "-e '.[tests]' pytest",
			map[string]string{"pyproject.toml": "[project.optional-dependencies]\ntests = ['hypothesis']\n"}},
		{"none ever", "-e . pytest", "-e . pytest", nil},
		{"a list that is new", "-r requirements.txt pytest", "$(ls requirements.txt 2> /dev/null | sed 's/^/-r /') pytest", nil},
		{"a list that is gone", "-e '.[dev]'",
			"$(ls requirements-dev.txt 2> /dev/null | sed 's/^/-r /') -e '.[dev]' pytest",
			map[string]string{"requirements-dev.txt": "pytest\n"}},
		{"a list that stays", "-r requirements.txt pytest", "-r requirements.txt pytest",
			map[string]string{"requirements.txt": "x\n"}},
		{"packages alone", "pytest", "pytest", nil},
	} {
		p := Preparation{Dir: environment, Command: pip + c.command}
		got := p.Earlier("python3 -m pytest", func(name string) bool { _, is := c.old[name]; return is },
			func(name string) string { return c.old[name] })
		if got.Command != pip+c.want {
			t.Errorf("%s: %s, want %s", c.name, got.Command, c.want)
		}
	}
	for _, command := range []string{"npm ci", "uv sync --frozen", venv + "{ .venv/bin/pip install -q a==1 || x; }"} {
		p := Preparation{Dir: environment, Command: command}
		if got := p.Earlier("pytest", func(string) bool { return true }, func(string) string { return "" }); got != p {
			t.Errorf("%s: %s", command, got.Command)
		}
	}
}

// TestWithoutProject: of a project that can't be installed itself what it depends on is got.
func TestWithoutProject(t *testing.T) {
	const pip = "python3 -m venv .venv && .venv/bin/pip install -q"
	dir := tree(t, "pyproject.toml", "[project]\nname = \"x\"\ndependencies = [\"attrs>=23\", \"rich\"]\n"+
		"[project.optional-dependencies]\ntest = [\"pytest>8\"]\n")
	for _, c := range []struct{ was, test, want string }{
		{pip + " -e .", "pytest -q", pip + " 'attrs>=23' rich pytest"},
		{pip + " -e . mock", "python3 -m unittest", pip + " 'attrs>=23' rich mock"},
		{pip + " -r more.txt -e '.[test]'", "pytest", pip + " -r more.txt 'attrs>=23' rich 'pytest>8'"},
		{pip + " -r more.txt", "pytest", ""},
	} {
		if got := (Preparation{Command: c.was, Dir: environment}).WithoutProject(dir, c.test).Command; got != c.want {
			t.Errorf("%s: %q, want %q", c.was, got, c.want)
		}
	}
	if got := (Preparation{Command: pip + " -e .", Dir: environment}).WithoutProject(tree(t), "make"); got.Command != "" {
		t.Errorf("nothing is left, and %q is proposed", got.Command)
	}
}
