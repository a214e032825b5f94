package nearest

import "testing"

// TestName: a slip is nearer than what is shortened, and what shortens two names is neither.
func TestName(t *testing.T) {
	allowed := []string{"table", "json", "markdown", "metrics", "html"}
	for name, want := range map[string]string{"jsn": "json", "md": "markdown", "MD": "markdown", "mr": "", "m": "",
		"wm": "", "tabel": "table", "é": "", "": ""} {
		if got := Name(name, allowed); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := Name("ab", nil); got != "" {
		t.Errorf("%q of none", got)
	}
}
