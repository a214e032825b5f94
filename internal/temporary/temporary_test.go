package temporary

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be a process that is killed while it makes things.
func TestMain(m *testing.M) {
	if in := os.Getenv("MAKE_IN"); in != "" {
		dir, err := Dir(in, "dir-*")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
		}
		f, err2 := File(in, ".file-*.recipe.md")
		Note(filepath.Join(in, "never-made"))
		if err == nil && err2 == nil && os.Getenv("THEN") == "rename" {
			err = os.Rename(f.Name(), filepath.Join(in, "whole"))
			err2 = os.RemoveAll(dir)
			End()
		}
		fmt.Println(err, err2)
		_, _ = os.Stdin.Read(make([]byte, 1)) // the end of the test, or of this process
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// maker starts a process that makes a file and a directory in dir.
func maker(t *testing.T, dir string, env ...string) (end func(syscall.Signal)) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "MAKE_IN="+dir)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	said := make([]byte, 100)
	n, err := out.Read(said)
	if got := string(said[:n]); err != nil || got != "<nil> <nil>\n" {
		t.Fatalf("%q, %v", got, err)
	}
	return func(s syscall.Signal) {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
}

// TestLeft: what a process made is nobody else's while it lives, and is found once it was
// killed, wherever it is; what it renamed stays.
func TestLeft(t *testing.T) {
	for name, home := range map[string]string{"a cache": t.TempDir(), "no home": "/dev/null/none"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", home)
			t.Setenv("TMPDIR", t.TempDir())
			dir := filepath.Join(t.TempDir(), "a \"b\nc")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			kill := maker(t, dir)
			maker(t, dir, "THEN=rename")
			if left := Left(); len(left) > 0 {
				t.Errorf("%q of a process that lives", left)
			}
			kill(syscall.SIGKILL)
			var names []string
			for _, p := range Left() {
				names = append(names, filepath.Base(p)[:4])
				if filepath.Dir(p) != dir || os.RemoveAll(p) != nil {
					t.Errorf("%q is left", p)
				}
			}
			if !slices.Equal(names, []string{".fil", "dir-"}) {
				t.Errorf("%q are left", names)
			}
			if left := Left(); len(left) > 0 {
				t.Errorf("%q after all was removed", left)
			}
			for _, home := range homes() {
				if entries, err := os.ReadDir(home); err == nil {
					t.Errorf("%s: %v", home, entries)
				}
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != "whole" {
				t.Errorf("%v, %v", entries, err)
			}
		})
	}
}

// TestListsOfOthers: no list of another machine or of another user is believed, one of
// another machine only when it is old, and no line that is cut off.
func TestListsOfOthers(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	victim := filepath.Join(t.TempDir(), "victim")
	lists := homes()[0]
	put := func(name, text string) string {
		t.Helper()
		at := filepath.Join(lists, name)
		if err := os.MkdirAll(lists, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return at
	}
	if err := os.WriteFile(victim, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	put(machine()+"CUT", fmt.Sprintf("%q", victim+"-none")+"\n"+strings.TrimSuffix(fmt.Sprintf("%q", victim), `"`))
	other := put("00000000-OTHER", fmt.Sprintf("%q\n", victim))
	if left := Left(); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	old := time.Now().Add(-2 * elsewhere)
	if err := os.Chtimes(other, old, old); err != nil {
		t.Fatal(err)
	}
	if left := Left(); !slices.Equal(left, []string{victim}) {
		t.Errorf("%q are left", left)
	}
	if err := os.Chmod(lists, 0o777); err != nil {
		t.Fatal(err)
	}
	if left := Left(); len(left) > 0 {
		t.Errorf("%q are left by a list that anybody may write", left)
	}
}
