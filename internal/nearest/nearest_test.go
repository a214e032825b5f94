package nearest

import "testing"

// TestMeant: a slip is nearer than what is shortened, and what shortens two names is neither.
func TestMeant(t *testing.T) {
	allowed := []string{"table", "json", "markdown", "metrics", "html"}
	for name, want := range map[string]string{"jsn": "json", "md": "markdown", "MD": "markdown", "mr": "", "m": "",
		"wm": "", "tabel": "table", "é": "", "": ""} {
		if got := Meant(name, allowed); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := Name("md", allowed); got != "" {
		t.Errorf("md is a slip of %q", got)
	}
	if got := Meant("ab", nil); got != "" {
		t.Errorf("%q of none", got)
	}
}
