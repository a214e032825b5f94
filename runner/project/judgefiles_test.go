package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/recipe"
)

// What a task hides is read within the project: a link of the project that leads out
// of it, as to /proc/self, leads nowhere.
func TestHiddenFilesStayInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(outside, "key"): "secret",
		filepath.Join(dir, "tests", "a"): "test"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": outside, "self": "/proc/self", "in": "tests"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, glob := range []string{"out/key", "out/**", "self/environ", "*/key"} {
		items, err := HiddenFiles(dir, &recipe.Recipe{}, recipe.Task{Title: "t", Hidden: []string{glob}})
		for _, it := range items {
			if it.Mode.IsRegular() {
				t.Errorf("%s: %s is read", glob, it.Path)
			}
		}
		if err == nil && len(items) == 0 {
			t.Errorf("%s: nothing, and nothing is said", glob)
		}
	}
	items, err := HiddenFiles(dir, &recipe.Recipe{}, recipe.Task{Title: "t", Hidden: []string{"tests/**"}})
	if err != nil || len(items) == 0 {
		t.Errorf("%v, %v", items, err)
	}
}

// TestJudgeFilesBySuffix: the suffix of a judge's file is taken off, once; two files are not one.
func TestJudgeFilesBySuffix(t *testing.T) {
	for _, c := range []struct {
		files     []string
		want, err string
	}{
		{[]string{"a_test.go.judge", "sub.judge/b", "c.judge.judge"}, "[a_test.go c.judge sub.judge sub.judge/b]", ""},
		{[]string{"a", "a.judge"}, "", `"a" and "a.judge" are both "a"`},
		{[]string{"a/b", "a.judge"}, "", `are both "a"`},
		{[]string{"a/.judge"}, "", `"a/.judge" has no name`},
	} {
		dir := t.TempDir()
		for _, f := range c.files {
			at := filepath.Join(dir, "files", f)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		items, err := gather(os.DirFS(filepath.Join(dir, "files")), ".", false)
		if err == nil {
			err = plainNames(items)
		}
		var names []string
		for _, it := range items {
			names = append(names, it.Path)
		}
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.files, err, c.err)
			}
		case err != nil || fmt.Sprint(names) != c.want:
			t.Errorf("%s: %s, %v", c.files, names, err)
		}
	}
}
