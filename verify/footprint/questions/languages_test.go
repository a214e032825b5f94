package questions

import "testing"

// TestSpoken: programs without an extension say what runs them.
func TestSpoken(t *testing.T) {
	for text, want := range map[string]string{"#!/bin/bash\n": "p.sh", "#!/usr/bin/env python3\n": "p.py",
		"#!/usr/bin/env -S node\n": "p.js",
		"#!/usr/bin/awk -f\n":      "", "text\n": "", "": "", "#!": ""} {
		if got := Named("p", text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := Named("a.go", "#!/bin/sh"); got != "a.go" {
		t.Error(got)
	}
}
