package sandboxtest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// mounted opens a world with directories of its own, or wants words where a backend
// has none.
func (s *suite) mounted(t *testing.T, spec sandbox.Spec) (w world, ok bool) {
	t.Helper()
	sb, err := s.b.Open(t.Context(), spec)
	if err != nil {
		if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(),
			"only the native backend has them\nhint: ") {
			t.Errorf("it is neither kept nor refused with the next step: %v", err)
		}
		return w, false
	}
	t.Cleanup(func() { _ = sb.Close() })
	return world{sb, t}, true
}

// placed holds a world to its mounts: they are written like the project, are part
// of its state, and nothing beside them is.
func placed(t *testing.T, s *suite) {
	spec := sandbox.Spec{Project: project(t, "p", "of-the-project", "d/in", "deep"),
		Mounts: []sandbox.Place{{At: "/data"}, {At: "/var/lib/app"}, {At: "/etc/app"}, {At: "/app", From: "."},
			{At: "/opt/d", From: "d"}}}
	w, ok := s.mounted(t, spec)
	if !ok {
		return
	}
	w.prints("of-the-project deep", "cat /app/p /opt/d/in | sed 's/project/& /' | xargs")
	w.prints("", "ls -A /data /var/lib/app /etc/app | grep -v :; true")
	w.sh("echo staged | tee /data/f /data/gone /var/lib/app/f /etc/app/conf > /dev/null; " +
		"echo more > /app/new; echo x >> /opt/d/in; mkdir -p /data/e/f; ln -s / /data/e/l")
	w.prints("more x", "cat new d/in | xargs | sed s/deepx/x/")
	w.fails("echo x > /var/lib/other")
	w.fails("echo x > /etc/other")
	w.fails("rm -rf /data 2>/dev/null; ! test -d /data")
	w.sh("mkdir -p /data/e; echo staged | tee /data/f /data/gone; chmod 600 /data/f")
	w.write("/data/tool", "by a tool")
	m, err := w.FS().Manifest(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range m {
		names = append(names, f.Path)
	}
	if want := "/data/e /data/f /data/gone /data/tool /etc/app/conf /var/lib/app/f d d/in new p"; strings.Join(names,
		" ") != want {
		t.Errorf("the manifest has %q, want %q", names, want)
	}
	copied, err := w.Sandbox.(sandbox.Copier).Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.sh("rm /data/gone; echo later > /data/later; chmod 500 /data; echo y > new")
	s.overMounts(t, spec, copied, "staged /data/e /data/f /data/gone /data/tool more")
	s.overMounts(t, spec, w.seal(), "staged /data/e /data/f /data/later /data/tool y")
	if err := copied.Release(); err != nil {
		t.Error(err)
	}
}

// overMounts opens a state twice: what one world does there, the other does not see.
func (s *suite) overMounts(t *testing.T, spec sandbox.Spec, st sandbox.State, want string) {
	t.Helper()
	spec.Project, spec.State = "", st
	for range 2 {
		w := s.open(t, spec)
		w.prints(want, "echo $(cat /data/f; ls -d /data/*; cat /app/new)")
		w.sh("chmod 700 /data; rm -r /data/* d; ln -s /etc d")
		items := []sandbox.Item{{Path: "/data/laid", Mode: 0o644, Data: []byte("laid")}, {Path: "/data/f", Gone: true},
			{Path: "/etc/app/conf", Mode: 0o600, Data: []byte("mine")}}
		if err := w.FS().Unpack(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		w.prints("laidmine", "cat /data/laid /etc/app/conf")
		for _, p := range []string{"/etc/passwd", "/data/../etc/app2", "/database", "/data", "/var/lib/f"} {
			mistake(t, w.FS().Unpack(t.Context(), []sandbox.Item{{Path: p, Mode: 0o644}}), "is no path below")
		}
		// Of the project, a link stands where a mount shows a directory.
		if w, st := s.open(t, spec), w.seal(); w.Close() == nil {
			spec := spec
			spec.State = st
			w := s.open(t, spec)
			w.prints("", "ls -A /opt/d")
			w.fails("echo x > /opt/d/f")
		}
	}
}

// badPlaces are refused before anything is made.
func badPlaces(t *testing.T, s *suite) {
	if _, ok := s.mounted(t, sandbox.Spec{Mounts: []sandbox.Place{{At: "/data"}}}); !ok {
		return
	}
	for _, ps := range [][]sandbox.Place{
		{{At: "/"}}, {{At: "/proc"}}, {{At: "/usr/bin"}}, {{At: "/etc/passwd"}}, {{At: "/work/x"}}, {{At: "/home"}},
		{{At: "data"}}, {{At: "/data/.."}}, {{At: "/a"}, {At: "/a"}},
		{{At: "/a"}, {At: "/a/b"}}, {{At: "/a", From: ".."}}, {{At: "/a", From: "/etc"}}, {{At: "/a", From: "none"}},
		{{At: "/a", From: "p"}}, slices.Repeat([]sandbox.Place{{At: "/a"}}, 50),
	} {
		sb, err := s.b.Open(t.Context(), sandbox.Spec{Project: project(t, "p", "x"), Mounts: ps})
		if err == nil {
			t.Errorf("%v: opened", ps)
			_ = sb.Close()
		} else if !strings.Contains(err.Error(), "mounts: ") {
			t.Errorf("%v: %v", ps, err)
		}
	}
	if _, err := s.b.Open(t.Context(), sandbox.Spec{Filesystem: sandbox.Unrestricted,
		Mounts: []sandbox.Place{{At: "/data"}}}); err == nil {
		t.Error("opened with all of the host")
	}
	w, ok := s.mounted(t, sandbox.Spec{Filesystem: sandbox.ReadOnly, Project: project(t, "p", "x"),
		Mounts: []sandbox.Place{{At: "/data"}, {At: "/app", From: "."}}})
	if ok {
		w.sh("echo x > /data/f")
		w.fails("echo x > /app/p")
	}
}

// mountsFill: what is written there counts.
func mountsFill(t *testing.T, s *suite) {
	w, ok := s.mounted(t, sandbox.Spec{Limits: sandbox.Limits{Disk: 8 << 20, Files: 2000},
		Mounts: []sandbox.Place{{At: "/data"}}})
	if !ok {
		return
	}
	if r := w.run(sandbox.Cmd{Script: "while head -c 4000000 /dev/urandom >> /data/f; do " +
		":; done"}); r.Reason != "disk" {
		t.Errorf("filling the disk ended with %d %q", r.Exit, r.Reason)
	}
}
