package sandboxtest

import (
	"fmt"
	"sync"
	"testing"

	"cookoff/sandbox"
)

func seals(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	w.sh("(while :; do date +%N > tick; done) >/dev/null 2>&1 & until [ -s tick ]; do sleep 0.01; done")
	st := w.seal()
	_, err := w.Exec(t.Context(), sandbox.Cmd{Script: "true"})
	broken(t, "running in a sealed sandbox", err)
	_, err = w.FS().Read(t.Context(), "tick", 0, 1)
	broken(t, "reading in a sealed sandbox", err)
	_, err = w.Seal(t.Context())
	broken(t, "sealing twice", err)
	one, two := s.open(t, sandbox.Spec{State: st}), s.open(t, sandbox.Spec{State: st})
	if a, b := one.read("tick"), two.read("tick"); a != b {
		t.Errorf("something went on writing: %q, then %q", a, b)
	}
	one.prints("2", "ls -d /proc/[0-9]* | grep -cx '/proc/1\\|/proc/'$$") // the guest and this
}

func states(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Project: project(t, "base", "b", "gone", "g", "d/old", "o")})
	w.sh("echo staged > f; rm gone; rm -r d; mkdir d; echo n > d/new; echo h > ~/h; chmod 700 base")
	staged := w.seal()

	agent := s.open(t, sandbox.Spec{State: staged})
	agent.prints("staged h new 700", "(cat f ~/h; ls gone 2>/dev/null; ls d; stat -c %a base) | xargs")
	agent.sh("echo worked >> f; rm ~/h; echo i > ~/i; rm -r d")
	final := agent.seal()

	judge := func(script, want string) {
		t.Helper()
		j := s.open(t, sandbox.Spec{State: final, Profile: sandbox.Verify})
		j.prints(want, script)
	}
	judge("xargs < f; ls ~; ls; rm -r f ~/i; touch left", "staged worked\ni\nbase\nf")
	judge("xargs < f; ls ~; ls", "staged worked\ni\nbase\nf") // the first check changed nothing

	other := s.open(t, sandbox.Spec{State: staged})
	other.prints("staged h new", "(cat f ~/h; ls d) | xargs")

	if err := staged.Release(); err != nil {
		t.Fatal(err)
	}
	judge("cat f", "staged\nworked") // what rests on a released state stays
	if _, err := s.b.Open(t.Context(), sandbox.Spec{State: staged}); err == nil {
		t.Error("a released state was opened")
	}
}

// copies: the files of a world can be had while it lives on; neither what it
// writes afterwards nor its end reaches the copy.
func copies(t *testing.T, s *suite) {
	base := s.open(t, sandbox.Spec{Project: project(t, "base", "b", "gone", "g", "d/old", "o", "secret", "s")})
	base.sh("echo staged > f; rm gone; rm -r d; mkdir d; echo n > d/new; echo h > ~/h")
	w := s.open(t, sandbox.Spec{State: base.seal(), Hidden: []string{"secret"}})
	c, ok := w.Sandbox.(sandbox.Copier)
	if !ok {
		t.Fatal("its files can't be copied")
	}
	w.sh("echo worked >> f; rm base; rm -r d; mkdir d; echo m > d/more; " +
		"ln f g; ln -s nowhere l; mkfifo p; mkdir locked; echo i > locked/in; chmod 000 locked; chmod 600 ~/h")
	w.sh("(while :; do for i in 1 2 3; do date > come.$i; rm come.$i; mkdir go.$i; rmdir go.$i; done; done) " +
		">/dev/null 2>&1 &")
	st, err := c.Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Release()
	w.prints("later", "echo later > f; echo x > ~/h; rm -r d; cat f") // it lives on
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	j := s.open(t, sandbox.Spec{State: st, Profile: sandbox.Verify})
	j.prints("staged worked more more 2 nowhere s0 i 600 h", "rm -f come.*; "+
		"(cat f; ls d; ls base gone 2>/dev/null; find d -name more -printf '%f\\n'; stat -c %h f; "+
		"readlink l; cat secret; stat -c %a locked; chmod 700 locked; cat locked/in; stat -c %a ~/h; cat ~/h) | xargs")
	if s.keeps(t, "Copies/pipes") {
		j.prints("p", "find . -type p -printf '%f\\n'")
	}
}

func profiles(t *testing.T, s *suite) {
	spec := sandbox.Spec{Path: []string{"tools", "~/mine"}}
	w := s.open(t, spec)
	w.sh("mkdir -p tools ~/mine ~/bin; " +
		"printf '#!/bin/bash\\necho fake\\n' | tee tools/ls ~/mine/extra ~/bin/cat > /dev/null; " +
		"chmod +x tools/ls ~/mine/extra ~/bin/cat")
	w.prints("fake fake fake", "echo $(ls) $(extra) $(cat)")
	w.sh("echo 'echo hijacked' > ~/.bashrc; cp ~/.bashrc ~/.bash_profile; " +
		"cp ~/.bashrc ~/.profile; git config --global alias.x '!echo hijacked' 2>/dev/null; true")
	st := w.seal()
	spec.State, spec.Profile = st, sandbox.Verify
	j := s.open(t, spec)
	j.prints("1", "ls -d / | grep -c '^/$'")
	j.prints("fake", "extra") // the task's own directories come last, but they come
	j.prints("x", "echo x | cat")
	j.prints("", "git x 2>/dev/null; true")
	j.prints("/dev/null off 1", "echo $GIT_CONFIG_GLOBAL $GOENV $PYTHONSAFEPATH")
}

func refusals(t *testing.T, s *suite) {
	refuse := func(what string, spec sandbox.Spec) {
		t.Helper()
		sb, err := s.b.Open(t.Context(), spec)
		broken(t, what, err)
		if sb != nil {
			sb.Close()
			t.Errorf("%s: a sandbox was opened", what)
		}
	}
	refuse("a project that is not there", sandbox.Spec{Project: "/nonexistent/project"})
	refuse("a typo in the file system policy", sandbox.Spec{Filesystem: "readonly"})
	refuse("a typo in the network policy", sandbox.Spec{Network: "off"})
	refuse("a mount of nothing", sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: "/nonexistent/x", Target: "/x"}}})
	refuse("a relative mount", sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: "/usr", Target: "x"}}})
	refuse("a negative limit", sandbox.Spec{Limits: sandbox.Limits{Processes: -1}})
	if err := s.b.Check(t.Context()); err != nil {
		t.Errorf("the self-test: %v", err)
	}
	sb, err := s.b.Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := sb.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	_, err = sb.Exec(t.Context(), sandbox.Cmd{Script: "true"})
	broken(t, "running in a closed sandbox", err)
}

func atOnce(t *testing.T, s *suite) {
	st := s.open(t, sandbox.Spec{Project: project(t, "f", "base")}).seal()
	var all sync.WaitGroup
	for i := range 4 {
		w := s.open(t, sandbox.Spec{State: st})
		for j := range 4 {
			all.Go(func() {
				r, err := w.Exec(t.Context(),
					sandbox.Cmd{Script: fmt.Sprintf("echo %d > n%d; cat f; exit %d", i, j, j)})
				if err != nil || r.Exit != j || string(r.Stdout) != "base" {
					t.Errorf("world %d, call %d: %+v %v", i, j, r, err)
				}
			})
		}
	}
	all.Wait()
}
