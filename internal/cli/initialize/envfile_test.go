package initialize

import (
	"strings"
	"testing"
)

// TestNamed: a variable is named where a line says that it is not there, and not where the word just stands.
func TestNamed(t *testing.T) {
	const file = "DEBUG=1\nexport SECRET_KEY=\"x y\"\nPORT=80\n"
	for output, want := range map[string]string{
		"KeyError: 'SECRET_KEY'\n":                        "SECRET_KEY",
		"shop.sh: line 3: PORT: is not set\n":             "PORT",
		"SECRET_KEY is required\nPORT must be a number\n": "SECRET_KEY PORT",
		"DEBUG root: begun\nassert 3 == 4\n":              "",
		"no PORTS here\n":                                 "",
	} {
		if got := strings.Join(named(file, output), " "); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
