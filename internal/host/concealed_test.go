package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/internal/config"
)

// TestConcealed: cookoff's own files, and those with a key in them, are shown to
// no model.
func TestConcealed(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	const key = "sk-very-secret-0123456789"
	for name, text := range map[string]string{
		".bashrc": "export OPENAI_API_KEY=" + key + "\n", ".profile": "nothing\n", "a/b/keys": "k: " + key,
		"a/b/c/deep": key, "large": strings.Repeat("x", keySize) + key, ".config/cookoff/cookoff.toml": "[providers]\n",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := func(name string) string {
		if name == "OPENAI_API_KEY" {
			return key
		}
		return os.Getenv(name)
	}
	cfg, err := config.Load(config.Options{Env: env, Home: home})
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{Getenv: env, Config: cfg}
	got := h.Concealed()
	for _, want := range []string{".bashrc", "a/b/keys", ".cookoff", ".config/cookoff/cookoff.toml", ".config/cookoff",
		".local/state/cookoff", ".local/share/cookoff", ".cache/cookoff"} {
		if !slices.Contains(got, filepath.Join(home, want)) {
			t.Errorf("%s is not concealed: %q", want, got)
		}
	}
	for _, not := range []string{".profile", "a/b/c/deep", "large", ""} {
		if slices.Contains(got, filepath.Join(home, not)) {
			t.Errorf("%s is concealed", not)
		}
	}
}
