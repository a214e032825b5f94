package export

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/verify/checks"
	"cookoff/verify/versions"
)

// TestVersionsStandByThemselves: the expression that Harbor's tests match says of each output
// what the judge here says.
func TestVersionsStandByThemselves(t *testing.T) {
	outs := []string{"1.2.3", "v1.2.3", "11.2.3", "1.2.30", "0.1.2.3", "1.2.3.4", "1.2.3-rc.1", "1.2.3_alpha", "2.0.0-1.2.3",
		"tool-1.2.3", "lz4-1.2.3", "curl/1.2.3 x", "It is 1.2.3.", "1.2.3-", "go1.2.3", "go1.2.3.", "go1.2.34", "1x2y3",
		"x 1.2.3-rc.1", "1.2.3-rc.12", "1.2.3-rc.1.2", "(1.2.3)", "a\n1.2.3\nb", "1.2.3. 1.2.3.4", "1.2.3.4 1.2.3", "v1.2.3: ok",
		"1.2.3; 1.2.30", ""}
	for _, pattern := range []string{"{version}", "v{version}", "go{version}", "{version}-rc.1", "{version}.", "It is {version}",
		"{version}: ok", "-{version}", "({version})", "{version} {version}"} {
		re := whole(pattern, "1.2.3")
		for _, out := range outs {
			want, _ := versions.Expand(pattern, "1.2.3").In(out)
			err := exec.CommandContext(t.Context(), "bash", "-c", `[[ $1 =~ $2 ]]`, "-", out, re).Run()
			if got := err == nil; got != want {
				t.Errorf("%q in %q: %v, want %v, by %s", pattern, out, got, want, re)
			}
		}
	}
}

// TestBlocks: a verify block judges there as here: status, stream, patterns letter by letter,
// further commands, the program on PATH.
func TestBlocks(t *testing.T) {
	three := 3
	for _, test := range []struct {
		name string
		recipe.VerifyBlock
		want bool
	}{
		{"a version", recipe.VerifyBlock{Command: "echo tool v2.3.8", Pattern: "tool v{version}", Version: "x@2.3.8",
			VersionFormat: "semver"}, true},
		{"another", recipe.VerifyBlock{Command: "echo tool v2.3.80", Pattern: "tool v{version}", Version: "2.3.8"}, false},
		{"letter by letter", recipe.VerifyBlock{Mode: "output", Command: `echo "a*[b]'c' \$x"`, Pattern: `*[b]'c' $x`}, true},
		{"no wildcard", recipe.VerifyBlock{Mode: "output", Command: "echo abcd", Pattern: "a*d"}, false},
		{"all of several", recipe.VerifyBlock{Mode: "functional", Command: "echo one; echo two", Patterns: []string{"two", "three"}}, false},
		{"a status", recipe.VerifyBlock{Mode: "functional", Command: "echo no >&2; exit 3", ExitCode: &three, Stream: "stderr",
			Pattern: "no"}, true},
		{"another stream", recipe.VerifyBlock{Mode: "functional", Command: "echo no >&2", Pattern: "no"}, false},
		{"both", recipe.VerifyBlock{Mode: "functional", Command: "echo yes; echo no >&2", Stream: "both", Pattern: "yes\n\nno"}, true},
		{"a further command", recipe.VerifyBlock{Mode: "functional", Command: "true",
			Additional: []recipe.VerifyExtra{{Command: "echo x", Pattern: "y"}}}, false},
		{"a program", recipe.VerifyBlock{Mode: "functional", Command: "true", Binary: "bash"}, true},
		{"a builtin is none", recipe.VerifyBlock{Mode: "functional", Command: "true", Binary: "cd"}, false},
		{"too slow", recipe.VerifyBlock{Mode: "functional", Command: "sleep 60", Timeout: "10ms"}, false},
	} {
		file := filepath.Join(t.TempDir(), "test.sh")
		if err := os.WriteFile(file, []byte(block(checks.CompileBlock("verify", test.VerifyBlock, true))), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "bash", file).CombinedOutput()
		if (err == nil) != test.want {
			t.Errorf("%s: %v: %s", test.name, err, out)
		}
	}
	why := Refused(&recipe.Recipe{}, recipe.Task{Verify: []recipe.VerifyBlock{{Command: "x", VersionCommand: "y", Live: true}}})
	if got := strings.Join(why, "; "); got != liveCheck+"; verify: version_command asks the start, which Harbor's verifier does not have" {
		t.Errorf("refused %s", got)
	}
}

// TestSearch: directories of PATH by where the task is.
func TestSearch(t *testing.T) {
	if got := search(recipe.Task{Path: []string{"~/bin", "/opt/x", "tools/bin", "~"}}, "/app"); got != "/home/agent/bin:/opt/x:/app/tools/bin:/home/agent" {
		t.Error(got)
	}
}
