//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWriteFile: a file that is replaced keeps its permissions and the links that lead to it;
// a new one has those that the umask leaves; what is there is not made anew.
func TestWriteFile(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	dir := t.TempDir()
	own, link, made := filepath.Join(dir, "own"), filepath.Join(dir, "link"), filepath.Join(dir, "made")
	if err := errors.Join(os.WriteFile(own, []byte("1"), 0o600), os.Chmod(own, 0o750), os.Symlink("own", link)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(WriteFile(link, []byte("2")), CreateFile(made, []byte("3"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{own, link, made} {
		if err := CreateFile(name, []byte("4")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s was made anew: %v", name, err)
		}
	}
	if to, err := os.Readlink(link); to != "own" || err != nil {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	for name, want := range map[string]struct {
		text string
		mode fs.FileMode
	}{own: {"2", 0o750}, made: {"3", 0o600}} {
		text, err := os.ReadFile(name)
		st, serr := os.Stat(name)
		if err != nil || serr != nil || string(text) != want.text || st.Mode().Perm() != want.mode {
			t.Errorf("%s: %q, %v, %v %v, want %+v", name, text, st.Mode(), err, serr, want)
		}
	}
	if err := CreateFile(filepath.Join(dir, "none", "file"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no directory: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
}
