package formats

import "testing"

func TestBaseName(t *testing.T) {
	for id, want := range map[string]string{"openai/gpt-5": "gpt-5", "plain": "plain", "odd/": "odd/"} {
		if got := baseName(id); got != want {
			t.Errorf("%q: %q, not %q", id, got, want)
		}
	}
}
