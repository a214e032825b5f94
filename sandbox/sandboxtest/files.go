package sandboxtest

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

func files(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Project: project(t, "a.txt", "hello", "d/x", "1", "d/y", "22")})
	if got := w.read("a.txt"); got != "hello" {
		t.Errorf("read %q", got)
	}
	w.prints("hello", "cat a.txt")
	w.write("a.txt", "bye")
	w.prints("bye", "cat a.txt")
	w.write("new/deep/f", "made")
	w.prints("made 644", "cat new/deep/f; stat -c ' %a' new/deep/f")
	w.write("~/h", "home")
	w.prints("home", "cat ~/h")
	w.sh("chmod 750 a.txt")
	w.write("a.txt", "again")
	w.prints("750", "stat -c %a a.txt")
	w.write("/work/abs", "abs")
	w.prints("abs", "cat abs")

	c, err := w.FS().Read(t.Context(), "a.txt", 1, 2)
	if err != nil || string(c.Data) != "ga" || c.Size != 5 || c.Mode.Perm() != 0o750 {
		t.Errorf("a piece: %q of %d, %v, %v", c.Data, c.Size, c.Mode, err)
	}
	c, err = w.FS().Read(t.Context(), "a.txt", 99, 2)
	if err != nil || len(c.Data) != 0 || c.Size != 5 {
		t.Errorf("behind the end: %q of %d, %v", c.Data, c.Size, err)
	}
	w.sh("ln -s x d/l; mkfifo d/p")
	list, err := w.FS().List(t.Context(), "d")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name+" "+e.Mode.Type().String()+" "+e.Link)
	}
	want := []string{"l L--------- x", "p p--------- ", "x ---------- ", "y ---------- "}
	if !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	if list[3].Size != 2 {
		t.Errorf("d/y has size %d", list[3].Size)
	}
}

func fileErrors(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Project: project(t, "f", "x")})
	w.sh("mkdir d; mkfifo pipe; ln -s /proc/self/environ env; " +
		"ln -s loop loop; ln -s nowhere dangling; ln -s /dev/zero zero; touch secret; chmod 0 secret; " +
		"truncate -s 400M big")
	read := func(path, reason string) {
		t.Helper()
		_, err := w.FS().Read(t.Context(), path, 0, 100)
		mistake(t, err, reason)
	}
	read("gone", "no such file")
	read("d", "is a directory")
	read("pipe", "not a regular file")
	read("zero", "not a regular file")
	read("env", "/proc")
	read("/proc/1/environ", "")
	read("/proc/self/environ", "/proc")
	read("loop", "symbolic links")
	read("secret", "permission denied")
	read("", "empty")
	read("a\x00b", "NUL")
	read(strings.Repeat("x/", 4000), "too long")
	read("f/g", "not a directory")
	read("../etc/no-such-file", "no such file")
	read("../etc/shadow", "") // the host's is not there; an image has its own, which the agent can't read

	for path, want := range map[string]sandbox.FileErrorKind{"gone": sandbox.FileMissing, "d": sandbox.FileDirectory,
		"dangling": sandbox.FileMissing, "f/g": "", "pipe": ""} {
		_, err := w.FS().Read(t.Context(), path, 0, 100)
		fe, ok := errors.AsType[*sandbox.FileError](err)
		if !ok || fe.Kind != want {
			t.Errorf("reading %s: %#v; want the kind %q", path, err, want)
		}
	}

	write := func(path, reason string) {
		t.Helper()
		mistake(t, w.FS().Write(t.Context(), path, []byte("x")), reason)
	}
	write("d", "is a directory")
	write("pipe", "not a regular file")
	write("zero", "not a regular file")
	if s.keeps(t, "FileErrors/read-only") {
		write("/usr/f", "read-only")
	} else {
		write("/usr/f", "permission denied")
	}
	write("/proc/sys/kernel/hostname", "/proc")
	write("f/g", "not a directory")
	write("secret", "permission denied")
	w.sh("printf old > locked; chmod 0444 locked")
	write("locked", "permission denied")
	if err := sandbox.Overwrite(t.Context(), w, "locked", []byte("new")); err != nil {
		t.Error(err)
	}
	w.prints("new 444", "echo $(cat locked) $(stat -c %a locked)")
	mistake(t, sandbox.Overwrite(t.Context(), w, "d", []byte("x")), "is a directory")
	w.write("dangling", "through the link")
	w.prints("through the link", "cat nowhere")

	_, err := w.FS().List(t.Context(), "f")
	mistake(t, err, "not a directory")
	_, err = w.FS().List(t.Context(), "gone")
	mistake(t, err, "no such file")

	c, err := w.FS().Read(t.Context(), "big", 0, 1<<40)
	if err != nil || c.Size != 400<<20 || len(c.Data) > 64<<20 {
		t.Errorf("a sparse file: %d of %d bytes, %v", len(c.Data), c.Size, err)
	}
}

