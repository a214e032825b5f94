package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"cookoff/report/formats"
	"cookoff/sandbox/native"
)

// job is a directory with a recipe, as a CI system would have it.
type job struct {
	t   *testing.T
	dir string
	env []string
}

func newJob(t *testing.T) *job {
	t.Helper()
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash on this machine")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "script", "recipes", "tiny.recipe.md"))
	if err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(j.dir, "recipe.md"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	return j
}

// set gives the scripts a variable.
func (j *job) set(name, value string) { j.env = append(j.env, name+"="+value) }

// sh runs a script as CI systems do, and gives its exit code and what it said.
func (j *job) sh(script string) (int, string) {
	j.t.Helper()
	cmd := exec.CommandContext(j.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir = j.dir
	cmd.Env = append(append(os.Environ(), "CI=true"), j.env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		j.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (j *job) read(name string) string {
	j.t.Helper()
	text, err := os.ReadFile(filepath.Join(j.dir, name))
	if err != nil {
		j.t.Fatal(err)
	}
	return string(text)
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestAction runs what action.yml runs.
func TestAction(t *testing.T) {
	t.Run("built", func(t *testing.T) { actionRuns(t, "") })
	t.Run("given", func(t *testing.T) {
		exe, err := exec.LookPath("cookoff") // this test binary, see TestMain
		if err != nil {
			t.Fatal(err)
		}
		actionRuns(t, exe)
	})
}

// actionRuns runs what action.yml runs, with a program that is given or built.
func actionRuns(t *testing.T, binary string) {
	j := newJob(t)
	text, err := os.ReadFile(filepath.Join(root(t), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Name, Run, Shell string
				Env              map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	j.set("GITHUB_ACTIONS", "true")
	j.set("GITHUB_ACTION_PATH", root(t))
	for name, file := range map[string]string{"RUNNER_TEMP": "", "GITHUB_OUTPUT": "out",
		"GITHUB_STEP_SUMMARY": "summary.md"} {
		j.set(name, filepath.Join(j.dir, file))
	}
	inputs := map[string]string{"models": "baseline/oracle,baseline/noop", "args": "--fail-under\n1:baseline/noop\n",
		"recipe": "recipe.md", "binary": binary}
	code, said := 0, ""
	for _, s := range action.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s: an input would become part of the script", s.Name)
		}
		for name, value := range s.Env {
			input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
			if _, known := action.Inputs[input]; !known {
				t.Errorf("%s: no input %q", s.Name, input)
			}
			j.set(name, inputs[input])
		}
		if s.Run != "" {
			code, said = j.sh(s.Run)
		}
		if code != 0 && s.Name == "Build cookoff" {
			t.Fatalf("building: %s", said)
		}
	}
	if code != 1 || !strings.Contains(said, "::error title=gate fail-under baseline/noop does not hold::0 of 1 fixed") {
		t.Errorf("exit %d:\n%s", code, said)
	}
	if out := j.read("out"); !strings.Contains(out, "exit-code=1\n") || !strings.Contains(out, "junit="+j.dir) {
		t.Errorf("outputs: %s", out)
	}
	if comment := j.read("cookoff/comment.md"); !strings.HasPrefix(comment, "<!-- cookoff report ") {
		t.Errorf("comment: %s", comment)
	}
	if r, ok, err := formats.ReadJSON([]byte(j.read("cookoff/report.json"))); !ok || err != nil || len(r.Trials) != 2 {
		t.Errorf("report: %v, %v", ok, err)
	}
	if !strings.Contains(j.read("summary.md"), "| `baseline/oracle` | 1/1 |") ||
		!strings.Contains(j.read("cookoff/junit.xml"), `type="gave_up"`) {
		t.Errorf("summary:\n%s\njunit:\n%s", j.read("summary.md"), j.read("cookoff/junit.xml"))
	}
}

// TestGitLab runs the script of the example in docs/ci.md.
func TestGitLab(t *testing.T) {
	j := newJob(t)
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("```yaml .gitlab-ci.yml\n"))
	example, _, ok := bytes.Cut(rest, []byte("```"))
	if !ok {
		t.Fatal("docs/ci.md has no example for GitLab")
	}
	var pipeline map[string]struct {
		Script      []string
		AfterScript []string `yaml:"after_script"`
		Artifacts   struct {
			Paths   []string
			Reports struct{ JUnit, Metrics string }
		}
	}
	if err := yaml.Unmarshal(example, &pipeline); err != nil {
		t.Fatal(err)
	}
	j.set("CI_PROJECT_DIR", j.dir)
	j.set("COOKOFF", root(t))
	m := pipeline["models"]
	if code, said := j.sh(strings.Join(m.Script, "\n")); code != 0 {
		t.Fatalf("exit %d:\n%s", code, said)
	}
	if code, said := j.sh(strings.Join(m.AfterScript, "\n")); code != 0 {
		t.Fatalf("after: exit %d:\n%s", code, said)
	}
	if !strings.Contains(j.read(m.Artifacts.Reports.JUnit), "<testsuites") {
		t.Error("no JUnit report")
	}
	if text := j.read(m.Artifacts.Reports.Metrics); !strings.Contains(text,
		"cookoff_fixed_ratio{model=\"baseline/oracle\"} 1\n") {
		t.Errorf("metrics: %s", text)
	}
	for _, p := range m.Artifacts.Paths {
		j.read(p)
	}
}

// TestComment runs the step of docs/ci.md that comments, with a gh that answers
// as GitHub does: a comment is made once, and then replaced.
func TestComment(t *testing.T) {
	for _, program := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s on this machine", program)
		}
	}
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("```yaml comment\n"))
	example, _, ok := bytes.Cut(rest, []byte("```"))
	var steps []struct{ Run string }
	if err := yaml.Unmarshal(example, &steps); err != nil || !ok || len(steps) != 1 {
		t.Fatalf("docs/ci.md has no step that comments: %v", err)
	}
	j := &job{t: t, dir: t.TempDir()}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(j.dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("comment.md", "<!-- cookoff report 1a2b -->\n## New\n")
	write("gh", `#!/bin/bash
echo "$@" >> "$(dirname "$0")/asked"
case "$*" in
*--paginate*)
	while [ "$1" != --jq ]; do shift; done
	jq -r "$2" "$(dirname "$0")/comments" ;;
esac
`)
	j.set("PATH", j.dir+":"+os.Getenv("PATH"))
	j.set("COMMENT", filepath.Join(j.dir, "comment.md"))
	j.set("COMMENTS", "repos/o/r/issues/7/comments")
	check := func(comments, want string) {
		t.Helper()
		write("comments", comments)
		write("asked", "")
		if code, said := j.sh(steps[0].Run); code != 0 {
			t.Fatalf("exit %d: %s", code, said)
		}
		if asked := j.read("asked"); !strings.Contains(asked, want+" -F body=@"+j.dir+"/comment.md\n") ||
			strings.Count(asked, "\n") != 2 {
			t.Errorf("asked:\n%s\nwant %s", asked, want)
		}
	}
	other := `{"url":"u1","body":"<!-- cookoff report 9999 -->\n## Another recipe"}`
	check(`[`+other+`]`, "api --method POST repos/o/r/issues/7/comments")
	check(`[`+other+`,{"url":"u2","body":"<!-- cookoff report 1a2b -->\n## Old"}]`, "api --method PATCH u2")
}
