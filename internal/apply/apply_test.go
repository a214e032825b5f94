package apply

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/trial/final"
)

// file is a stored version of a file.
func file(text string, mode ...fs.FileMode) *final.File {
	v := &final.File{Mode: 0o644, Size: int64(len(text))}
	if len(mode) > 0 {
		v.Mode = mode[0]
	}
	v.Keep([]byte(text))
	return v
}

func link(to string) *final.File {
	return &final.File{Mode: fs.ModeSymlink | 0o777, Link: to}
}

func dir() *final.File { return &final.File{Mode: fs.ModeDir | 0o755} }

// TestMain has notes lie where nobody else's do.
func TestMain(m *testing.M) {
	cache, err := os.MkdirTemp("", "cookoff-cache-*")
	if err == nil {
		err = os.Setenv("XDG_CACHE_HOME", cache)
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(cache)
	os.Exit(code)
}

// project makes a directory of files: name, content, name, content, …; "→x"
// is a link to x, a name that ends in / is a directory, one that ends in *
// can be executed.
func project(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name, text := files[i], files[i+1]
		mode := fs.FileMode(0o644)
		if n, ok := strings.CutSuffix(name, "*"); ok {
			name, mode = n, 0o755
		}
		p := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(p), 0o755)
		switch to, isLink := strings.CutPrefix(text, "→"); {
		case strings.HasSuffix(name, "/"):
			err = errors.Join(err, os.MkdirAll(p, 0o755))
		case isLink:
			err = errors.Join(err, os.Symlink(to, p))
		default:
			err = errors.Join(err, os.WriteFile(p, []byte(text), mode))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// tree lists a directory as project takes it.
func tree(t *testing.T, root string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		switch {
		case d.IsDir():
			out = append(out, rel+"/")
		case d.Type() == fs.ModeSymlink:
			to, err := os.Readlink(p)
			out = append(out, rel+"=→"+to)
			return err
		default:
			b, err := os.ReadFile(p)
			st, serr := d.Info()
			if err := errors.Join(err, serr); err != nil {
				return err
			}
			if st.Mode()&0o100 != 0 {
				rel += "*"
			}
			out = append(out, rel+"="+strings.ReplaceAll(string(b), "\n", "|"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func plan(t *testing.T, root string, changes ...final.Change) *Plan {
	t.Helper()
	p, err := New(root, &final.State{Changes: changes})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestThreeWays applies one change each to what a project may have by now.
func TestThreeWays(t *testing.T) {
	check := func(what string, c final.Change, has []string, want string) {
		t.Helper()
		root := project(t, has...)
		before := tree(t, root)
		p := plan(t, root, c)
		if tree(t, root) != before {
			t.Errorf("%s: planning has changed something", what)
		}
		if err := p.Apply(); err != nil {
			t.Errorf("%s: %v %+v", what, err, p.Conflicts)
		}
		if got := tree(t, root); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
		if again := plan(t, root, c); len(again.Actions)+len(again.Conflicts) > 0 && len(again.Actions) != 1 {
			t.Errorf("%s: again: %+v", what, again)
		}
	}
	refuse := func(what string, c final.Change, has []string, why string) {
		t.Helper()
		root := project(t, has...)
		before := tree(t, root)
		other := final.Change{Path: "other", After: file("new")}
		p := plan(t, root, c, other)
		if len(p.Conflicts) != 1 || p.Conflicts[0].Path != c.Path || !strings.Contains(p.Conflicts[0].Why, why) {
			t.Errorf("%s: %+v, want %q", what, p.Conflicts, why)
		}
		if err := p.Apply(); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: applied: %v", what, err)
		}
		if got := tree(t, root); got != before {
			t.Errorf("%s: written all the same: %s", what, got)
		}
	}
	edit := final.Change{Path: "d/f", Before: file("a\nb\nc\nd\ne\n"), After: file("a\nB\nc\nd\ne\n")}
	check("untouched", edit, []string{"d/f", "a\nb\nc\nd\ne\n"}, "d/ d/f=a|B|c|d|e|")
	check("done already", edit, []string{"d/f", "a\nB\nc\nd\ne\n"}, "d/ d/f=a|B|c|d|e|")
	check("changed elsewhere", edit, []string{"d/f", "a\nb\nc\nd\nE\nf\n"}, "d/ d/f=a|B|c|d|E|f|")
	check("made executable", edit, []string{"d/f*", "a\nb\nc\nd\ne\n"}, "d/ d/f*=a|B|c|d|e|")
	refuse("the same line", edit, []string{"d/f", "a\nx\nc\nd\ne\n"}, "the same lines")
	refuse("the next line", edit, []string{"d/f", "a\nb\nC\nd\ne\n"}, "the same lines")
	refuse("gone", edit, []string{"d/g", ""}, "does not have it")
	refuse("a link now", edit, []string{"d/f", "→g"}, "changed it since")
	refuse("behind a link", edit, []string{"real/f", "a\nb\nc\nd\ne\n", "d", "→real"}, `"d" is no directory`)
	refuse("a file on the way", edit, []string{"d", "x"}, `"d" is no directory`)

	insert := func(s string) final.Change {
		return final.Change{Path: "f", Before: file("a\nb\n"), After: file("a\n" + s + "b\n")}
	}
	refuse("two insertions in one place", insert("x\n"), []string{"f", "a\ny\nb\n"}, "the same lines")
	check("one insertion twice", insert("x\n"), []string{"f", "a\nx\nb\n"}, "f=a|x|b|")
	binary := final.Change{Path: "f", Before: file("a\x00b\nc\n"), After: file("A\x00b\nc\n")}
	refuse("binary", binary, []string{"f", "a\x00b\nC\n"}, "the same lines")

	made := final.Change{Path: "new/f", After: file("x", 0o755)}
	check("new", made, nil, "new/ new/f*=x")
	refuse("new, and there", made, []string{"new/f", "y"}, "another file of that name")
	removed := final.Change{Path: "f", Before: file("x")}
	check("removed", removed, []string{"f", "x", "g", ""}, "g=")
	check("removed already", removed, nil, "")
	refuse("removed, and changed", removed, []string{"f", "y"}, "the trial removed it")
	check("a mode", final.Change{Path: "f", Before: file("x"), After: file("x", 0o755)}, []string{"f", "x"}, "f*=x")
	refuse("two modes", final.Change{Path: "f", Before: file("x", 0o600), After: file("x", 0o755)}, []string{"f", "x"},
		"the project has made it")

	check("a link", final.Change{Path: "l", After: link("d/f")}, nil, "l=→d/f")
	check("a link in place of a file", final.Change{Path: "l", Before: file("x"), After: link("f")}, []string{"l", "x"},
		"l=→f")
	check("a link elsewhere", final.Change{Path: "d/l", Before: link("a"), After: link("../b")}, []string{"d/l", "→a"},
		"d/ d/l=→../b")
	refuse("a link out", final.Change{Path: "d/l", After: link("../../x")}, nil, "a link out of the project")
	refuse("an absolute link", final.Change{Path: "l", After: link("/etc/passwd")}, nil, "a link out of the project")
	refuse("a pipe", final.Change{Path: "p", After: &final.File{Mode: fs.ModeNamedPipe}}, nil, "no regular file")
	lost := &final.File{Mode: 0o644, Size: 1 << 30, Missing: "larger than 16 MiB"}
	refuse("a content that is away", final.Change{Path: "f", After: lost}, nil, "larger than 16 MiB")
	refuse("an earlier content that is away", final.Change{Path: "f", Before: lost, After: file("x")},
		[]string{"f", "y"}, "can't be told")
}

// TestTrees changes directories, and what is in them.
func TestTrees(t *testing.T) {
	root := project(t, "old/a", "a", "old/b/c", "c", "file", "f", "keep/x", "x", "keep/mine", "m")
	p := plan(t, root,
		final.Change{Path: "file", Before: file("f"), After: dir()}, final.Change{Path: "file/in", After: file("in")},
		final.Change{Path: "keep", Before: dir()}, final.Change{Path: "keep/x", Before: file("x")},
		final.Change{Path: "old", Before: dir(), After: file("now a file")},
		final.Change{Path: "old/a", Before: file("a")}, final.Change{Path: "old/b", Before: dir()},
		final.Change{Path: "old/b/c", Before: file("c")},
		final.Change{Path: "empty", After: dir()},
		final.Change{Path: "~/x", After: file("h")},
		final.Change{Path: ".git/hooks/pre-commit", After: file("evil", 0o755)},
		final.Change{Path: "sub/.GIT/config", After: file("evil")}, final.Change{Path: ".cookoff/runs/x",
			After: file("evil")},
		final.Change{Path: "../x", After: file("evil")}, final.Change{Path: "/etc/x", After: file("evil")},
		final.Change{Path: "a\x00b", After: file("evil")},
	)
	if got := p.Overwrites(); !slices.Equal(got, []string{"old/b/c", "old/a", "keep/x", "file"}) {
		t.Errorf("overwrites %q", got)
	}
	if err := p.Apply(); err != nil {
		t.Fatalf("%v %+v", err, p.Conflicts)
	}
	if got := tree(t, root); got != "empty/ file/ file/in=in keep/ keep/mine=m old=now a file" {
		t.Error(got)
	}
	var left []string
	for _, l := range p.Left {
		left = append(left, l.Path+": "+l.Why)
	}
	if len(left) != 7 || left[0] != "~/x: is in the home of the sandbox" || !strings.Contains(left[1],
		"could run programs") {
		t.Errorf("left: %q", left)
	}
}

// TestNothingOrAll wants what fails on the way to be taken back.
func TestNothingOrAll(t *testing.T) {
	root := project(t, "a", "a", "gone", "g", "z", "z")
	p := plan(t, root, final.Change{Path: "a", Before: file("a"), After: file("A")},
		final.Change{Path: "gone", Before: file("g")},
		final.Change{Path: "new", After: link("a")}, final.Change{Path: "z", Before: file("z"), After: file("Z")})
	if err := os.WriteFile(filepath.Join(root, "z"), []byte("edited meanwhile"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); err == nil || !strings.Contains(err.Error(), `applying "z": it has just been changed`) {
		t.Error(err)
	}
	if got := tree(t, root); got != "a=a gone=g z=edited meanwhile" {
		t.Error(got)
	}
}

// TestDiff compares with what git prints, and lets git apply it.
func TestDiff(t *testing.T) {
	files := []string{"edit", "a\nb\nc\n", "gone", "g\n", "mode", "m\n", "bin", "a\x00", "turn", "x\n", "odd\"\n\x01ü",
		"o\n", "end", "no newline"}
	changes := []final.Change{
		{Path: "edit", Before: file("a\nb\nc\n"), After: file("a\nB\nc\n")}, {Path: "gone", Before: file("g\n")},
		{Path: "mode", Before: file("m\n"), After: file("m\n", 0o755)}, {Path: "turn", Before: file("x\n"),
			After: link("edit")},
		{Path: "odd\"\n\x01ü", Before: file("o\n"), After: file("p\n")}, {Path: "new/empty", After: file("")},
		{Path: "new/full", After: file("x\n", 0o755)},
		{Path: "end", Before: file("no newline"), After: file("still\nnone")}, {Path: "dir", After: dir()},
	}
	root := project(t, files...)
	p := plan(t, root, changes...)
	text := p.Diff()
	if bin := Diff(final.Change{Path: "bin", Before: file("a\x00"), After: file("b\x00")}); !strings.Contains(bin,
		"Binary files a/bin and b/bin differ") {
		t.Error(bin)
	}
	if lost := Diff(final.Change{Path: "x",
		After: &final.File{Missing: "larger than 16 MiB"}}); !strings.Contains(lost,
		"content not kept (larger than 16 MiB)") {
		t.Error(lost)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to apply the diff with")
	}
	other := project(t, files...)
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir, cmd.Stdin = other, strings.NewReader(text)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(other))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v %s\n%s", err, out, text)
	}
	if err := p.Apply(); err != nil {
		t.Fatal(err)
	}
	if a, b := tree(t, other), strings.Replace(tree(t, root), "dir/ ", "", 1); a != b {
		t.Errorf("git made\n%s\nof the diff, cookoff\n%s", a, b)
	}
}

func TestUnsaved(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	top := project(t, "p/same", "s", "p/edited", "e", "p/new", "n", "p/*star", "x", "p/ignored", "i", ".gitignore",
		"ignored\n")
	check := func(want ...string) {
		t.Helper()
		got, err := Unsaved(t.Context(), filepath.Join(top, "p"),
			[]string{"same", "edited", "new", "*star", "ignored", "absent"})
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("unsaved: %q %v, want %q", got, err, want)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x"}, args...)...)
		cmd.Dir = top
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	check("*star", "absent", "edited", "ignored", "new", "same")
	git("init", "-q")
	git("add", "p/same", "p/edited", "p/*star")
	git("commit", "-qm", "x")
	if err := os.WriteFile(filepath.Join(top, "p", "edited"), []byte("E"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("edited", "ignored", "new")
}

func FuzzMerge(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n")
	f.Add("", "x", "y")
	f.Add("a\nb", "a\nb\nc", "b")
	f.Fuzz(func(t *testing.T, before, now, after string) {
		out, ok := mergeText([]byte(before), []byte(now), []byte(after))
		back, okBack := mergeText([]byte(before), []byte(after), []byte(now))
		if ok != okBack || string(out) != string(back) {
			t.Fatalf("merging is not the same both ways: %q %v, %q %v", out, ok, back, okBack)
		}
		if same, ok := mergeText([]byte(before), []byte(before), []byte(after)); !ok || string(same) != after {
			t.Fatalf("onto what the trial found: %q %v", same, ok)
		}
	})
}

// TestCutOff kills an application after each of its changes: the project is what it was once
// that is taken back, but for what was changed since; one that had made all changes stands.
func TestCutOff(t *testing.T) {
	has := []string{"d/a", "1", "d/b", "2", "e", "old", "g", "→e"}
	changes := []final.Change{
		{Path: "d", Before: dir()}, {Path: "d/a", Before: file("1")}, {Path: "d/b", Before: file("2")},
		{Path: "e", Before: file("old"), After: file("new", 0o755)}, {Path: "f", After: dir()},
		{Path: "f/x", After: file("x")}, {Path: "g", Before: link("e"), After: link("f/x")},
	}
	for n := range len(changes) + 1 {
		root := project(t, has...)
		before := tree(t, root)
		p := plan(t, root, changes...)
		if len(p.Actions) != len(changes) {
			t.Fatalf("%+v", p)
		}
		if _, err := p.note(); err != nil {
			t.Fatal(err)
		}
		killed(t, root)
		r, err := os.OpenRoot(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p.Actions[:n] {
			if err := carryOut(r, a); err != nil {
				t.Fatal(err)
			}
		}
		r.Close()
		want, undone := before, n
		if n == len(changes) {
			whole := project(t, has...)
			if err := plan(t, whole, changes...).Apply(); err != nil {
				t.Fatal(err)
			}
			want, undone = tree(t, whole), 0
		}
		if err := plan(t, root, final.Change{Path: "z", After: file("z")}).Apply(); !strings.Contains(err.Error(),
			"cookoff clean takes back") {
			t.Errorf("another was applied to what was cut off: %v", err)
		}
		back, err := TakeBack(root)
		if err != nil || len(back.Unchanged) != undone || len(back.Kept) > 0 {
			t.Errorf("after %d: %+v, %v", n, back, err)
		}
		if got := tree(t, root); got != want || CutOff(root) {
			t.Errorf("after %d: %s, want %s", n, got, want)
		}
	}
}

// killed has the note of an application be that of another process, which was killed: a copy
// that nobody holds.
func killed(t *testing.T, root string) {
	t.Helper()
	at := noteOf(root)
	text, err := os.ReadFile(at)
	if err == nil {
		err = errors.Join(os.Remove(at), os.WriteFile(at, text, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCutOffAndChanged: what somebody changed after an application was killed stays, and who
// is at work on one is left alone.
func TestCutOffAndChanged(t *testing.T) {
	root := project(t, "a", "1", "b", "2", "c", "3")
	p := plan(t, root, final.Change{Path: "a", Before: file("1"), After: file("x")},
		final.Change{Path: "b", Before: file("2"), After: file("y")},
		final.Change{Path: "c", Before: file("3"), After: file("z")})
	done, err := p.note()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := TakeBack(root); back != nil || err != nil {
		t.Errorf("taken back while it goes on: %+v, %v", back, err)
	}
	if err := p.Apply(); !errors.Is(err, ErrBusy) {
		t.Errorf("applied beside another: %v", err)
	}
	killed(t, root)
	for name, text := range map[string]string{"a": "x", "b": "mine"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	back, err := TakeBack(root)
	if err != nil || !slices.Equal(back.Unchanged, []string{"a"}) || !slices.Equal(back.Kept, []string{"b"}) {
		t.Errorf("%+v, %v", back, err)
	}
	if got := tree(t, root); got != "a=1 b=mine c=3" {
		t.Error(got)
	}
	if done() == nil {
		t.Error("the note was there still")
	}
}

// TestForeignNote: what a project brings along as the note of an application is none: anybody can have written it.
func TestForeignNote(t *testing.T) {
	root := project(t, "a", "1", "b", "2")
	p := plan(t, root, final.Change{Path: "a", Before: file("1"), After: file("x")},
		final.Change{Path: "b", Before: file("2"), After: file("y")})
	done, err := p.note()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(noteOf(root))
	if err = errors.Join(err, done(), os.MkdirAll(filepath.Join(root, ".cookoff"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"applying.tar.gz", noteName(root)} {
		if err := os.WriteFile(filepath.Join(root, ".cookoff", name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if back, err := TakeBack(root); back != nil || err != nil || CutOff(root) {
		t.Errorf("%+v, %v", back, err)
	}
}