func searches(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Project: project(t, "a.go", "one\ntwo\nthree\nfour\n", "d/b.go", "TWO\n",
		"d/c.txt", "two", "bin", "two\x00two", ".git/x", "two")})
	w.sh("ln -s / root; mkfifo pipe; ln -s /proc/self/fd fds")
	find := func(dir, glob string, max int, more bool, want ...string) {
		t.Helper()
		got, m, err := w.FS().Find(t.Context(), sandbox.FindQuery{Dir: dir, Glob: glob, Max: max})
		if err != nil || m != more || !slices.Equal(got, want) {
			t.Errorf("find %q in %q: %q %v %v, want %q", glob, dir, got, m, err, want)
		}
	}
	find("", "**/*.go", 0, false, "a.go", "d/b.go")
	find("d", "*", 0, false, "b.go", "c.txt")
	find("", "**/*.go", 1, true, "a.go")
	find("", "nothing*", 0, false)
	find("", "**/x", 0, false)
	find("", "**/.git/x", 0, false, ".git/x")
	find(".git", "*", 0, false, "x")
	_, _, err := w.FS().Find(t.Context(), sandbox.FindQuery{Glob: "[a"})
	mistake(t, err, "glob")
	_, _, err = w.FS().Find(t.Context(), sandbox.FindQuery{Dir: "gone", Glob: "*"})
	mistake(t, err, "no such file")
	_, _, err = w.FS().Find(t.Context(), sandbox.FindQuery{Dir: "fds", Glob: "*"}) // the guest's own
	mistake(t, err, "/proc")

	grep := func(q sandbox.GrepQuery, more bool, want ...string) {
		t.Helper()
		lines, m, err := w.FS().Grep(t.Context(), q)
		got := []string{}
		for _, l := range lines {
			mark := "-"
			if l.Match {
				mark = ":"
			}
			got = append(got, l.Path+mark+l.Text)
		}
		if err != nil || m != more || !slices.Equal(got, want) {
			t.Errorf("grep %+v: %q %v %v, want %q", q, got, m, err, want)
		}
	}
	grep(sandbox.GrepQuery{Pattern: "^two"}, false, "a.go:two", "d/c.txt:two")
	grep(sandbox.GrepQuery{Pattern: "two", IgnoreCase: true, Glob: "**/*.go"}, false, "a.go:two", "d/b.go:TWO")
	grep(sandbox.GrepQuery{Pattern: "three", Context: 1}, false, "a.go-two", "a.go:three", "a.go-four")
	grep(sandbox.GrepQuery{Pattern: ".", Dir: "d"}, false, "b.go:TWO", "c.txt:two")
	grep(sandbox.GrepQuery{Pattern: "o", Dir: "a.go", Max: 2}, true, "a.go:one", "a.go:two")
	_, _, err = w.FS().Grep(t.Context(), sandbox.GrepQuery{Pattern: "("})
	mistake(t, err, "missing closing")
	if _, _, err := w.FS().Grep(t.Context(), sandbox.GrepQuery{Pattern: "(a|aa)+$"}); err != nil {
		t.Errorf("a pattern that other engines choke on: %v", err)
	}
}

// oddNames are legal names of files.
var oddNames = []string{"-rf", "a\nb", "\x1b[2J", "\xff\xfe", "a|b", "<script>", "b64", "'quote\"", " lead", "tail ",
	strings.Repeat("n", 255), "ü"}

