package copies

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ground is a project and the store of its copy.
type ground struct {
	t     *testing.T
	src   string
	store *Store
	skip  Skip
}

func newGround(t *testing.T) *ground {
	g := &ground{t: t, src: t.TempDir(), store: &Store{Dir: filepath.Join(t.TempDir(), "cache")},
		skip: func(string, bool) bool { return false }}
	g.do(os.MkdirAll(g.at("d/deep"), 0o755), os.WriteFile(g.at("a"), []byte("one"), 0o644),
		os.WriteFile(g.at("d/b"), []byte("two"), 0o640),
		os.WriteFile(g.at("d/deep/run"), []byte("#!"), 0o755), os.Symlink("../a", g.at("d/link")),
		os.Mkdir(g.at("empty"), 0o750))
	return g
}

func (g *ground) at(rel string) string { return filepath.Join(g.src, rel) }

func (g *ground) do(errs ...error) {
	g.t.Helper()
	if err := errors.Join(errs...); err != nil {
		g.t.Fatal(err)
	}
}

// take takes the copy, which must be what the project is.
func (g *ground) take() *Tree {
	g.t.Helper()
	tree, err := g.store.Take(g.t.Context(), g.src, g.skip)
	if err != nil {
		g.t.Fatal(err)
	}
	if want, got := shown(g.t, g.src, g.skip), shown(g.t, tree.Dir, g.skip); got != want {
		g.t.Fatalf("the copy is\n%s\nand the project\n%s", got, want)
	}
	return tree
}

// made takes the copy for a moment and names its content.
func (g *ground) made() string {
	g.t.Helper()
	tree := g.take()
	tree.Release()
	return tree.Made
}

