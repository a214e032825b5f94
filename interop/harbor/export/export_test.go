package export

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoHistory: what the agent sees has no repository, in no directory: its commits
// would hold the recipe.
func TestNoHistory(t *testing.T) {
	project, out := t.TempDir(), filepath.Join(t.TempDir(), "task")
	write(t, project, map[string]string{"kept": "x", ".git/HEAD": "ref: x", ".git/objects/12/34": "solution",
		"sub/.git": "gitdir: ../.git/modules/sub", "sub/.gitignore": "y", "deep/er/.git/config": "z"})
	if err := os.Chmod(filepath.Join(project, ".git/objects/12/34"), 0o444); err != nil {
		t.Fatal(err)
	}
	err := Task(out, Given{Recipe: &recipe.Recipe{}, Project: project, Image: "x", Name: "a/b"},
		recipe.Task{Prompt: "p"})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	err = filepath.WalkDir(filepath.Join(out, "environment"), func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(out, path); err == nil && !d.IsDir() {
			all = append(all, rel)
		}
		return err
	})
	const want = "environment/Dockerfile environment/project/kept environment/project/sub/.gitignore"
	if got := strings.Join(all, " "); err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestJudgedOverLinks: what the agent leaves in the place of a judge's file, or on the
// way there, does not take the copy elsewhere: the script is run here, at other places.
func TestJudgedOverLinks(t *testing.T) {
	for name, left := range map[string]string{
		"a link to nothing":       "ln -sf /dev/null tests/deep/check",
		"a link elsewhere":        "mkdir ../away; rm -r tests; ln -s ../away tests",
		"a directory":             "rm tests/deep/check; mkdir tests/deep/check",
		"a file for a directory":  "rm -r tests; touch tests",
		"a link that leads round": "rm -r tests; ln -s tests tests",
		"as it was":               "true",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{"work/tests/deep/check": "theirs", "work/tests/kept": "x"})
			w := &writing{dir: dir, at: filepath.Join(dir, "work"), Given: Given{Judge: []sandbox.Item{
				{Path: "tests", Mode: fs.ModeDir | 0o755},
				{Path: "tests/deep/check", Mode: 0o644, Data: []byte("ours")},
				{Path: "it's", Mode: 0o644, Data: []byte("ours too")}}}}
			var b strings.Builder
			w.judged(&b)
			script := strings.ReplaceAll(b.String(), "/tests/judge/.", dir+"/tests/judge/.")
			cmd := exec.Command("sh", "-c", "cd work; ("+left+"); fixed=1\n"+script+
				"\ncat tests/deep/check \"it's\"; echo $fixed; test -L tests || ls -A ../away 2>&1 | grep -c deep")
			cmd.Dir = dir
			out, _ := cmd.CombinedOutput()
			if string(out) != "oursours too1\n0\n" || w.err != nil {
				t.Errorf("%s\ngave %q, %v", script, out, w.err)
			}
		})
	}
}
