package shards

import (
	"os/exec"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// hostile is an argument that a shell would take apart.
const hostile = `it's $(touch x) "a" \ ; recipe.md`

func write(t *testing.T, engine string) string {
	t.Helper()
	text, err := Job{Parts: 3, Args: []string{hostile}, Image: "i", Claim: "c", Keys: "k"}.For(engine)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// at goes down in what was read of YAML: by names, and into lists at their first place.
func at(v any, path string) any {
	for name := range strings.FieldsSeq(path) {
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// said runs a script with programs that print their arguments.
func said(t *testing.T, script string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `cookoff() { printf '<%s>' "$@"; }; `+script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestKubernetes(t *testing.T) {
	var job map[string]any
	if err := yaml.Unmarshal([]byte(write(t, "kubernetes")), &job); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"kind": "Job", "spec completionMode": "Indexed", "spec completions": 3, "spec parallelism": 3,
		"spec backoffLimitPerIndex": 1, "spec template spec restartPolicy": "Never",
		"spec template spec hostUsers": false, "spec template spec automountServiceAccountToken": false,
		"spec template spec containers securityContext runAsNonRoot":             true,
		"spec template spec containers securityContext allowPrivilegeEscalation": false,
		"spec template spec containers securityContext procMount":                "Unmasked",
	} {
		if got := at(job, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	words, _ := at(job, "spec template spec containers command").([]any)
	if len(words) != 3 {
		t.Fatal(words)
	}
	script := strings.Replace(words[2].(string), "exec ", "JOB_COMPLETION_INDEX=2; ", 1)
	if got, want := said(t, script), "<run><"+hostile+"><--shard><3/3>"; got != want {
		t.Errorf("the last index runs %s, want %s", got, want)
	}
}

func TestHands(t *testing.T) {
	text, err := Hands(4, "i: x")
	if err != nil {
		t.Fatal(err)
	}
	var set map[string]any
	if err := yaml.Unmarshal([]byte(text), &set); err != nil {
		t.Fatal(err)
	}
	if at(set, "spec replicas") != 4 || at(set, "spec template spec containers image") != "i: x" ||
		at(set, "spec template metadata labels app") != at(set, "spec selector matchLabels app") {
		t.Error(text)
	}
}

func TestGitHub(t *testing.T) {
	var flow map[string]any
	if err := yaml.Unmarshal([]byte(write(t, "github")), &flow); err != nil {
		t.Fatal(err)
	}
	steps, _ := at(flow, "jobs part steps").([]any)
	script := strings.Replace(at(steps[3], "run").(string), "${{ matrix.part }}", "2", 1)
	if got, want := said(t, script), "<run><"+hostile+"><--shard><2/3>"; got != want {
		t.Errorf("a part runs %s, want %s", got, want)
	}
	if _, err := (Job{Parts: 1, Args: []string{"${{ secrets.X }}"}}).For("github"); err == nil {
		t.Error("an expression of GitHub's was taken")
	}
}
