package native

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/users"
)

// stub is a backend that says its name, or fails.
type stub struct {
	name string
	err  error
	log  *[]string
}

func (s stub) Check(context.Context) error { return s.err }

func (s stub) Open(context.Context, sandbox.Spec) (sandbox.Sandbox, error) {
	*s.log = append(*s.log, s.name)
	return nil, s.err
}

// TestAuto wants bubblewrap where this program may make no user namespaces and
// it may, containers for images, and an error where nothing works.
func TestAuto(t *testing.T) {
	forbidden := sandbox.Unavailable("opening a sandbox",
		fmt.Errorf("%w: operation not permitted\nhint: sysctl", users.ErrForbidden))
	check := func(c Choice, native, bwrap error, spec sandbox.Spec, want, wantErr string) {
		t.Helper()
		var log []string
		made := map[string]sandbox.Backend{}
		for name, err := range map[string]error{Native: native, Bwrap: bwrap, Container: nil, GVisor: nil} {
			made[name] = stub{name, err, &log}
		}
		b, err := Choose(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b.(*chosen).made = made
		_, err = b.Open(t.Context(), spec)
		_, _ = b.Open(t.Context(), spec) // the second knows
		if got := strings.Join(log, " "); got != want {
			t.Errorf("%+v: opened by %q, want %q", c, got, want)
		}
		if wantErr == "" && err != nil || wantErr != "" && (err == nil || !strings.Contains(err.Error(), wantErr)) {
			t.Errorf("%+v: %v, want %q", c, err, wantErr)
		}
	}
	plain, image := sandbox.Spec{}, sandbox.Spec{Image: "debian"}
	check(Choice{}, nil, nil, plain, "native native", "")
	check(Choice{Name: Auto}, forbidden, nil, plain, "native bwrap bwrap", "")
	check(Choice{}, forbidden, errors.New("setting up uid map"), plain, "native bwrap native bwrap",
		"setting up uid map")
	check(Choice{}, errors.New("disk full"), nil, plain, "native native", "disk full") // not for lack of namespaces
	check(Choice{Name: Native}, forbidden, nil, plain, "native native", "sysctl")
	check(Choice{Name: GVisor}, nil, nil, plain, "gvisor gvisor", "")
	check(Choice{}, nil, nil, image, "container container", "")
	check(Choice{Image: "debian"}, nil, nil, plain, "container container", "")
	check(Choice{Name: Bwrap}, nil, nil, image, "", "needs the container backend")
	check(Choice{Name: GVisor}, nil, nil, image, "", "needs the container backend")
	if _, err := Choose(Choice{Name: "docker"}, Options{}); err == nil ||
		!strings.Contains(err.Error(), "native, bwrap") {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestCheckOfSeveral: an image that can't be opened does not keep other worlds from
// theirs, and none of it is opened later, untried; walls that don't hold are always an error.
func TestCheckOfSeveral(t *testing.T) {
	missing := sandbox.Unavailable("opening a sandbox", errors.New("no such image"))
	check := func(native, container sandbox.Backend, wantErr string) *chosen {
		t.Helper()
		b, err := Choose(Choice{Images: []string{"", "debian"}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := b.(*chosen)
		c.made = map[string]sandbox.Backend{Native: native, Container: container}
		if err := b.Check(t.Context()); wantErr == "" && err != nil || wantErr != "" && (err == nil ||
			!strings.Contains(err.Error(), wantErr)) {
			t.Errorf("%v, want %q", err, wantErr)
		}
		return c
	}
	works := New(Options{Dir: t.TempDir()})
	var log []string
	none, leaky := stub{"none", missing, &log}, leaks{works}
	check(none, none, "no such image")
	check(works, leaky, "the self-test ended with 9")
	check(leaky, none, "the self-test ended with 9")
	c := check(works, none, "")
	c.made[Container] = works
	if _, err := c.Open(t.Context(), sandbox.Spec{Image: "debian"}); !errors.Is(err, missing) {
		t.Errorf("opened untried: %v", err)
	}
	sb, err := c.Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	sb.Close()
}

// leaks is a backend whose worlds fail the self-test.
type leaks struct{ sandbox.Backend }

func (b leaks) Open(ctx context.Context, _ sandbox.Spec) (sandbox.Sandbox, error) {
	sb, err := b.Backend.Open(ctx, sandbox.Spec{})
	return leakyWorld{sb}, err
}

type leakyWorld struct{ sandbox.Sandbox }

func (leakyWorld) Exec(context.Context, sandbox.Cmd) (sandbox.Result, error) {
	return sandbox.Result{Exit: 9}, nil
}
