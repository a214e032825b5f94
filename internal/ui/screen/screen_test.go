package screen

import (
	"bytes"
	"testing"
)

func TestColour(t *testing.T) {
	check := func(env map[string]string, off, want bool) {
		t.Helper()
		s := New(new(bytes.Buffer), func(k string) string { return env[k] }, off)
		if s.Color != want {
			t.Errorf("%v, off %v: colour %v, want %v", env, off, s.Color, want)
		}
		if got := s.Paint(Red, "x"); (got != "x") != want {
			t.Errorf("%v, off %v: painted %q", env, off, got)
		}
	}
	check(nil, false, false) // no terminal
	check(map[string]string{"FORCE_COLOR": "1"}, false, true)
	check(map[string]string{"CLICOLOR_FORCE": "1"}, false, true)
	check(map[string]string{"FORCE_COLOR": "0"}, false, false)
	check(map[string]string{"FORCE_COLOR": "1", "NO_COLOR": "1"}, false, false)
	check(map[string]string{"FORCE_COLOR": "1", "NO_COLOR": ""}, false, true)
	check(map[string]string{"FORCE_COLOR": "1"}, true, false)
}