// shown prints a tree with modes, times, links and contents.
func shown(t *testing.T, dir string, skip Skip) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		if rel == ".cookoff" || skip(rel, d.IsDir()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", rel, info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			fmt.Fprintf(&b, " -> %s\n", link)
			return err
		case info.IsDir():
			fmt.Fprintf(&b, " %d\n", info.ModTime().UnixNano())
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, " %d %q\n", info.ModTime().UnixNano(), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCopyFollowsItsProject through every kind of change, and is the same copy where
// there is none.
func TestCopyFollowsItsProject(t *testing.T) {
	g := newGround(t)
	last := g.made()
	old := time.Unix(1_000_000_000, 5)
	for _, c := range []struct {
		what string
		do   func() error
	}{
		{"nothing", nil},
		{"another content", func() error { return os.WriteFile(g.at("a"), []byte("other"), 0o644) }},
		{"an old time", func() error { return os.Chtimes(g.at("a"), old, old) }},
		{"as long, and as old", func() error {
			return errors.Join(os.WriteFile(g.at("a"), []byte("OTHER"), 0o644), os.Chtimes(g.at("a"), old, old))
		}},
		{"a mode", func() error { return os.Chmod(g.at("a"), 0o755) }},
		{"a mode without reading for others", func() error { return os.Chmod(g.at("d"), 0o700) }},
		{"a directory that is read-only", func() error { return os.Chmod(g.at("d"), 0o555) }},
		{"a change below it", func() error {
			return errors.Join(os.Chmod(g.at("d"), 0o755), os.WriteFile(g.at("d/b"), []byte("2wo"), 0o640),
				os.Chmod(g.at("d"), 0o555))
		}},
		{"and back", func() error { return os.Chmod(g.at("d"), 0o755) }},
		{"a link that is as long", func() error {
			return errors.Join(os.Remove(g.at("d/link")),
				os.Symlink("../b", g.at("d/link")))
		}},
		{"a link in the place of a file", func() error {
			return errors.Join(os.Remove(g.at("a")),
				os.Symlink("d", g.at("a")))
		}},
		{"a directory in the place of a link",
			func() error { return errors.Join(os.Remove(g.at("a")), os.Mkdir(g.at("a"), 0o755)) }},
		{"a file in the place of a directory", func() error {
			return errors.Join(os.RemoveAll(g.at("d/deep")), os.WriteFile(g.at("d/deep"), nil, 0o600))
		}},
		{"a file in another's place", func() error {
			return errors.Join(os.WriteFile(g.at("new"), []byte("2wo"), 0o640), os.Rename(g.at("new"), g.at("d/b")))
		}},
		{"another name", func() error { return os.Rename(g.at("d"), g.at("e")) }},
		{"a sparse file", func() error {
			return errors.Join(os.WriteFile(g.at("s"), nil, 0o644),
				os.Truncate(g.at("s"), 100<<10))
		}},
		{"a second name", func() error { return os.Link(g.at("s"), g.at("s2")) }},
		{"one that is gone", func() error { return os.Remove(g.at("s")) }},
		{"something left out", func() error {
			g.skip = func(rel string, _ bool) bool { return rel == "e/b" }
			return nil
		}},
		{"and shown again", func() error {
			g.skip = func(string, bool) bool { return false }
			return nil
		}},
	} {
		if c.do != nil {
			g.do(c.do())
		}
		made := g.made()
		if same := made == last; same != (c.do == nil) {
			t.Errorf("%s: the same content: %v", c.what, same)
		}
		if again := g.made(); again != made {
			t.Errorf("%s: copied once more though nothing was changed", c.what)
		}
		last = made
	}
}

// TestWhatIsTooYoungIsRead: a change within a tick of the clock shows in no time, and
// is found all the same.
func TestWhatIsTooYoungIsRead(t *testing.T) {
	g := newGround(t)
	g.made()
	at := filepath.Join(g.home(), indexName)
	for _, sure := range []bool{false, true} {
		g.do(os.WriteFile(g.at("a"), []byte(fmt.Sprint("sure", sure)), 0o644))
		g.made()
		g.do(os.WriteFile(g.at("a"), []byte(fmt.Sprint("SURE", sure)), 0o644))
		x, err := readIndex(at)
		g.do(err)
		for i := range x.Entries {
			if e := &x.Entries[i]; e.Path == "a" {
				if e.Sure {
					t.Error("a file of this moment is taken for settled")
				}
				var st unix.Stat_t
				g.do(unix.Lstat(g.at("a"), &st))
				e.Source, e.Sure = seenOf(&st), sure // as if both had come in one tick
			}
		}
		g.do(x.write(at))
		tree, err := g.store.Take(t.Context(), g.src, g.skip)
		g.do(err)
		text, err := os.ReadFile(filepath.Join(tree.Dir, "a"))
		g.do(err)
		tree.Release()
		if found := string(text) == fmt.Sprint("SURE", sure); found == sure {
			t.Errorf("sure %v: the copy has %q", sure, text)
		}
	}
}

func (g *ground) home() string {
	g.t.Helper()
	all, err := filepath.Glob(filepath.Join(g.store.Dir, "project-*"))
	if err != nil || len(all) != 1 {
		g.t.Fatal(all, err)
	}
	return all[0]
}

// TestOldFilesAreSettled: they are not read again.
func TestOldFilesAreSettled(t *testing.T) {
	l := &look{found: []entry{{Path: "a", Source: seen{Ctime: 5, Mtime: 4}, Copy: seen{Ino: 1}},
		{Path: "young", Source: seen{Ctime: int64(8 * time.Second)}, Copy: seen{Ino: 2}}}}
	if !l.settle(time.Unix(9, 0)) || !l.found[0].Sure || l.found[1].Sure {
		t.Errorf("%+v", l.found)
	}
}

// TestChangedWhileItIsCopied: the next run looks at it again.
func TestChangedWhileItIsCopied(t *testing.T) {
	g := newGround(t)
	n := 0
	g.skip = func(rel string, _ bool) bool {
		if rel == "a" && n == 0 { // it has just been looked at
			n++
			g.do(os.WriteFile(g.at("a"), []byte("ONE"), 0o644))
		}
		if rel == "d/b" && n == 1 {
			n++
			g.do(os.Remove(g.at("d/b")))
		}
		return false
	}
	tree, err := g.store.Take(t.Context(), g.src, g.skip)
	g.do(err)
	tree.Release()
	x, err := readIndex(filepath.Join(g.home(), indexName))
	g.do(err)
	for _, e := range x.Entries {
		if (e.Path == "a" || e.Path == "d/b") && e.Source != (seen{}) {
			t.Errorf("%s is believed to be %+v", e.Path, e.Source)
		}
	}
	g.made()
}

// TestNobodyElsesCopyIsBelieved: one that was changed, is half, or has another's index
// is made anew.
func TestNobodyElsesCopyIsBelieved(t *testing.T) {
	for what, spoil := range map[string]func(g *ground) error{
		"a changed file": func(g *ground) error {
			return os.WriteFile(filepath.Join(g.home(), treeName, "a"), []byte("eno"), 0o644)
		},
		"as long and as old": func(g *ground) error {
			path := filepath.Join(g.home(), treeName, "a")
			st, err := os.Stat(path)
			g.do(err)
			return errors.Join(os.WriteFile(path, []byte("eno"), 0o644), os.Chtimes(path, st.ModTime(), st.ModTime()))
		},
		"one more": func(g *ground) error {
			return os.WriteFile(filepath.Join(g.home(), treeName, "d/more"), nil,
				0o644)
		},
		"one less":      func(g *ground) error { return os.Remove(filepath.Join(g.home(), treeName, "d/b")) },
		"a mode":        func(g *ground) error { return os.Chmod(filepath.Join(g.home(), treeName, "d"), 0o700) },
		"no tree":       func(g *ground) error { return os.RemoveAll(filepath.Join(g.home(), treeName)) },
		"no index":      func(g *ground) error { return os.Remove(filepath.Join(g.home(), indexName)) },
		"half an index": func(g *ground) error { return os.Truncate(filepath.Join(g.home(), indexName), 80) },
		"another's index": func(g *ground) error {
			return os.WriteFile(filepath.Join(g.home(), indexName), []byte("x"),
				0o600)
		},
		"no cache": func(g *ground) error { return os.RemoveAll(g.store.Dir) },
		"an earlier boot": func(g *ground) error {
			x, err := readIndex(filepath.Join(g.home(), indexName))
			g.do(err)
			x.Boot = "another"
			return x.write(filepath.Join(g.home(), indexName))
		},
	} {
		t.Run(what, func(t *testing.T) {
			g := newGround(t)
			first := g.made()
			g.do(spoil(g))
			if g.made() == first {
				t.Error("it is taken for what it was")
			}
		})
	}
}

// TestOthersStartFromIt: what they start from stays, and who wants another makes one.
func TestOthersStartFromIt(t *testing.T) {
	g := newGround(t)
	one := g.take()
	two := g.take()
	if one.Dir != two.Dir {
		t.Errorf("%s and %s", one.Dir, two.Dir)
	}
	before := shown(t, one.Dir, g.skip)
	g.do(os.WriteFile(g.at("a"), []byte("later"), 0o644))
	if _, err := g.store.Take(t.Context(), g.src, g.skip); !errors.Is(err, ErrNotKept) {
		t.Errorf("a copy that others start from: %v", err)
	}
	one.Release()
	if _, err := g.store.Take(t.Context(), g.src, g.skip); !errors.Is(err, ErrNotKept) {
		t.Errorf("a copy that another starts from: %v", err)
	}
	if shown(t, two.Dir, g.skip) != before {
		t.Error("it was changed under who starts from it")
	}
	two.Release()
	g.made()
}

// TestUmask: a copy has the modes of its project whatever the umask is.
func TestUmask(t *testing.T) {
	g := newGround(t)
	defer unix.Umask(unix.Umask(0o077))
	tree := g.take()
	defer tree.Release()
	if st, err := os.Stat(tree.Dir); err != nil || st.Mode().Perm() != 0o755 {
		t.Errorf("%v %v", st.Mode(), err)
	}
}

// TestCopiesAreTheirUsersAlone: a directory that somebody else could have made is not
// used, nor is what it leads to.
func TestCopiesAreTheirUsersAlone(t *testing.T) {
	g := newGround(t)
	elsewhere := t.TempDir()
	g.do(os.Symlink(elsewhere, g.store.Dir))
	refused := func() {
		t.Helper()
		if _, err := g.store.Take(t.Context(), g.src, g.skip); !errors.Is(err, ErrNotKept) {
			t.Error(err)
		}
		if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
			t.Errorf("%v was made elsewhere", left)
		}
	}
	refused()
	g.do(os.Remove(g.store.Dir), os.Mkdir(g.store.Dir, 0o700), os.Chmod(g.store.Dir, 0o777))
	refused()
}

