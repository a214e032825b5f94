package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cookoff/internal/host"
	"cookoff/model"
	"cookoff/model/openai/openaitest"
	"cookoff/sandbox/native"
)

// hall is a project and a user of its own, with an endpoint whose models follow
// a script, and a real terminal: tmux.
type hall struct {
	t      *testing.T
	dir    string // the project
	home   string
	url    string
	socket string
	env    string // more variables
	n      int
}

func newHall(t *testing.T) *hall {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: it is the terminal of this test")
	}
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox here: %v", err)
	}
	server := openaitest.NewFunc(writes)
	t.Cleanup(server.Close)
	h := &hall{t: t, dir: t.TempDir(), home: t.TempDir(), url: server.URL, socket: filepath.Join(t.TempDir(), "tmux")}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", h.socket, "kill-server").Run() }) // gone when all went well
	h.write("main.go", "package main\n\nfunc main() {\n\tprintln(\"nobody\")\n}\n")
	return h
}

func (h *hall) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hall) read(name string) string {
	h.t.Helper()
	b, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// nap is what the slow model's command can be told by among all processes: no
// other run of these tests has the same.
func nap() string { return fmt.Sprintf("sleep 987.%d", os.Getpid()) }

// writes answers as the model that is asked: it writes its name into the
// program. One is slow, one has something to say to the terminal.
func writes(_ int, r *openaitest.Request) openaitest.Step {
	last := r.Messages[len(r.Messages)-1]
	if last.Role != "user" {
		return openaitest.Text("It prints " + r.Model + " now.\x1b]0;owned\x07 \x1b[2J")
	}
	command := fmt.Sprintf("sed -i 's/\"[a-z]*\"/\"%s\"/' main.go", r.Model)
	if r.Model == "slow" && strings.Contains(string(last.Content), "slowly") {
		command += "; " + nap()
	}
	return openaitest.Calls(model.Call{ID: fmt.Sprintf("call_%d", len(r.Messages)), Name: "bash",
		Arguments: fmt.Sprintf(`{"command":%q}`, command)})
}

func (h *hall) tmux(args ...string) string {
	h.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("tmux", append([]string{"-S", h.socket, "-f", "/dev/null"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color")
	if err := cmd.Run(); err != nil {
		h.t.Fatalf("tmux %q: %v: %s", args, err, errs.String())
	}
	return out.String()
}

// begin starts cookoff on a terminal of that size.
func (h *hall) begin(width, height int, args ...string) {
	h.t.Helper()
	exe, err := exec.LookPath("cookoff") // this test binary, see TestMain
	if err != nil {
		h.t.Fatal(err)
	}
	h.n++
	line := fmt.Sprintf("env -i %s PATH='%s' HOME='%s' TERM=xterm-256color LC_ALL=C.UTF-8 OPENAI_BASE_URL='%s' "+
		"OPENAI_API_KEY=key-of-nobody '%s' %s; echo exit=$?; exec cat",
		h.env, os.Getenv("PATH"), h.home, h.url, exe, strings.Join(args, " "))
	h.tmux("new-session", "-d", "-s", h.name(), "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "-c", h.dir, line)
}

func (h *hall) name() string { return fmt.Sprintf("s%d", h.n) }

// screen is what the terminal shows.
func (h *hall) screen() string {
	h.t.Helper()
	return h.tmux("capture-pane", "-p", "-t", h.name())
}

// see waits until the terminal shows text.
func (h *hall) see(texts ...string) string {
	h.t.Helper()
	deadline := time.Now().Add(hung)
	for {
		got, missing := h.screen(), ""
		for _, text := range texts {
			if !strings.Contains(got, text) {
				missing = text
			}
		}
		if missing == "" {
			return got
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("the terminal never showed %q; at last:\n%s", missing, got)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// glance is how long somebody looks at a screen before they press a key: one
// that was pressed before what it would act on was seen is not taken.
const glance = 250 * time.Millisecond

// press sends keys: names as tmux has them, and text behind a quote. Somebody
// looks at the screen before each.
func (h *hall) press(keys ...string) {
	h.t.Helper()
	for _, k := range keys {
		time.Sleep(glance)
		if text, ok := strings.CutPrefix(k, "'"); ok {
			h.tmux("send-keys", "-t", h.name(), "-l", text)
		} else {
			h.tmux("send-keys", "-t", h.name(), k)
		}
	}
}

// asleep counts the processes that run the slow model's command.
func (h *hall) asleep() (n int) {
	h.t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, d := range dirs {
		b, err := os.ReadFile(d)
		if err == nil && string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})) == nap()+" " {
			n++
		}
	}
	return n
}

// until waits for something that is no text on the screen.
func (h *hall) until(what string, ok func() bool) {
	h.t.Helper()
	for deadline := time.Now().Add(hung); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.t.Fatalf("%s: not within %s; the terminal shows:\n%s", what, hung, h.screen())
		}
	}
}

// TestShootout is a whole shoot-out on a real terminal: prompt, watch, diff,
// pick, apply, stats, resume, rewind.
func TestShootout(t *testing.T) {
	h := newHall(t)
	h.begin(80, 24, "--models", "baseline/noop,openai/fast,openai/slow")
	h.see("Type a task.", "● openai/fast")
	h.press("'make @mai", "Tab")
	h.see("› make @main.go")
	h.press("'print your name", "Enter")
	frame := h.see("All done.", "w wins")
	for i, line := range strings.Split(frame, "\n") {
		if n := len([]rune(line)); n > 80 {
			t.Errorf("line %d takes %d columns: %q", i, n, line)
		}
	}
	h.press("Tab")
	h.see("┏━ openai/fast", "make main.go print your name", `It prints fast now.\x1b]0;owned\a`)
	h.press("d")
	h.see("diff of openai/fast: 1 file, +1 -1", `-     println("nobody")`, `+     println("fast")`)
	h.press("q", "s")
	h.see("openai/fast  |  baseline/noop")
	h.press("Tab")
	h.see("openai/fast  |  openai/slow", `println("slow")`)
	h.press("q", "w")
	h.see("openai/fast wins. A note why")
	h.press("'it was quick", "Enter")
	h.see("Apply the change of openai/fast", "overwrite", "main.go")
	h.press("y")
	h.see("1 file written; /rewind takes it back")
	if !strings.Contains(h.read("main.go"), `println("fast")`) {
		t.Errorf("not applied:\n%s", h.read("main.go"))
	}
	h.press("'/stats", "Enter")
	h.see("1 choice: 1 with a winner", "openai/fast")
	h.press("Escape", "C-c", "C-c")
	h.see("is saved", "exit=0")

	h.begin(120, 40, "--continue")
	h.see("a task for every model")
	h.press("Escape")
	h.see("★ openai/fast won, its change is applied")
	h.press("i", "'now the other way", "Enter")
	h.see("task 2", "All done.", "carried: 5 messages")
	h.press("/")
	h.see("› /")
	h.press("'pick none", "Enter")
	h.see("written down")
	h.press("'/rewind", "Enter")
	h.see("the change of task 1 is taken back")
	if !strings.Contains(h.read("main.go"), `println("nobody")`) {
		t.Errorf("not taken back:\n%s", h.read("main.go"))
	}
	h.press("'/quit", "Enter")
	h.see("exit=0")

	// The run is watched as any other, here without colours.
	h.env = "NO_COLOR=1"
	h.begin(80, 24, "watch")
	h.see("3/3 trials · finished", "┏━ baseline/noop", "q quit")
	if painted := h.tmux("capture-pane", "-p", "-e", "-t", h.name()); strings.Contains(painted, "\x1b[") {
		t.Errorf("NO_COLOR is not kept: %q", painted)
	}
	h.press("Tab", "Enter")
	h.see("openai/fast " + strings.Repeat("━", 42))
	h.press("q")
	h.see("exit=0")
	h.begin(80, 24, "sessions")
	h.see("now the o", "exit=0")
}

// TestShootoutIsInterrupted: esc stops one model, ctrl+c all, twice leaves; a
// terminal that is killed loses nothing that was finished; what was started is
// dead at once.
func TestShootoutIsInterrupted(t *testing.T) {
	h := newHall(t)
	h.begin(80, 24, "--models", "openai/slow,openai/fast")
	h.see("Type a task.")
	h.press("'slowly please", "Enter")
	h.see("● done", "▸ calling")
	h.until("the slow model sleeps", func() bool { return h.asleep() == 1 })
	h.press("Escape")
	h.see("■ stopped", "All done.")
	h.press("/", "'retry", "Enter")
	h.see("▸ calling")
	h.until("it sleeps again", func() bool { return h.asleep() == 1 })
	h.press("C-c")
	h.see("■ stopped", "All done.")
	h.press("/", "'retry", "Enter")
	h.until("and again", func() bool { return h.asleep() == 1 })
	h.press("C-c", "C-c")
	h.until("everything that was started is dead", func() bool { return h.asleep() == 0 })
	h.see("exit=0")

	h.begin(80, 24, "--continue")
	h.see("task 1")
	h.press("'slowly, once more", "Enter")
	h.see("task 2", "● done", "▸ calling")
	h.until("it sleeps in the second task", func() bool { return h.asleep() == 1 })
	h.tmux("kill-session", "-t", h.name())
	h.until("the terminal is gone, and all with it", func() bool {
		return h.asleep() == 0
	})
	h.begin(80, 24, "--continue")
	h.see("a task for every model")
	h.press("Escape")
	h.see("task 2", "● done", "openai/fast")
	if strings.Contains(h.screen(), "calling") {
		t.Errorf("something still runs:\n%s", h.screen())
	}
}

// TestColdFirstTask: in a fresh HOME the first task of a Go project compiles the
// standard library. The screen says so, keys do nothing, Ctrl-C stops it at once.
func TestColdFirstTask(t *testing.T) {
	if host.GoRoot() == "" {
		t.Skip("no Go tool chain is known: there is nothing to compile")
	}
	h := newHall(t)
	h.write("go.mod", "module x\n\ngo 1.24\n")
	h.begin(80, 24, "--models", "openai/fast,openai/slow")
	h.see("Type a task.")
	h.press("'print your name", "Enter")
	h.see("compiling Go's standard library", "ctrl+c stops", "esc stop this")
	h.press("w", "a", "y", "Enter", "'/quit", "Enter")
	h.see("compiling Go's standard library")
	began := time.Now()
	h.press("C-c")
	h.see("the task was not run", "› print your name")
	if d := time.Since(began); d > glance+time.Second {
		t.Errorf("Ctrl-C took %v", d)
	}
	h.press("C-c")
	h.see("exit=0")
	if d := time.Since(began); d > 2*glance+2*time.Second {
		t.Errorf("leaving took %v", d)
	}
	if left, _ := filepath.Glob(filepath.Join(h.home, ".cache/cookoff/go-build/*")); len(left) > 0 {
		t.Errorf("half a cache is left: %v", left)
	}
}
