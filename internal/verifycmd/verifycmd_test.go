package verifycmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"cookoff/recipe/problem"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// called is what a command printed, and its exit code (2: a plain error).
type called struct {
	out, err string
	code     int
}

func call(t *testing.T, stdin string, args ...string) called {
	t.Helper()
	b := native.New(native.Options{Dir: t.TempDir()})
	var out, errs bytes.Buffer
	c := Command(Env{Stdin: strings.NewReader(stdin), Out: &out, Err: &errs, Clean: func(s string) string { return s },
		Say: func(_ string, ps problem.List, _ bool) error {
			errs.WriteString(ps.Error() + "\n")
			return nil
		},
		Args: func(min, max int, _ string) cobra.PositionalArgs { return cobra.RangeArgs(min, max) },
		Open: func(ctx context.Context, project string, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
			return b.Open(ctx, sandbox.Spec{Project: project, State: st, Profile: p, Network: sandbox.NoNetwork})
		}})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	err := c.ExecuteContext(t.Context())
	var exit *ExitError
	switch {
	case errors.As(err, &exit):
		return called{out.String(), errs.String(), exit.Code}
	case err != nil:
		return called{out.String(), errs.String() + err.Error(), 2}
	}
	return called{out.String(), errs.String(), 0}
}

func (c called) want(t *testing.T, code int, out, err string) {
	t.Helper()
	if c.code != code || c.out != out || c.err != err {
		t.Errorf("exit %d\n%s---\n%s\nwant %d\n%s---\n%s", c.code, c.out, c.err, code, out, err)
	}
}

