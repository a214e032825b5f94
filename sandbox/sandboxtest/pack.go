package sandboxtest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"cookoff/sandbox"
)

// packed gives files as a whole, by path.
func (w world) packed(paths ...string) map[string]sandbox.Item {
	w.t.Helper()
	got, order := map[string]sandbox.Item{}, []string{}
	err := w.FS().Pack(w.t.Context(), paths, func(it sandbox.Item) error {
		got[it.Path] = it
		order = append(order, it.Path)
		return nil
	})
	if err != nil || !slices.Equal(order, paths) {
		w.t.Fatalf("packed %q of %q: %v", order, paths, err)
	}
	return got
}

func packs(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Project: project(t, "d/old", "o")})
	w.sh(
		`printf one > f; chmod 4750 f; touch -d @1000000000.5 f; printf home > ~/h; ln -s /etc/passwd l; ln -s d sub; mkfifo p
mkdir -m 700 e
printf shut > secret; chmod 0 secret; head -c 17M /dev/zero > large
truncate -s 1T sparse 2>/dev/null || truncate -s 500M sparse; touch $'odd\xff\nname'`)
	got := w.packed("f", "~/h", "l", "p", "e", "secret", "large", "sparse", "odd\xff\nname", "d/old", "no", "no/such",
		"l/x", "sub/old")
	want := func(path, text string) {
		t.Helper()
		it := got[path]
		if s := fmt.Sprintf("%v %q %q %q %v", it.Mode, it.Data, it.Link, it.Left, it.Gone); s != text {
			t.Errorf("packed %q as %s, want %s", path, s, text)
		}
	}
	want("f", `urwxr-x--- "one" "" "" false`)
	if at := got["f"].Time; !at.Equal(time.Unix(1_000_000_000, 500_000_000)) {
		t.Errorf("f is of %v", at)
	}
	want("~/h", `-rw-r--r-- "home" "" "" false`)
	want("l", `Lrwxrwxrwx "" "/etc/passwd" "" false`)
	want("p", `prw-r--r-- "" "" "" false`)
	want("e", `drwx------ "" "" "" false`)
	want("secret", `---------- "shut" "" "" false`)
	w.prints("0", "stat -c %a secret")
	want("large", `-rw-r--r-- "" "" "larger than 16 MiB" false`)
	want("sparse", `-rw-r--r-- "" "" "larger than 16 MiB" false`)
	want("odd\xff\nname", `-rw-r--r-- "" "" "" false`)
	want("d/old", `-rw-r--r-- "o" "" "" false`)
	for _, p := range []string{"no", "no/such", "l/x", "sub/old"} { // the last two through links
		want(p, `---------- "" "" "" true`)
	}
	for _, p := range []string{"../etc/passwd", "/etc/passwd", "", "~/../../etc/passwd", "."} {
		err := w.FS().Pack(t.Context(), []string{p}, func(sandbox.Item) error { return nil })
		if _, ok := errors.AsType[*sandbox.FileError](err); !ok {
			t.Errorf("packing %q: %v", p, err)
		}
	}
	w.sh("rm sparse large; mkdir many; cd many; " +
		"for i in {1..1500}; do printf $i > f$i; done; for i in a b c; do head -c 7M /dev/urandom > $i; done")
	var all []string
	for i := range 1500 {
		all = append(all, fmt.Sprintf("many/f%d", i+1))
	}
	all = append(all, "many/a", "many/b", "many/c")
	if got = w.packed(all...); string(got["many/f1500"].Data) != "1500" || len(got["many/c"].Data) != 7<<20 {
		t.Errorf("of many: %q, %d bytes", got["many/f1500"].Data, len(got["many/c"].Data))
	}
	stop := errors.New("enough")
	if err := w.FS().Pack(t.Context(), all, func(sandbox.Item) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped with %v", err)
	}
}

