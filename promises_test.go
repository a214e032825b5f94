package cookoff

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesAreTested: every test that the table of attacks names exists.
func TestPromisesAreTested(t *testing.T) {
	var code strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path,
			"sandbox/sandboxtest/") {
			return err
		}
		b, err := os.ReadFile(path)
		code.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !regexp.MustCompile(`^ [A-Z]\d\d`).MatchString(cells[1]) {
			continue
		}
		rows++
		tests := regexp.MustCompile(`(Test|/)[A-Z]\w+`).FindAllString(cells[3], -1)
		if len(tests) == 0 && !strings.Contains(cells[3], "not prevented") {
			t.Errorf("no test: %s", line)
		}
		for _, name := range tests {
			want := "func " + name + "("
			if sub, ok := strings.CutPrefix(name, "/"); ok {
				want = `{"` + sub + `",`
			}
			if !strings.Contains(code.String(), want) {
				t.Errorf("there is no test %s: %s", name, line)
			}
		}
	}
	if rows < 30 {
		t.Errorf("only %d rows of attacks were found", rows)
	}
}