// TestTooLarge, interrupted and unreadable projects.
func TestRefusals(t *testing.T) {
	g := newGround(t)
	g.store.Most = 5
	if _, err := g.store.Take(t.Context(), g.src, g.skip); !errors.Is(err, ErrNotKept) {
		t.Errorf("larger than is kept: %v", err)
	}
	g.store.Most = 0
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := g.store.Take(ended, g.src, g.skip); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	g.do(os.Chmod(g.at("a"), 0))
	if _, err := g.store.Take(t.Context(), g.src, g.skip); err == nil || !strings.Contains(fmt.Sprintf("%+v", err),
		"can't be read") {
		t.Errorf("unreadable: %v", err)
	}
}

// TestFacts are those of one content.
func TestFacts(t *testing.T) {
	g := newGround(t)
	tree := g.take()
	if _, ok := tree.Fact("sum"); ok {
		t.Error("something is known")
	}
	tree.Remember("sum", []byte("7"))
	tree.Release()
	tree = g.take()
	if text, ok := tree.Fact("sum"); !ok || string(text) != "7" {
		t.Errorf("%q %v", text, ok)
	}
	tree.Release()
	g.do(os.WriteFile(g.at("a"), []byte("later"), 0o644))
	tree = g.take()
	defer tree.Release()
	if _, ok := tree.Fact("sum"); ok {
		t.Error("what is known is of another content")
	}
}

// TestSweep removes copies that nobody has started from for long, and no others.
func TestSweep(t *testing.T) {
	g := newGround(t)
	g.made()
	old := time.Now().Add(-2 * unused)
	first := g.home()
	g.do(os.Chtimes(filepath.Join(first, usersLock), old, old))
	other := newGround(t)
	other.store = g.store
	held := other.take()
	if _, err := os.Lstat(first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", first, err)
	}
	g.do(os.Chtimes(filepath.Join(other.home(), usersLock), old, old))
	kept := other.home()
	g.made()
	if _, err := os.Lstat(filepath.Join(kept, treeName, "a")); err != nil {
		t.Errorf("one that is in use was swept away: %v", err)
	}
	held.Release()
}
