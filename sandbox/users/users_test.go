package users

import (
	"strings"
	"testing"
)

func TestMapsUsers(t *testing.T) {
	for text, want := range map[string]bool{
		"         0          0 4294967295\n":                  true,
		"         0       1000          1\n":                  false,
		"         0       1000          1\n 1 100000 65536\n": false,
		"0 1000 1\n1 100000 999999\n":                         true,
		"":                                                    false,
	} {
		if got := mapsUsers(strings.NewReader(text), First, Count); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
