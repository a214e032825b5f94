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
	outs := []string{"1.2.3", "v1.2.3", "11.2.3", "1.2.30", "0.1.2.3", "1.2.3.4", "1.2.3-rc.1", "1.2.3_alpha",
		"2.0.0-1.2.3",
		"tool-1.2.3", "lz4-1.2.3", "curl/1.2.3 x", "It is 1.2.3.", "1.2.3-", "go1.2.3", "go1.2.3.", "go1.2.34", "1x2y3",
		"x 1.2.3-rc.1", "1.2.3-rc.12", "1.2.3-rc.1.2", "(1.2.3)", "a\n1.2.3\nb", "1.2.3. 1.2.3.4",
		"1.2.3.4 1.2.3", "v1.2.3: ok",
		"1.2.3; 1.2.30", ""}
	for _, pattern := range []string{"{version}", "v{version}", "go{version}", "{version}-rc.1", "{version}.",
		"It is {version}",
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
		{"all of several",
			recipe.VerifyBlock{Mode: "functional", Command: "echo one; echo two", Patterns: []string{"two", "three"}},
			false},
		{"a status", recipe.VerifyBlock{Mode: "functional", Command: "echo no >&2; exit 3", ExitCode: &three,
			Stream:  "stderr",
			Pattern: "no"}, true},
		{"another stream", recipe.VerifyBlock{Mode: "functional", Command: "echo no >&2", Pattern: "no"}, false},
		{"both",
			recipe.VerifyBlock{Mode: "functional", Command: "echo yes; echo no >&2", Stream: "both", Pattern: "yes\n\nno"},
			true},
		{"a further command", recipe.VerifyBlock{Mode: "functional", Command: "true",
			Additional: []recipe.VerifyExtra{{Command: "echo x", Pattern: "y"}}}, false},
		{"a program", recipe.VerifyBlock{Mode: "functional", Command: "true", Binary: "bash"}, true},
		{"a builtin is none", recipe.VerifyBlock{Mode: "functional", Command: "true", Binary: "cd"}, false},
		{"too slow", recipe.VerifyBlock{Mode: "functional", Command: "sleep 60", Timeout: "10ms"}, false},
	} {
		file := filepath.Join(t.TempDir(), "test.sh")
		if err := os.WriteFile(file, []byte(block(checks.CompileBlock("verify", test.VerifyBlock, true), "")),
			0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "bash", file).CombinedOutput()
		if (err == nil) != test.want {
			t.Errorf("%s: %v: %s", test.name, err, out)
		}
	}
	why := Refused(&recipe.Recipe{}, recipe.Task{Verify: []recipe.VerifyBlock{{Command: "x", VersionCommand: "y",
		VersionFormat: "regex:v(?:1|2)", Live: true}}})
	const want = "verify: version_command with version_format regex:v(?:1|2): write the version into version"
	if got := strings.Join(why, "; "); got != want {
		t.Errorf("refused %s", got)
	}
}

// TestToldVersions: of what a version command says the image keeps what our own formats make of
// it, and the tests look for that alone.
func TestToldVersions(t *testing.T) {
	said := []string{"1.2.3", " v1.2.3 \n", "V2", "v", "1.2.3-rc.1+b.7", "go1.22.0", "1.2", "tool@1.2.3-a_b", "1..2", "",
		"-1.2.3", "a b", "2024.05", "x.24.5.7rc", "1.24.5", "24.13", "2024.0", "2024.05.", "224.05", ".24.12.3.4", "build-17"}
	for _, format := range []string{"", "raw", "semver", "semver_full", "calver", "strip_v", "strip_prefix:go",
		"strip_prefix:tool@", "regex:build-([0-9]+)", "regex:[0-9]+"} {
		for _, say := range said {
			b := checks.CompileBlock("verify", recipe.VerifyBlock{Command: `printf '%s' "$SAID"`, Pattern: "is {version}",
				VersionFormat: format, VersionCommand: "printf '%s' " + quote(say)}, true)
			want, wrong := versions.Transform(format, strings.TrimSpace(say))
			file := filepath.Join(t.TempDir(), "version")
			err := exec.CommandContext(t.Context(), "bash", "-c", telling(b, file)).Run()
			out, _ := os.ReadFile(file)
			if (err == nil) != (wrong == nil) || strings.TrimSpace(string(out)) != want {
				t.Errorf("%q of %q: %q, %v; want %q, %v", format, say, out, err, want, wrong)
			}
			if wrong != nil || format != "semver_full" { // one that may have a "+"
				continue
			}
			for printed, holds := range map[string]bool{"is " + want: true, "is " + want + ".4": false,
				"is " + strings.ReplaceAll(want, ".", "x"): !strings.Contains(want, ".")} {
				cmd := exec.CommandContext(t.Context(), "bash", "-c", block(b, file))
				cmd.Env = append(os.Environ(), "SAID="+printed)
				if out, err := cmd.CombinedOutput(); (err == nil) != holds {
					t.Errorf("%q: %q is it: %v; %s", want, printed, err == nil, out)
				}
			}
		}
	}
}

// TestSearch: directories of PATH by where the task is.
func TestSearch(t *testing.T) {
	got := search(recipe.Task{Path: []string{"~/bin", "/opt/x", "tools/bin", "~"}}, "/app")
	if got != "/home/agent/bin:/opt/x:/app/tools/bin:/home/agent" {
		t.Error(got)
	}
}
