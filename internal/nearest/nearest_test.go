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

// TestSaid: a name that has all words of another is meant rather than one that is a slip of it.
func TestSaid(t *testing.T) {
	allowed := []string{"max-void", "max-total-cost", "fail-under", "no-input", "no-color", "trials"}
	for name, want := range map[string]string{"max-cost": "max-total-cost", "total-cost": "max-total-cost",
		"max-voit": "max-void", "trails": "trials", "under-fail": "fail-under", "no": "", "x-y": "", "": ""} {
		if got := Said(name, allowed); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
