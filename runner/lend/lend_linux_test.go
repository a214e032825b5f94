package lend

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// TestTakenBack: what was given is gone, and what lay in its place is back, whatever a
// contestant did to it; and nothing else is touched.
func TestTakenBack(t *testing.T) {
	backend := native.New(native.Options{})
	if err := backend.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	project := t.TempDir()
	for name, text := range map[string]string{"AGENTS.md": "ours", "docs/a": "a", "keep/in/f": "kept", "link": ""} {
		path := filepath.Join(project, name)
		if name == "link" {
			_ = os.Symlink("AGENTS.md", path)
			continue
		}
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir := func(p string) sandbox.Item { return sandbox.Item{Path: p, Mode: fs.ModeDir | 0o700} }
	file := func(p string) sandbox.Item { return sandbox.Item{Path: p, Mode: 0o600, Data: []byte("given " + p)} }
	items := []sandbox.Item{file("AGENTS.md"), file("link"), dir("docs"), file("docs/b"), dir("new"), dir("new/in"),
		file("new/in/f"), file("~/.x/y/z")}
	check := func(name, script, differ string) {
		t.Run(name, func(t *testing.T) {
			sb, err := backend.Open(t.Context(), sandbox.Spec{Project: project})
			if err != nil {
				t.Fatal(err)
			}
			defer sb.Close()
			before := listed(t, sb)
			loan, err := Give(t.Context(), sb, items)
			if err != nil {
				t.Fatal(err)
			}
			r, err := sb.Exec(t.Context(),
				sandbox.Cmd{Script: "grep -q given AGENTS.md link docs/b new/in/f ~/.x/y/z && grep -q ours AGENTS.md " +
					"&& exit 3; " + script})
			if err != nil || !r.OK() {
				t.Fatalf("%v %s%s", err, r.Stdout, r.Stderr)
			}
			if err := loan.TakeBack(t.Context()); err != nil {
				t.Fatal(err)
			}
			after := listed(t, sb)
			var got []string
			for p, was := range before {
				if after[p] != was {
					got = append(got, "-"+p)
				}
			}
			for p := range after {
				if before[p] == "" {
					got = append(got, "+"+p)
				}
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != differ {
				t.Errorf("differs: %q, want %q", s, differ)
			}
		})
	}
	check("left alone", "true", "")
	check("changed", "for f in AGENTS.md link docs/b new/in/f ~/.x/y/z; do echo more >> $f; chmod 0 $f; done", "")
	check("removed", "rm -rf AGENTS.md link docs/b new ~/.x", "")
	check("links and directories in their places",
		"rm AGENTS.md docs/b; ln -s keep/in/f AGENTS.md; mkdir -p docs/b/c; touch docs/b/c/d", "")
	check("a directory is a link to another", "rm -r new; ln -s keep new; rm -r ~/.x; ln -s /work/keep ~/.x",
		"+new +~/.x")
	check("something of one's own beside it", "touch new/in/mine", "+new +new/in +new/in/mine")
	check("a closed directory", "chmod 0 new/in docs; chmod 755 docs", "")
	for path, why := range map[string]string{"docs": "a directory lies there", "AGENTS.md/x": "is no directory there"} {
		sb, err := backend.Open(t.Context(), sandbox.Spec{Project: project})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Give(t.Context(), sb, []sandbox.Item{file(path)})
		if place, ok := errors.AsType[*PlaceError](err); !ok || !strings.Contains(place.Error(), why) {
			t.Errorf("%s: %v", path, err)
		}
		sb.Close()
	}
}

// listed describes every file of a world, but for times.
func listed(t *testing.T, sb sandbox.Sandbox) map[string]string {
	t.Helper()
	m, err := sb.FS().Manifest(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range m {
		out[f.Path] = fmt.Sprintf("%v %s %s %s", f.Mode, f.Sum, f.Link, f.Owner)
	}
	return out
}
