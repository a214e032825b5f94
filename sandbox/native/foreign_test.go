package native

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/builds"
)

// TestFits wants to be told of each program what keeps it from being the guest.
func TestFits(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	other := "arm64"
	if runtime.GOARCH == other {
		other = "amd64"
	}
	check := func(path, arch, want string) {
		t.Helper()
		if err := (&backend{opt: Options{ReadBuild: builds.Read}}).fits(path, arch); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	check(filepath.Join(t.TempDir(), "none"), other, "is not there")
	check(text, other, "can't be used: ")
	check(self, other, "is for "+runtime.GOOS+"/"+runtime.GOARCH+", and containers run linux/"+other)
	if tool, err := exec.LookPath("go"); err == nil {
		check(tool, runtime.GOARCH, "is not cookoff but cmd/go")
	}
}

// TestNoGuest wants the places and the very command where the containers' kernel
// is another than this program's.
func TestNoGuest(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	b := &backend{foreign: true}
	_, err := b.program("riscv64")
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"containers run linux/riscv64 here and this program is for " + runtime.GOOS + "/" + runtime.GOARCH,
		"/cookoff-linux-riscv64 is not there\n",
		"hint: in cookoff's source", ": GOOS=linux GOARCH=riscv64 CGO_ENABLED=0 go build -o '" + cache,
		"/cookoff-linux-riscv64' ./cmd/cookoff",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	b.opt.Guest = filepath.Join(cache, "mine")
	if _, err := b.program("riscv64"); err == nil || !strings.Contains(err.Error(),
		"[sandbox] guest: "+b.opt.Guest+" is not there\nhint: in cookoff's source") {
		t.Error(err)
	}
}

// TestForeignTools wants programs of another system not to be shown.
func TestForeignTools(t *testing.T) {
	b := newContainer(Options{Dir: t.TempDir()}, "image").(*backend)
	b.foreign = true
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

func TestBindMount(t *testing.T) {
	for want, at := range map[string][2]string{
		"type=bind,source=/a b:c,destination=/x,readonly":     {"/a b:c", "/x"},
		`type=bind,"source=/a,""b""",destination=/x,readonly`: {`/a,"b"`, "/x"},
	} {
		if got := bindMount(at[0], at[1], true); got != want {
			t.Errorf("%s, want %s", got, want)
		}
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
	b := newContainer(o, "image").(*backend)
	b.foreign = true
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
		{"docker", `info*) echo "windows x86_64 false";;`, "docker: its containers run windows, and a world is one of Linux"},
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

// TestBothEnds wants what a program says to be kept whole where it is short, and
// its two ends where it is not, however it is written.
func TestBothEnds(t *testing.T) {
	long := "panic: why\n" + strings.Repeat("goroutine 1\n", 1000) + "exit status 2"
	for _, said := range []string{"", "short", long[:firstMax], long[:firstMax+lastMax], long[:firstMax+lastMax+1], long} {
		want := said
		if left := len(said) - firstMax - lastMax; left > 0 {
			want = fmt.Sprintf("%s\n[%d bytes left out]\n%s", said[:firstMax], left, said[len(said)-lastMax:])
		}
		for _, size := range []int{1, 100, len(long)} {
			var e bothEnds
			for rest := said; rest != ""; {
				n, err := e.Write([]byte(rest[:min(size, len(rest))]))
				if err != nil || n != min(size, len(rest)) {
					t.Fatal(n, err)
				}
				rest = rest[n:]
			}
			if e.String() != want {
				t.Errorf("%d bytes, %d at a time: %q, want %q", len(said), size, e.String(), want)
			}
		}
	}
}
