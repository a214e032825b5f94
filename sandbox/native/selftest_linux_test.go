package native

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// holed is a backend whose worlds are what a real one's are, but for a hole.
type holed struct {
	sandbox.Backend
	spec func(*sandbox.Spec)
	wrap func(sandbox.Sandbox) sandbox.Sandbox
}

func (h holed) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	if h.spec != nil {
		h.spec(&spec)
	}
	sb, err := h.Backend.Open(ctx, spec)
	if err == nil && h.wrap != nil {
		sb = h.wrap(sb)
	}
	return sb, err
}

func (h holed) Check(ctx context.Context) error { return check(ctx, h, sandbox.Spec{}) }

// mortal is a world that ends when it is told to.
type mortal struct{ sandbox.Sandbox }

func (m mortal) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	if strings.Contains(c.Script, "kill -9 1;") {
		m.Close()
	}
	return m.Sandbox.Exec(ctx, c)
}

// TestSelfTest wants a world with a hole to be refused in words, and nothing to
// be opened in one.
func TestSelfTest(t *testing.T) {
	b := New(Options{Dir: t.TempDir()})
	if err := (&selfTested{Backend: b}).Check(t.Context()); err != nil {
		t.Fatalf("a whole one: %v", err)
	}
	readable := without(newNative(Options{Dir: t.TempDir()}), plan.Without{plan.Undumpable})
	dies := holed{Backend: b, wrap: func(sb sandbox.Sandbox) sandbox.Sandbox { return mortal{sb} }}
	writes := holed{Backend: b, spec: func(s *sandbox.Spec) { s.Filesystem = sandbox.ProjectOnly }}
	for want, with := range map[string]sandbox.Backend{
		"can read what serves them": readable, "can end what serves them": dies,
		"can change files that are read-only": writes,
	} {
		v := &selfTested{Backend: with}
		_, oerr := v.Open(t.Context(), sandbox.Spec{})
		for _, err := range []error{v.Check(t.Context()), oerr} {
			if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), elsewhere) {
				t.Errorf("want %q: %v", want, err)
			}
		}
	}
}

// TestGVisorHoles wants the gVisor that is here to be refused in words, and to open
// nothing, for as long as it has a hole.
func TestGVisorHoles(t *testing.T) {
	if _, err := exec.LookPath("runsc"); err != nil {
		t.Skip("runsc is not installed")
	}
	v := newGVisor(Options{Dir: filepath.Join(passable(t), "s")})
	err := v.Check(t.Context())
	if err == nil {
		t.Skip("this gVisor has none: TestGVisorPromises tells of the rest")
	}
	if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "hint: ") {
		t.Errorf("refused without a remedy: %v", err)
	}
	if _, oerr := v.Open(t.Context(), sandbox.Spec{}); oerr == nil {
		t.Errorf("opened, though: %v", err)
	}
	if knownGVisor(err) {
		t.Error(err)
	}
	t.Log(err)
}
