package prepare

import (
	"errors"
	"strings"
	"testing"

	"cookoff/internal/hint"
)

// TestSayClosed: a command that failed is told which registries it could not ask, where it asks by their program.
func TestSayClosed(t *testing.T) {
	s := Store{Closed: []Closed{{"pip", "~/.pip/pip.conf"}, {"npm", "~/.npmrc"}, {"", "HTTPS_PROXY"}}}
	for command, want := range map[string]string{
		"python3 -m venv .venv && .venv/bin/pip install x": "in ~/.pip/pip.conf, HTTPS_PROXY,",
		"pnpm install":   "in ~/.npmrc, HTTPS_PROXY,",
		"uv sync":        "in HTTPS_PROXY,",
		"make pipelines": "in HTTPS_PROXY,",
	} {
		err := s.sayClosed(command, hint.New("as always", "the command failed"))
		if msg, said := hint.Of(err); msg != "the command failed" || !strings.Contains(said, want) {
			t.Errorf("%s: %v", command, err)
		}
	}
	s.Closed = s.Closed[:2]
	if _, said := hint.Of(s.sayClosed("uv sync", hint.New("as always", "no"))); said != "as always" {
		t.Error(said)
	}
	if err := s.sayClosed("npm ci", errors.New("the world is gone")); err.Error() != "the world is gone" {
		t.Error(err)
	}
}
