package recipes

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/internal/cli"
	"cookoff/internal/ui/screen"
)

// A command needs nothing but its flags and what all commands share.
func TestACommandAlone(t *testing.T) {
	var out, errs bytes.Buffer
	c := &cli.Common{Out: screen.Stream{Writer: &out}, Err: screen.Stream{Writer: &errs}, Dir: t.TempDir(),
		Getenv: func(string) string { return "" }}
	if err := (&showFlags{format: "text"}).run(t.Context(), c, "builtin:default"); err != nil ||
		!strings.HasPrefix(out.String(), "# ") {
		t.Errorf("show: %v, %.80q", err, &out)
	}
	out.Reset()
	if err := (&listFlags{format: "json"}).run(t.Context(), c); err != nil || !strings.Contains(out.String(),
		`"builtin:default"`) {
		t.Errorf("recipes: %v, %.80q", err, &out)
	}
	out.Reset()
	c.Stdin = strings.NewReader("# A recipe\nversion: 1\n\n## Models\n* baseline/noop\n")
	if err := (&fmtFlags{}).run(c, []string{"-"}); err != nil ||
		!strings.Contains(out.String(), "\n- baseline/noop\n") {
		t.Errorf("fmt: %v, %q", err, &out)
	}
	if err := (&convertFlags{output: "-"}).run(c, filepath.Join(c.Dir, "none.md")); err == nil {
		t.Error("convert: a file that is not there is converted")
	}
	if err := update(t.Context(), c, "builtin:default"); err == nil || !strings.Contains(err.Error(),
		"is no file beside which recipe.lock could lie") {
		t.Errorf("update: %v", err)
	}
	bundle := filepath.Join(c.Dir, "b.tgz")
	if err := (shareFlags{output: bundle, yes: true}).run(t.Context(), c, "builtin:default"); err != nil {
		t.Errorf("share: %v", err)
	}
	if data, err := os.ReadFile(bundle); err != nil || !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		t.Errorf("share: %v, %.10q", err, data)
	}
}