func names(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	want := slices.Sorted(slices.Values(oddNames))
	for _, n := range oddNames {
		w.write("d/"+n, n)
	}
	list, err := w.FS().List(t.Context(), "d")
	if err != nil {
		t.Fatal(err)
	}
	var listed, described []string
	for _, e := range list {
		listed = append(listed, e.Name)
	}
	m, err := w.FS().Manifest(t.Context(), []string{"d/**"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m {
		if n, ok := strings.CutPrefix(f.Path, "d/"); ok {
			described = append(described, n)
		}
	}
	found, _, err := w.FS().Find(t.Context(), sandbox.FindQuery{Dir: "d", Glob: "*"})
	if err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string][]string{"list": listed, "manifest": described, "find": found} {
		if !slices.Equal(got, want) {
			t.Errorf("%s gave %q, want %q", what, got, want)
		}
	}
	for _, n := range oddNames {
		if got := w.read("d/" + n); got != n {
			t.Errorf("reading %q gave %q", n, got)
		}
	}
}

func manifests(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Project: project(t, "a", "hello", "d/b", "")})
	w.sh("ln -s a l; chmod 755 d/b; echo home > ~/h; mkfifo p")
	m, err := w.FS().Manifest(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range m {
		got = append(got, strings.TrimSpace(f.Path+" "+f.Mode.String()+" "+f.Sum[:min(8, len(f.Sum))]+f.Link))
	}
	want := []string{
		"a -rw-r--r-- 2cf24dba", "d drwxr-xr-x", "d/b -rwxr-xr-x e3b0c442", "l Lrwxrwxrwx a", "p prw-r--r--",
		"~/h -rw-r--r-- 5e2b3bed",
	}
	if len(got) != len(want) {
		t.Fatalf("described %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(want[i], "~/h") && got[i] != want[i] {
			t.Errorf("described %q, want %q", got[i], want[i])
		}
	}
	m, err = w.FS().Manifest(t.Context(), []string{"d/**", "~/**"})
	if err != nil || !slices.ContainsFunc(m, is("d/b")) || !slices.ContainsFunc(m, is("~/h")) || slices.ContainsFunc(m,
		is("a")) {
		t.Errorf("with globs: %v %v", m, err)
	}
	// What its owner took the right to read from is described all the same: a
	// change in it must not hide behind a mode.
	w.sh("mkdir -p shut/in; echo one > shut/in/f; chmod 0 shut/in/f; chmod 600 shut/in; chmod 0 shut")
	sums := map[string]bool{}
	for range 2 {
		m, err = w.FS().Manifest(t.Context(), []string{"shut/in/f"})
		if err != nil || len(m) != 1 || m[0].Sum == "" || m[0].Mode != 0 {
			t.Fatalf("behind a mode: %v %v", m, err)
		}
		sums[m[0].Sum] = true
		w.prints("0", "stat -c %a shut")
		w.sh("chmod 700 shut; chmod 700 shut/in; " +
			"chmod 600 shut/in/f; echo two > shut/in/f; chmod 0 shut/in/f; chmod 600 shut/in; chmod 0 shut")
	}
	if len(sums) != 2 {
		t.Error("another content has the same sum")
	}
	w.sh("chmod 700 shut; chmod 700 shut/in; rm -rf shut")
	w.sh("seq 5000 | xargs touch")
	if m, err = w.FS().Manifest(t.Context(), nil); err != nil || len(m) != 5006 {
		t.Errorf("%d entries, %v, want 5006", len(m), err)
	}
	if m[0].Mode&fs.ModeDir != 0 {
		t.Errorf("sorted wrongly: %v", m[0])
	}
}

// unread wants a world's files described rightly that nobody reads anew, as worlds share
// what they start with: whatever was done to one, however it hides that.
func unread(t *testing.T, s *suite) {
	names := []string{"same", "written", "dated", "moved", "swapped", "linked", "removed", "closed", "tagged", "dir/in"}
	var files []string
	for _, n := range names {
		files = append(files, n, "text")
	}
	dir := project(t, files...)
	spec := sandbox.Spec{Project: dir}
	before := described(t, s.open(t, spec))
	w := s.open(t, spec)
	w.sh(`printf TEXT > written
		cp -p dated was; printf TEXT > dated; touch -r was dated; rm was
		printf TEXT > new; touch -r moved new; mv new moved
		printf TEXT > other; touch -r swapped other; mv swapped third; mv other swapped
		ln linked name; printf TEXT > name
		rm removed
		chmod 0 closed
		setfattr -n user.tag -v 1 tagged 2>/dev/null || touch untagged
		mv dir dir2; mkdir dir; printf TEXT > dir/in`)
	for range 2 { // the first one may have made what the second one believes
		now := described(t, w)
		for _, n := range names {
			was, is := before[n], now[n]
			var ok bool
			switch n {
			case "same":
				ok = is.Sum == was.Sum
			case "removed":
				ok = is.Path == ""
			case "closed":
				ok = is.Sum == was.Sum && is.Mode == 0
			case "tagged":
				_, none := now["untagged"]
				ok = is.Sum == was.Sum && (is.Attrs != was.Attrs || none)
			default:
				ok = is.Sum == now["written"].Sum && is.Sum != was.Sum
			}
			if !ok {
				t.Errorf("%s was %+v and is %+v", n, was, is)
			}
		}
		for _, n := range []string{"third", "dir2/in"} {
			if now[n].Sum != before["same"].Sum {
				t.Errorf("%s is %+v", n, now[n])
			}
		}
	}
	again := described(t, s.open(t, spec))
	for _, n := range names {
		if is := again[n]; is.Sum != before["same"].Sum || is.Mode != before[n].Mode || is.Attrs != before[n].Attrs {
			t.Errorf("in another world %s was %+v and is %+v", n, before[n], is)
		}
	}
}

