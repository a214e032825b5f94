package testrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestSeveralCommands: of a script with several test commands each is read that the script comes to; a test of one name
// in two of them passes where both do.
func TestSeveralCommands(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/t.sh":    "echo 'ok 1 - first'; echo 'ok 2 - same'; echo 1..2\n",
		"b/t.sh":    "echo 'ok 1 - second'; echo 'not ok 2 - same'; echo 1..2; exit 3\n",
		"c/t.sh":    "echo 'ok 1 - third'; echo 1..1\n",
		"c/lint.sh": "echo all well\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for script, want := range map[string]string{
		"sh a/t.sh":                              "0: first same / ",
		"(cd a && sh t.sh) && (cd c && sh t.sh)": "0: first same third / ",
		"(cd a && sh t.sh) && (cd b && sh t.sh)": "3: first second / same",
		"(cd b && sh t.sh) && (cd a && sh t.sh)": "3: second / same",
		"sh c/lint.sh && sh c/t.sh":              "0: third / ",
	} {
		out, err := ByName(t.Context(), here{dir: dir}, sandbox.Cmd{Script: script})
		if err != nil {
			t.Fatal(err)
		}
		got := string('0'+rune(out.Exit)) + ": " + strings.Join(out.Passed, " ") + " / " + strings.Join(out.Failed, " ")
		if got != want || out.Runner == "" {
			t.Errorf("%s: %s by %q, want %s", script, got, out.Runner, want)
		}
	}
}
