package lines

import "testing"

// TestFirstLine: a heading's rule is no subject.
func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{"\n a\nb": "a", "-----\nEnhancements\n-----": "Enhancements", "---": "---",
		"": "", "é": "é"} {
		if got := First(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestUnsaid: subjects of a branch that say nothing of what was wrong are no prompt.
func TestUnsaid(t *testing.T) {
	for subject, want := range map[string]bool{"wip": true, "WIP.": true, "fix lint": true, "fixup! Wrong sum": true,
		"address review comments": true, "Merge branch 'main' into x": true, "Apply suggestions from code review": true,
		"Wrong sum": false, "fix": true, "Fix the sum": false, "Format dates as ISO": false, "more than two words": false,
		"Update of a closed file": false, "v1.2.3": true, "Release v3.3.1": true, "chore(release): 2.0.0-rc.1": true,
		"Bump version to 1.4": true, "[1.2.8] - 2023-02-09": true, "Prepare for the 1.2 release": false, "bump.": false,
		"Version 1.2 is refused": false, "review": true, "code review fixes": true, "PR feedback": true, "works now": true,
		"second try": true, "Review of a closed file": false, "feedback of the user is lost": false,
		"works on Windows now": false,
		"First try the cache":  false, "1.5 hours become 1": false} {
		if got := Unsaid(subject); got != want {
			t.Errorf("%q: %v", subject, got)
		}
	}
}