// described gives the entries of a world's project and home, by path.
func described(t *testing.T, w world) map[string]sandbox.File {
	t.Helper()
	m, err := w.FS().Manifest(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]sandbox.File{}
	for _, f := range m {
		of[f.Path] = f
	}
	return of
}

// giants are files that are quickly made and slowly read: holes, and many
// names of one file. Reading all of the holes would take many minutes.
func giants(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	w.sh("for i in {1..1000}; do truncate -s 512M hole$i; done; " +
		"head -c 10M /dev/urandom > big; for i in {1..100}; do ln big link$i; done")
	w.sh("head -c 3M /dev/zero > stored; truncate -s 3M holes; " +
		"cp stored other; printf x | dd of=other bs=1 seek=2000000 conv=notrunc status=none; truncate -s " +
		"3000001 longer")
	m, err := w.FS().Manifest(t.Context(), nil)
	if err != nil || len(m) != 1105 {
		t.Fatalf("%d entries, %v", len(m), err)
	}
	sums := map[string]string{}
	for _, f := range m {
		sums[f.Path] = f.Sum
	}
	if sums["stored"] == "" || sums["stored"] != sums["holes"] {
		t.Errorf("equal content: %q and %q", sums["stored"], sums["holes"])
	}
	if sums["link1"] == "" || sums["link1"] != sums["big"] {
		t.Errorf("one file: %q and %q", sums["link1"], sums["big"])
	}
	for _, n := range []string{"other", "longer", "hole1"} {
		if sums[n] == "" || sums[n] == sums["holes"] {
			t.Errorf("%s has the sum %q of another content", n, sums[n])
		}
	}
}

func is(path string) func(sandbox.File) bool {
	return func(f sandbox.File) bool { return f.Path == path }
}

// hostileTrees leaves trees that are hard to remove; the clean-up of the world
// fails the test if they stay.
func hostileTrees(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	w.sh("mkdir -p a/b/c; touch a/b/c/f; chmod 000 a/b/c a/b a; mkdir -p ~/x; touch ~/x/f; chmod 555 ~/x")
	w.sh(`p=deep$(printf '/dddddddddddddddddddd%.0s' $(seq 1500)); mkdir -p $p/bottom`)
	m, err := w.FS().Manifest(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(m, func(f sandbox.File) bool {
		return strings.HasSuffix(f.Path, "/bottom") &&
			len(f.Path) > 30_000
	}) {
		t.Errorf("the bottom of a deep tree is not described (%d entries)", len(m))
	}
	if s.keeps(t, "HostileTrees/names") {
		manyNames(t, w)
	}
	st := w.seal()
	again := s.open(t, sandbox.Spec{State: st})
	again.fails("ls a")
	again.prints("0", "stat -c %a a")
}

// manyNames are more than there is memory for.
func manyNames(t *testing.T, w world) {
	w.sh(`n=$(printf 'd%.0s' {1..250}); for i in {1..200}; do mkdir $n; cd -P ./$n; done; touch {1000..5500}.long`)
	m, err := w.FS().Manifest(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(m, func(f sandbox.File) bool { return f.Path == sandbox.MoreFiles }) {
		t.Errorf("of very many names: %d entries, %v", len(m), err)
	}
	paths, more, err := w.FS().Find(t.Context(), sandbox.FindQuery{Glob: "**/*.long"})
	if err != nil || !more || len(paths) == 0 {
		t.Errorf("searching very many names: %d, %v, %v", len(paths), more, err)
	}
}
