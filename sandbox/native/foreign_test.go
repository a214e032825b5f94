package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestForeignTools wants programs of another system not to be shown.
func TestForeignTools(t *testing.T) {
	b := newContainer(Options{Dir: t.TempDir()}, "image")
	b.programs.Foreign = true
	_, err := b.Open(t.Context(), sandbox.Spec{ToolPaths: []string{"/opt/tools"}})
	if err == nil || !strings.Contains(err.Error(), "/opt/tools can't be shown") || !strings.Contains(err.Error(),
		"drop tool_paths") {
		t.Error(err)
	}
}

// TestForeignAuto wants containers where this kernel builds no worlds.
func TestForeignAuto(t *testing.T) {
	b, err := Choose(Choice{}, Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	c := b.(*chosen)
	c.foreign = true
	if _, err := c.Open(t.Context(), sandbox.Spec{}); err == nil || !strings.Contains(err.Error(),
		"needs an image\nhint: ") {
		t.Error(err)
	}
}

// fakeEngine puts a program called name first and alone on PATH: it notes what
// it is called with, and answers from the script.
func fakeEngine(t *testing.T, name, answers string) (calls func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "calls")
	script := "#!/bin/sh\necho \"$@\" >> '" + log + "'\ncase \"$*\" in\n" + answers + "\nesac\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return func() string {
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
}

// openFake opens a container of a machine with another kernel, which the engine
// then does not start, and gives why.
func openFake(t *testing.T, o Options) error {
	t.Helper()
	o.Dir = t.TempDir()
	b := newContainer(o, "image")
	b.programs.Foreign = true
	sb, err := b.Open(t.Context(), sandbox.Spec{})
	if err == nil {
		sb.Close()
		t.Fatal("it opened")
	}
	return err
}

// TestEngineElsewhere wants engines to be asked what their kernel is, and what
// they answer to be believed or refused.
func TestEngineElsewhere(t *testing.T) {
	for _, c := range []struct{ name, answers, want string }{
		{"docker", `info*) echo "windows x86_64 false";;`,
			"docker: its containers run windows, and a world is one of Linux"},
		{"docker", `info*) echo "no daemon" >&2; exit 1;;`, "docker: it does not answer: no daemon (does its "},
		{"podman", `info*) echo something;;`, `podman: it says of its kernel: "something`},
		{"docker", `info*) echo "linux aarch64 false";; *inspect*) echo "No such image" >&2; exit 1;;`,
			`docker: the image "image" is not here: No such image`},
		{"docker", `info*) echo "linux mips false";;`, "containers run linux/mips here"},
	} {
		fakeEngine(t, c.name, c.answers)
		if err := openFake(t, Options{}); !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.answers, err, c.want)
		}
	}
}
