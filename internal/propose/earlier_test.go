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
		got := p.Earlier("python3 -m pytest", func(name string) bool { _, is := c.old[name]; return is }, func(name string) string { return c.old[name] })
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
