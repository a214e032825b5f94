package gitindex

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSkip: git itself reads what was written, whatever form its index has.
func TestSkip(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	for _, c := range []struct{ name, init, config string }{
		{"version 2", "", "index.version 2"},
		{"version 4", "", "index.version 4"},
		{"SHA-256", "--object-format=sha256", "index.version 2"},
		{"without a sum", "", "index.skipHash true"},
		{"offsets and untracked files", "", "core.untrackedCache true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			git := func(args ...string) string {
				cmd := exec.Command("git", args...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			git(append([]string{"init", "-q"}, strings.Fields(c.init)...)...)
			git(append([]string{"config"}, strings.Fields(c.config)...)...)
			names := []string{"AGENTS.md", "AGENTS.md.orig", "a/" + strings.Repeat("long/", 40) + "name", "z"}
			for i := range 40 {
				names = append(names, fmt.Sprintf("a/%d", i))
			}
			for _, name := range names {
				p := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p, []byte(name), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			git("add", "-A")
			git("status")
			at := filepath.Join(dir, ".git", "index")
			was, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"AGENTS.md", names[2]}
			flagged := func(p string) bool { return slices.Contains(want, p) }
			out, changed, err := Skip(was, flagged, true)
			if err != nil || !slices.Equal(changed, want) {
				t.Fatalf("changed %v, %v", changed, err)
			}
			if err := os.WriteFile(at, out, 0o644); err != nil {
				t.Fatal(err)
			}
			for _, p := range want {
				if err := os.Remove(filepath.Join(dir, p)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := git("diff", "--name-only"); diff != "" {
				t.Errorf("git sees changes of %q", diff)
			}
			if said := git("ls-files", "-v"); strings.Count(said, "S ") != 2 ||
				strings.Count(said, "H ") != len(names)-2 {
				t.Errorf("git reads\n%s", said)
			}
			git("fsck")
			if again, changed, err := Skip(out, flagged, true); err != nil || changed != nil ||
				!bytes.Equal(again, out) {
				t.Errorf("a second time it changed %v, %v", changed, err)
			}
			back, changed, err := Skip(out, flagged, false)
			if err != nil || !slices.Equal(changed, want) {
				t.Fatalf("changed back %v, %v", changed, err)
			}
			if err := os.WriteFile(at, back, 0o644); err != nil {
				t.Fatal(err)
			}
			if diff := git("diff", "--name-only"); diff != strings.Join(want, "\n")+"\n" {
				t.Errorf("git sees changes of %q", diff)
			}
		})
	}
}

// FuzzSkip: no bytes make it fail in another way than by its errors, and what it writes it
// reads.
func FuzzSkip(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, changed, err := Skip(data, func(string) bool { return true }, true)
		if err != nil {
			return
		}
		if paths, err := Paths(out); err != nil || len(paths) < len(changed) {
			t.Errorf("it writes what it can't read: %v", err)
		}
	})
}

// packed is an index of version 4: n paths that all begin as the first one does, of so many
// bytes.
func packed(first, n int) []byte {
	out := append([]byte("DIRC"), 0, 0, 0, 4)
	out = binary.BigEndian.AppendUint32(out, uint32(n))
	for i := range n {
		out = append(out, make([]byte, fixed+sha1.Size+2)...)
		out = append(out, 0) // nothing of the path before is cut
		if i == 0 {
			out = append(out, strings.Repeat("x", first)...)
		}
		out = append(out, 'y', 0)
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// TestPackedPaths: an index of a megabyte whose paths would be gigabytes is none that can be
// read, and is refused before they are made.
func TestPackedPaths(t *testing.T) {
	if paths, err := Paths(packed(200, 500)); err != nil || len(paths) != 500 || len(paths[499]) != 700 {
		t.Errorf("%d honest paths: %v", len(paths), err)
	}
	if testing.AllocsPerRun(1, func() {
		if _, err := Paths(packed(1<<20, 2000)); !errors.Is(err, ErrNoIndex) {
			t.Errorf("2000 paths of a megabyte: %v", err)
		}
	}) > 1000 {
		t.Error("it made all the paths")
	}
}