func project(t *testing.T) string {
	t.Helper()
	b := native.New(native.Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "banner"), []byte("Version: 2.3.8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

const block = `
[metadata]
name = "biome"

[verify]
command = "cat banner"
pattern = "Version: {version}"
version_format = "semver"
`

func TestVerify(t *testing.T) {
	root := project(t)
	call(t, block, "-", "--root", root, "--version", "biome@2.3.8").want(t, 0, `verify[0] pass (version)
  command  cat banner
  exit     0
  version  biome@2.3.8 -> 2.3.8
  pattern  Version: 2.3.8
  output   Version: 2.3.8
`, "note: not read: metadata\n")
	if got := call(t, block, "-", "--root", root, "--version", "biome@2.3"); got.code != 2 ||
		!strings.HasSuffix(got.err, `version_format "semver" finds nothing in "biome@2.3"`) {
		t.Errorf("%+v", got)
	}
	call(t, block+"version_command = 'echo biome@2.3'\n", "-", "--root", root).want(t, 3,
		`verify[0] void (version): version_format "semver" finds nothing in "biome@2.3"
`, "note: not read: metadata\n")
	got := call(t, block, "-", "--root", root, "--version", "2.3.9", "--format", "json")
	var doc struct {
		Schema, Status string
		Verdicts       []struct{ Check, Status, Detail string }
	}
	if err := json.Unmarshal([]byte(got.out), &doc); err != nil || got.code != 1 || doc.Schema != "cookoff.verify/1" ||
		doc.Status != "fail" ||
		doc.Verdicts[0].Detail != `"Version: 2.3.9" is not in stdout` {
		t.Errorf("%d %v\n%s", got.code, err, got.out)
	}
	call(t, "command = 'no-such-tool'\nmode = 'functional'\nreason = 'r'", "-", "--root", root).want(t, 1,
		`verify[0] fail (functional without pattern): exit status 127: bash: line 1: no-such-tool: command not found
  command  no-such-tool
  exit     127
  stderr   bash: line 1: no-such-tool: command not found
`, "")
}

func TestCompat(t *testing.T) {
	root := project(t)
	text := "[verify]\ncommand = \"cat banner\"\npattern = \"{version}\"\nversion_format = \"future\"\n"
	if got := call(t, text, "-", "--root", root, "--version", "2.3.8"); got.code != 2 || !strings.Contains(got.err,
		`unknown version_format "future"`) {
		t.Errorf("%+v", got)
	}
	got := call(t, text, "-", "--root", root, "--version", "2.3.8", "--compat", "tsuku")
	if want := "warning: verify[0]: unknown version_format \"future\": the whole version is used\n"; got.code != 0 ||
		got.err != want {
		t.Errorf("%+v", got)
	}
	got = call(t, "[verify]\ncommand = \"cat banner\"\npattern = \"\"\n", "-", "--root", root, "--version", "9",
		"--compat", "tsuku")
	if want := "warning: verify[0]: no {version} in the pattern: the version is not checked\n" +
		"warning: verify[0]: no pattern: only the exit status is checked\n"; got.code != 0 || got.err != want {
		t.Errorf("%+v", got)
	}
}

// What the other system fills in, or takes without a version, is an error that
// names the flag; with the flag it is judged.
func TestCompatCommands(t *testing.T) {
	root := project(t)
	text := "[verify]\ncommand = \"cat {install_dir}/banner; echo ${version} is {version}\"\n" +
		"pattern = \"Version: {version}\"\n" +
		"[[verify.additional]]\ncommand = \"cat banner\"\npattern = \"Version\"\n"
	for _, args := range [][]string{{"-", "--root", root, "--version", "2.3.8"}, {"lint", "-"}} {
		got := call(t, text, args...)
		if got.code != 2 || !strings.Contains(got.err,
			"{install_dir} is not filled in in a command\n"+
				"  hint: write out what is meant; cookoff verify --compat tsuku") ||
			!strings.Contains(got.err,
				"additional[0].pattern: mode version needs {version} in the pattern\n"+
					"  hint: a further command without it is a [[verify]]") {
			t.Errorf("%q: %+v", args, got)
		}
	}
	got := call(t, text, "-", "--root", root, "--version", "2.3.8", "--compat", "tsuku")
	if want := "warning: verify[0].additional: no {version} in the pattern: the version is not " +
		"checked\n"; got.code != 0 ||
		got.err != want ||
		!strings.Contains(got.out, "cat /work/banner; echo ${version} is 2.3.8") || !strings.Contains(got.out,
		"verify[1] pass (output)") {
		t.Errorf("%+v", got)
	}
	if got := call(t, text, "lint", "-", "--compat", "tsuku"); got.code != 0 || !strings.Contains(got.err,
		"warning: verify[0].additional: no {version}") {
		t.Errorf("%+v", got)
	}
	if got := call(t, text, "lint", "-", "--compat", "tsuku", "--strict"); got.code != 2 {
		t.Errorf("strict: %+v", got)
	}
	text = "[verify]\ncommand = \"{binary} x\"\npattern = \"{version}\"\n"
	if got := call(t, text, "lint", "-", "--compat", "tsuku"); got.code != 2 || !strings.Contains(got.err,
		"{binary} is not filled in") {
		t.Errorf("a program that nobody named: %+v", got)
	}
}

func TestLoadRefuses(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if _, err := load("f.toml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
	const keys = "allowed are mode, command, pattern, patterns, version_format, reason, exit_code, version, " +
		"version_command, stream, timeout, live, binary, additional"
	check("[verify]\ncommand = ", "f.toml:2:11: parsing TOML: expected value but found '\\n' instead")
	check("[verify]\ncommand = 'a'\ncommand = 'b'\n",
		"f.toml:3:1: parsing TOML: Key 'verify.command' has already been defined.")
	check("", "f.toml: there is no [verify]\n  hint: a block starts with [verify], or [[verify]] for several")
	check("x = 1\n", "f.toml: there is no [verify]\n  hint: a block starts with [verify], or [[verify]] for several")
	check("[verify]\ncommand = 'a'\nadditional = [{command = 'b', live = true}]\n",
		"f.toml:3:1: unknown key \"live\": allowed are command, pattern, patterns, exit_code, stream")
	check("[verify]\ncommand = 'a'\nadditional = ['b']\n",
		"f.toml:3:14: additional is no list of tables\n  hint: write [[verify.additional]]")
	if l, err := load("f.toml",
		[]byte("verify = [{command = 'a', additional = [{command = 'b'}]}, {command = 'c'}]\n"+
			"x = 1\n[a]\n")); err != nil ||
		len(l.blocks) != 2 || l.blocks[0].Additional[0].Command != "b" || l.notes[0] != "not read: a, x" {
		t.Errorf("%+v %v", l, err)
	}
	check("verify = 1\n", "f.toml:1:1: verify is no table: write [verify]")
	check("[verify]\ncommand = 'a'\nversion_fromat = 'raw'\n",
		"f.toml:3:1: unknown key \"version_fromat\": "+keys+"\n  hint: did you mean \"version_format\"?")
	check("[[verify]]\n[[verify.additional]]\nlive = true\n",
		"f.toml:3:1: unknown key \"live\": allowed are command, pattern, patterns, exit_code, stream")
	check("command = 'a'\nfoo = 1\n", "f.toml:2:1: unknown key \"foo\": "+keys)
	check("\ufeff[x]\r\n[verify]\r\nexit_code = '2'\r\ntimeout = 60\r\nlive = 'yes'\r\npatterns = 'a'\r\n",
		"f.toml:3:13: exit_code is not an integer\nf.toml:4:11: timeout is not a text: put it in quotes\n"+
			"f.toml:5:8: live is not true or false\nf.toml:6:12: patterns is not a list of texts")
}

func TestTransformAndLint(t *testing.T) {
	call(t, "", "transform", "semver", "biome@2.3.8").want(t, 0, "2.3.8\n", "")
	call(t, "", "transform", "semver", "biome").want(t, 2, "",
		"version_format \"semver\" finds nothing in \"biome\"\nhint: cookoff help verify transform lists the formats")
	text := "[[verify]]\ncommand = 'a || b'\npattern = 'v{version}'\n"
	warning := ": verify[0].command: \"||\" hides a failure at 1:3\n" +
		"  hint: say the status that is right with exit_code\n"
	call(t, text, "lint", "-").want(t, 0, "", "standard input:2:11: warning"+warning)
	call(t, text, "lint", "-", "--strict").want(t, 2, "", "standard input:2:11"+warning)
	call(t, "", "-", "--compat", "npm").want(t, 2, "", "unknown --compat \"npm\"\nhint: allowed: tsuku")
	call(t, "", "-", "--format", "yaml").want(t, 2, "", "unknown --format \"yaml\"\nhint: allowed: text, json")
}

// A file is blocks or an error, never both and never neither.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(block))
	f.Add([]byte("[[verify]]\ncommand = 'a'\n[[verify.additional]]\nlive = true\n[x]\n"))
	f.Add([]byte("command = 'a'\nverify = 1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := load("f", text)
		if err == nil && l == nil {
			t.Fatalf("nothing for %q", text)
		}
		if err == nil {
			l.asked("1.2.3")
			l.likeTsuku("1.2.3")
		}
	})
}
