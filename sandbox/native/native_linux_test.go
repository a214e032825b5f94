package native

import (
	"os"
	"path/filepath"
	"testing"

	"cookoff/sandbox"
)

func TestMain(m *testing.M) {
	Init()
	os.Exit(m.Run())
}

func open(t *testing.T, b sandbox.Backend, spec sandbox.Spec) sandbox.Sandbox {
	t.Helper()
	sb, err := b.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	})
	return sb
}

func run(t *testing.T, sb sandbox.Sandbox, script string) sandbox.Result {
	t.Helper()
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFirst(t *testing.T) {
	b := New(Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	proj := t.TempDir()
	os.WriteFile(filepath.Join(proj, "a.txt"), []byte("hello"), 0o644)
	sb := open(t, b, sandbox.Spec{Project: proj})
	r := run(t, sb, `id; pwd; ls -la / /work ~; cat a.txt; echo more >> a.txt; echo h > ~/h; cat /proc/self/mountinfo; cat /proc/self/status | grep -E "Cap|NoNew|Secc"; ps aux; ls -la /dev /etc`)
	t.Logf("%d %s %s %v", r.Exit, r.Stdout, r.Stderr, r.Duration)
	c, err := sb.FS().Read(t.Context(), "a.txt", 0, 100)
	if err != nil || string(c.Data) != "hellomore\n" {
		t.Fatalf("%q %v", c.Data, err)
	}
	st, err := sb.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sb2 := open(t, b, sandbox.Spec{State: st, Profile: sandbox.Verify})
	m, err := sb2.FS().Manifest(t.Context(), nil)
	t.Log(m, err)
	r = run(t, sb2, `cat a.txt ~/h; echo yet >> a.txt; echo 2 > ~/h2; rm ~/h; ls -la /work`)
	t.Logf("%d %s %s", r.Exit, r.Stdout, r.Stderr)
	st2, err := sb2.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sb3 := open(t, b, sandbox.Spec{State: st2, Profile: sandbox.Verify})
	r = run(t, sb3, `cat a.txt; ls ~; env`)
	t.Logf("%d %s %s", r.Exit, r.Stdout, r.Stderr)
	sb3.Close()
	st.Release()
	st2.Release()
}
