package git

import (
	"slices"
	"strings"
	"testing"
)

// TestEnvKeepsVariables: a check whose repositories are not believed still hears
// the variables that its task sets, and the settings that it does not name.
func TestEnvKeepsVariables(t *testing.T) {
	g := &Correction{settings: map[string]string{"core.filemode": "true", "diff.external": "cat"}}
	env := g.Env([]string{"EXPECT=2"}, "git config core.filemode")
	if env[0] != "EXPECT=2" {
		t.Errorf("%q", env)
	}
	all := strings.Join(env, "\n")
	if !strings.Contains(all, "=diff.external") || strings.Contains(all, "core.filemode") {
		t.Errorf("settings: %s", all)
	}
	if got := (*Correction)(nil).Env([]string{"A=1"}, "git"); !slices.Equal(got, []string{"A=1"}) {
		t.Errorf("without a correction: %q", got)
	}
}
