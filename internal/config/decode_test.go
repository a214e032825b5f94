package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestHintsOfBrokenFiles: what people write who know other formats, or leave out how a URL begins, is told with what
// to write in its place; a value that may be a secret is not repeated.
func TestHintsOfBrokenFiles(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		_, err := load(t, text)
		if err == nil || !strings.Contains(err.Error(), "\n  hint: "+want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %v, want the hint %q", text, err, want)
		}
	}
	check("[providers.a]\nbase_url = 127.0.0.1:8080/v1", `a text stands in quotes: base_url = "…"`)
	check("[providers.a]\napi_key_env = secret", `a text stands in quotes: api_key_env = "…"`)
	check("[providers.a]\nstream = True", "true and false are written in small letters")
	check("providers:\n  a:\n", "this file is TOML: [providers.NAME] in a line of its own begins a table")
	const want = "want https://HOST/v1, or http://127.0.0.1:PORT/v1"
	for base, hint := range map[string]string{
		"127.0.0.1:8080/v1": `did you mean "http://127.0.0.1:8080/v1"?`,
		"localhost:8080":    `did you mean "http://localhost:8080"?`,
		"api.example/v1":    `did you mean "https://api.example/v1"?`,
		"ftp://example":     want, "me:secret@host/v1": want, "/v1/models": want,
	} {
		check(fmt.Sprintf("[providers.a]\nbase_url = %q", base), hint)
	}
}
