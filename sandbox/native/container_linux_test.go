package native

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/builds"
	"cookoff/sandbox/sandboxtest"
)

// containerImage is the variable that names an image with bash and coreutils,
// without which the tests of containers are skipped. CI makes one.
const containerImage = "COOKOFF_TEST_IMAGE"

func containers(t testing.TB) (sandbox.Backend, string) {
	t.Helper()
	image := os.Getenv(containerImage)
	if image == "" {
		t.Skipf("%s names no image: .ci/containers makes one", containerImage)
	}
	return newContainer(Options{Dir: passable(t)}, image), image
}

// acceptedOfContainers are the promises that an image or its engine keeps in
// another way.
func acceptedOfContainers() []sandboxtest.Accepted {
	return []sandboxtest.Accepted{
		{Name: "HostUnchanged/run",
			Why: "some runtimes give the /run of a container the mode that the image's has: only root writes there"},
		{Name: "HostUnreachable/sys", Why: "an engine shows the container's own control group, read-only, below /sys"},
	}
}

func TestContainerPromises(t *testing.T) {
	b, _ := containers(t)
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	sandboxtest.Run(t, b, acceptedOfContainers()...)
}

// TestDockerArguments wants docker to be given what only it needs, and nothing
// that only podman knows.
func TestDockerArguments(t *testing.T) {
	calls := fakeEngine(t, "docker",
		`*--name*) echo "no more" >&2; exit 1;; image*json*) echo '["PATH=/opt/go/bin:/usr/bin"]';;`)
	b := newContainer(Options{Dir: t.TempDir()}, "image")
	_, err := b.Open(t.Context(), sandbox.Spec{})
	if err == nil || !strings.Contains(err.Error(), "no more") {
		t.Fatalf("%v, want what docker said", err)
	}
	var run string
	for line := range strings.Lines(calls()) {
		if strings.HasPrefix(line, "run --name cookoff-") {
			run = line
		}
	}
	for _, want := range []string{
		"--pull never", "--network none", "--read-only ", "--cap-drop ALL", "--security-opt no-new-privileges",
		"--user ", "--pids-limit ", "--ulimit nproc=",
		"--mount type=bind,source=", ",destination=/work ", ",destination=/.cookoff,readonly",
		"--mount type=tmpfs,destination=/tmp,tmpfs-mode=1777,tmpfs-size=", " image ",
	} {
		if !strings.Contains(run, want) {
			t.Errorf("docker is not given %q: %s", want, run)
		}
	}
	for _, not := range []string{"--read-only-tmpfs", "notmpcopyup", "--userns", "--runtime", "--volume"} {
		if strings.Contains(run, not) {
			t.Errorf("docker is given %q, which it does not know: %s", not, run)
		}
	}
}

// guestElsewhere builds cookoff as it is made for another machine's containers.
// Sources of overlay, by file, take the place of others.
func guestElsewhere(t *testing.T, overlay map[string]string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest")
	replaced := filepath.Join(t.TempDir(), "overlay.json")
	b, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(replaced, b, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-overlay", replaced, "-o", out, "cookoff/cmd/cookoff")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	return out
}

// TestContainerForeign does what is done on macOS: the guest is another program
// than the one that starts it, and nothing of this machine is shown but what
// lies below the directory of trials.
func TestContainerForeign(t *testing.T) {
	_, image := containers(t)
	b := newContainer(Options{Dir: passable(t), Guest: guestElsewhere(t, nil), ReadBuild: builds.Read}, image)
	b.programs.Foreign = true
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	shown, project := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(shown, "s"): "shown", filepath.Join(project, "f"): "before",
		filepath.Join(project, "secret"): "hidden", filepath.Join(project, "kept"): "kept"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(spec sandbox.Spec, script, want string) sandbox.Sandbox {
		t.Helper()
		sb, err := b.Open(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = sb.Close() })
		r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
		if err != nil || string(r.Stdout) != want || !r.OK() {
			t.Fatalf("%q: %d %q %q %v, want %q", script, r.Exit, r.Stdout, r.Stderr, err, want)
		}
		return sb
	}
	first := run(sandbox.Spec{Project: project, Hidden: []string{"secret"},
		ReadOnly: []sandbox.Mount{{Source: shown, Target: "/shown"}}},
		"ls -A ~; cat f /shown/s; ! ls secret 2>/dev/null; ! echo x 2>/dev/null > /shown/s; echo after > f; ln -s "+
			"/etc/passwd link; mkfifo p; ! ls -d "+shown+" 2>/dev/null", "beforeshown")
	m, err := first.FS().Manifest(t.Context(), []string{"f", "kept"})
	if err != nil || len(m) != 2 || !m[0].Touched || m[1].Touched {
		t.Errorf("%v %+v: f was written, and kept was not", err, m)
	}
	st, err := first.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(sandbox.Spec{State: st}, "cat f secret; readlink link; [ -p p ]", "after\nhidden/etc/passwd\n")
	if err := st.Release(); err != nil {
		t.Fatal(err)
	}
}

// TestContainerOtherBuild wants a guest that says other things to be found out
// before it serves, where nothing else tells the builds apart.
func TestContainerOtherBuild(t *testing.T) {
	_, image := containers(t)
	messages, err := filepath.Abs("../wire/wire.go")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(messages)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "wire.go")
	text := strings.Replace(string(source), "type Found struct {", "type Found struct {\n\tCount int", 1)
	if text == string(source) {
		t.Fatal("nothing was changed")
	}
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newContainer(Options{Dir: passable(t), Guest: guestElsewhere(t, map[string]string{messages: changed}),
		ReadBuild: builds.Read}, image)
	if err := b.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "build both from the same source") {
		t.Error(err)
	}
}

// TestContainerSaysWhyItDied wants the first lines of a traceback, which say why,
// as well as the last, which the engine may have written.
func TestContainerSaysWhyItDied(t *testing.T) {
	fakeEngine(t, "docker",
		`run\ --name*) echo "fatal error: out of something" >&2; i=0; while [ $i -lt 2000 ]; do echo "main.f$i()" >&2; i=$((i+1)); done; echo "docker: it ended" >&2; exit 2;;
*Env*) echo "[]";;`)
	sb, err := newContainer(Options{Dir: t.TempDir()}, "image").Open(t.Context(), sandbox.Spec{})
	if err == nil {
		sb.Close()
		t.Fatal("it opened")
	}
	for _, want := range []string{"fatal error: out of something\nmain.f0()\n", " bytes left out]\n",
		"main.f1999()\ndocker: it ended"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
}
