package project

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
)

// write writes files of a project, each of two texts: its path and what it holds.
func write(t *testing.T, dir string, files ...[2]string) {
	t.Helper()
	for _, f := range files {
		at := filepath.Join(dir, f[0])
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(f[1]), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %s", args, out)
	}
}

// TestUnread: what a user may not read, and no commit has, is in no copy, whether that is kept or not; what a commit
// has is missed. CI runs it as an ordinary user.
func TestUnread(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := t.TempDir()
	write(t, dir, [2]string{"a.txt"}, [2]string{"data/rows"}, [2]string{"secret"}, [2]string{"tracked"})
	for _, name := range []string{"data", "secret", "tracked"} {
		at := filepath.Join(dir, name)
		if err := os.Chmod(at, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(at, 0o700) })
	}
	for _, kept := range []string{"", t.TempDir()} {
		c, done, err := Source{Recipe: &recipe.Recipe{}, Dir: dir, Kept: kept}.Copy(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Copied()
		slices.Sort(got.Left)
		if err != nil || got.Files != 1 || !slices.Equal(got.Left, []string{"data", "secret", "tracked"}) {
			t.Errorf("kept in %q: %+v, %v", kept, got, err)
		}
		done()
	}
	if err := os.Chmod(filepath.Join(dir, "tracked"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", "tracked", "a.txt", "data")
	for _, name := range []string{"tracked", "data"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := Source{Recipe: &recipe.Recipe{}, Dir: dir, Kept: t.TempDir()}.Copy(t.Context())
	missed, is := errors.AsType[*sandbox.UnreadableError](err)
	if !is || !slices.Equal(missed.Paths, []string{"data", "tracked"}) {
		t.Errorf("a tracked file that can't be read: %v", err)
	}
}

// TestKeys: a file that holds a key is in no copy, as one with settings of somebody's shell; what a commit has is
// refused.
func TestKeys(t *testing.T) {
	dir := t.TempDir()
	const key = "sk-0123456789"
	write(t, dir, [2]string{"a.txt", "a"}, [2]string{".envrc", "export A=" + key}, [2]string{"conf/own", key},
		[2]string{"conf/all", key + "2"})
	for _, kept := range []string{"", t.TempDir()} {
		source := Source{Recipe: &recipe.Recipe{}, Dir: dir, Kept: kept,
			Secrets: map[string]string{"KEY": key, "TWO": key + "2"}}
		for range 2 {
			c, done, err := source.Copy(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Copied()
			slices.Sort(got.Left)
			if err != nil || got.Files != 1 || !slices.Equal(got.Left, []string{".envrc", "conf/all", "conf/own"}) {
				t.Errorf("kept in %q: %+v, %v", kept, got, err)
			}
			done()
		}
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", "conf")
	git(t, dir, "config", "remote.origin.url", "https://a:"+key+"@git.example.org/a")
	_, _, err := Source{Recipe: &recipe.Recipe{}, Dir: dir, Secrets: map[string]string{"KEY": key}}.Copy(t.Context())
	const want = "the project holds the value of KEY in \".git/config\", which git keeps: every model would see it\n" +
		"the project holds the value of KEY in \"conf/all\", which git keeps: every model would see it\n" +
		"the project holds the value of KEY in \"conf/own\", which git keeps: every model would see it\n" +
		"hint: take it out of the project; nothing was run"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	// Of a repository that git can't read nothing is known, and nothing is left out.
	write(t, dir, [2]string{".git/config", "[core"}, [2]string{"conf/all"}, [2]string{"conf/own"})
	_, _, err = Source{Recipe: &recipe.Recipe{}, Dir: dir, Secrets: map[string]string{"KEY": key}}.Copy(t.Context())
	if keys, is := errors.AsType[*keyError](err); !is || len(keys.Found) != 1 || keys.Found[0].Path != ".envrc" {
		t.Errorf("%v", err)
	}
}
