package deaths

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rows are the ways to die of the tables of the facts (field/engines.md), each with the
// test in which it is tried. The world of each test has a process that left its session.
var rows = map[string]string{
	"ssh client kill -9":                                        "TestSSH/client killed",
	"same, while `cookoff sandbox run -- sleep 97`":             "TestSSH/nobody reads sandbox run",
	"session's sshd kill -9":                                    "TestSSH/session killed",
	"network silent (relay that moves nothing), both Alive 2×2": "TestSSH/silent cut",
	"client stopped (SIGSTOP), ClientAlive 2×2":                 "TestSSH/client stopped",
	"server session stopped, ServerAlive 2×2":                   "TestSSH/session stopped",
	"srun kill -9 (the parent of its two processes)":            "TestSlurm/client killed",
	"scancel J":                         "TestSlurm/job cancelled",
	"slurmd kill -9":                    "TestSlurm/daemon killed",
	"slurmstepd kill -9":                "TestSlurm/step killed",
	"step ends, a `setsid` child stays": "TestSlurm/step killed",
}

// TestRows: each row has a test that there is, and none of the facts is missing.
func TestRows(t *testing.T) {
	var source []byte
	files, _ := filepath.Glob("*_linux_test.go") // the pattern is right
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	for row, test := range rows {
		function, sub, _ := strings.Cut(test, "/")
		if !strings.Contains(string(source), "func "+function+"(") || !strings.Contains(string(source), `"`+sub+`"`) {
			t.Errorf("%s is said to be tried by %s, which there is not", row, test)
		}
	}
	dir := os.Getenv("COOKOFF_FACTS")
	if dir == "" {
		t.Skip("the facts are not here (COOKOFF_FACTS)")
	}
	text, err := os.ReadFile(filepath.Join(dir, "field", "engines.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	in := false
	for line := range strings.Lines(string(text)) {
		switch row := regexp.MustCompile(`^\| ([^|]+) \|`).FindStringSubmatch(line); {
		case strings.HasPrefix(line, "| what happens |"):
			in = true
		case row == nil && !strings.HasPrefix(line, "|"):
			in = false
		case in && row != nil:
			found = append(found, row[1])
		}
	}
	if want := slices.Sorted(maps.Keys(rows)); !slices.Equal(slices.Sorted(slices.Values(found)), want) {
		t.Errorf("the rows are\n%q\nand those with a test\n%q", found, want)
	}
}
