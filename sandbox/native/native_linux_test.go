package native

import (
	"os"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/sandboxtest"
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

func TestPromises(t *testing.T) {
	sandboxtest.Run(t, New(Options{Dir: t.TempDir()}))
}