func unpacks(t *testing.T, s *suite) {
	dir := project(t, "f", "old", "gone", "g", "tree/a/b", "x", "file", "f", "keep/x", "k")
	w := s.open(t, sandbox.Spec{Project: dir})
	w.sh("mkdir -m 555 shut; ln -s /tmp out; chmod 555 keep")
	at := time.Unix(1_000_000_000, 0)
	items := []sandbox.Item{
		{Path: "new/deep/f", Mode: 0o640, Data: []byte("deep"), Time: at},
		{Path: "new", Mode: fs.ModeDir | 0o555, Time: at},
		{Path: "f", Mode: fs.ModeSetuid | 0o755, Data: []byte("new"), Time: at},
		{Path: "gone", Gone: true}, {Path: "never", Gone: true}, {Path: "never/was", Gone: true},
		{Path: "tree/a", Gone: true}, {Path: "tree/a/b", Gone: true},
		{Path: "tree", Mode: fs.ModeSymlink | 0o777, Link: "f", Time: at},
		{Path: "file", Mode: fs.ModeDir | 0o700}, {Path: "file/in", Mode: 0o600, Data: []byte("in")},
		{Path: "keep/x", Mode: 0o644, Data: []byte("kept")},
		{Path: "p", Mode: fs.ModeNamedPipe | 0o600},
		{Path: "s", Mode: fs.ModeSocket | 0o600},
		{Path: "~/h", Mode: 0o644, Data: []byte("home")},
		{Path: "odd\xff\nname", Mode: 0o644},
	}
	if err := w.FS().Unpack(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	w.prints("new deep in kept home",
		"xargs < <(cat f; echo; cat new/deep/f; echo; cat file/in; echo; cat keep/x; echo; cat ~/h)")
	w.prints("f 4755\nfile 700\nkeep 555\nnew 555\nnew/deep/f 640\np 600",
		"stat -c '%n %a' f file keep new new/deep/f p")
	w.prints("1000000000 1000000000 1000000000", "echo $(stat -c %Y f new tree)")
	w.prints("f", "readlink tree")
	w.fails("ls gone")
	w.sh("test -p p && test -S s")
	w.sh(`test -e $'odd\xff\nname'`)

	refuse := func(what string, it sandbox.Item) {
		t.Helper()
		err := w.FS().Unpack(t.Context(), []sandbox.Item{it})
		if _, ok := errors.AsType[*sandbox.FileError](err); !ok {
			t.Errorf("%s: %v", what, err)
		}
	}
	refuse("through a link", sandbox.Item{Path: "out/x", Mode: 0o644})
	refuse("out of the project", sandbox.Item{Path: "../x", Mode: 0o644})
	refuse("below a file", sandbox.Item{Path: "f/x", Mode: 0o644})
	refuse("without its content", sandbox.Item{Path: "y", Mode: 0o644, Left: "larger than 16 MiB"})
	refuse("a device", sandbox.Item{Path: "y", Mode: fs.ModeDevice | 0o644})
	refuse("too large", sandbox.Item{Path: "y", Mode: 0o644, Data: make([]byte, sandbox.MaxItem+1)})
	w.prints("", "ls /tmp")

	many := make([]sandbox.Item, 0, 3000)
	for i := range 3000 {
		many = append(many, sandbox.Item{Path: fmt.Sprintf("many/%d", i), Mode: 0o644, Data: []byte("x")})
	}
	for i := range 3 {
		many = append(many, sandbox.Item{Path: fmt.Sprintf("large/%d", i), Mode: 0o644,
			Data: []byte(strings.Repeat("y", 10<<20))})
	}
	if err := w.FS().Unpack(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	w.prints("3000 31457280", "echo $(ls many | wc -l) $(cat large/* | wc -c)")
}

// olderThanATick is how old a file must be not to be taken for one that was made
// in the world: the kernel's times of files lag behind the clock.
const olderThanATick = 50 * time.Millisecond

// touched are files that something changed since the sandbox was opened.
func touched(t *testing.T, s *suite) {
	dir := project(t, "same", "s", "written", "w", "mode", "m", "read", "r")
	for made := time.Now(); time.Since(made) < olderThanATick; {
		s.open(t, sandbox.Spec{Project: dir}) // to pass the time, also for the copy that another machine keeps
	}
	w := s.open(t, sandbox.Spec{Project: dir})
	w.sh("cat read; printf w > written; chmod 600 mode; touch -d @1 new; echo h > ~/h; touch -d @1 ~/h")
	m, err := w.FS().Manifest(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range m {
		if f.Touched {
			got = append(got, f.Path)
		}
	}
	if want := []string{"mode", "new", "written", "~/h"}; !slices.Equal(got, want) {
		t.Errorf("touched are %q, want %q", got, want)
	}
}
