package glob_test

import (
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/internal/glob"
)

// FuzzMatch: what is looked for first leaves out nothing that matches.
func FuzzMatch(f *testing.F) {
	for g, p := range map[string]string{
		"**/.claude/settings.json": "a/.claude/settings.json", "a/**": "a", "a/**/b": "a/b",
		"~/.*_history-*.tmp": "~/.bash_history-01.tmp", "**/.*.sw[op]": "x/.f.swo",
		"**/{docker-,}compose.override.y*ml": "compose.override.yaml", "{a,{b,c}d}/e": "cd/e",
		`a\*b`: "a*b", "[]]x": "]x", "[^a]bc": "xbc", "{a": "{a", "a}b": "a}b", "": "", "abc": "ab/abc",
		"/**/x": "/x", "x/*/": "x/y/", "a[": "a[", `a\`: `a\`,
	} {
		f.Add(g, p)
	}
	f.Fuzz(func(t *testing.T, g, p string) {
		want, _ := doublestar.Match(g, p)
		if got := glob.Match(g, p); got != want {
			t.Errorf("Match(%q, %q) = %v, doublestar says %v", g, p, got, want)
		}
		below, _ := doublestar.Match(g+"/**", p)
		if got := glob.Covers(g, p); got != (want || below) {
			t.Errorf("Covers(%q, %q) = %v, doublestar says %v and %v", g, p, got, want, below)
		}
	})
}
