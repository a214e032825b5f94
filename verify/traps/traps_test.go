package traps

import "testing"

// TestReads: what runs or is obeyed by itself is known by its path.
func TestReads(t *testing.T) {
	tools := Tools()
	for _, p := range []string{"docker-compose.override.yml", "a/compose.override.yaml", ".circleci/config.yml",
		"Jenkinsfile",
		".claude/settings.json", ".mcp.json", "lib/binding.gyp", "~/.gnupg/gpg-agent.conf", "~/.aws/config",
		"~/.kube/config"} {
		if For(tools, p) == nil {
			t.Errorf("%s is no trap", p)
		}
	}
	for _, p := range []string{"docker-compose.yml", "~/.claude/settings.json", ".git/info/exclude",
		".git/info/attributes", "~/.gnupg/pubring.kbx",
		"Makefile", ".gitattributes", ".tool-versions"} {
		if tool := For(tools, p); tool != nil {
			t.Errorf("%s is one of %T", p, tool)
		}
	}
}
