package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cookoff/internal/cli"
)

// patient is somebody at a terminal before a project where three tools are
// missing, and whose repairs put them there.
type patient struct {
	t     *testing.T
	dir   string
	class string // of the fix
	mends string // its command
}

func newPatient(t *testing.T, class, mends string) patient {
	t.Helper()
	p := patient{t, t.TempDir(), class, mends}
	for _, d := range []string{"bin", "mine"} {
		if err := os.Mkdir(filepath.Join(p.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.write(".tool-versions", "toola 1\ntoolb 1\ntoolc 1\n")
	p.write("mine/a.yaml", "id: tool-absent\nprobe: path-command\nfixes:\n- id: put\n  class: "+class+
		"\n  label: \"Put {{.Command}} there\"\n  command: |\n    "+mends+"\n")
	return p
}

func (p patient) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// treated is what came out.
type treated struct {
	seen     string   // on the terminal
	statuses []string // of the three findings, as printed
	code     int
	tools    []string // that are there now
	log      []string // of what was run: event command status
}

// types runs repair fix with the three on a terminal, and types the answers, one
// whenever it is asked; the terminal makes signals of Ctrl-C and Ctrl-D.
func (p patient) types(answers []string, args ...string) treated {
	p.t.Helper()
	ours, programs := terminal(p.t)
	exe, err := exec.LookPath("cookoff") // this test binary, see TestMain
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), hung)
	defer cancel()
	var stdout strings.Builder
	cmd := exec.CommandContext(ctx, exe, append([]string{"repair", "fix", "path-command", "--repairs", "mine"},
		args...)...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.dir, programs, &stdout, programs
	cmd.Env = []string{"PATH=" + filepath.Join(p.dir, "bin") + ":/usr/bin:/bin", "HOME=" + p.dir,
		"XDG_STATE_HOME=" + filepath.Join(p.dir, "state"), "TERM=xterm", "NO_COLOR=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	programs.Close()
	out := treated{}
	buf := make([]byte, 4096)
	for asked := 0; ; {
		n, err := ours.Read(buf) // ends with EIO when the program does
		out.seen += string(buf[:n])
		if err != nil {
			break
		}
		for ; strings.Count(out.seen, "Run it? [y/N/s/q] ") > asked && asked < len(answers); asked++ {
			if _, err := io.WriteString(ours, answers[asked]); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	out.code = cmd.ProcessState.ExitCode()
	out.seen = strings.ReplaceAll(out.seen, "\r\n", "\n")
	for _, m := range regexp.MustCompile(`(?m)^(\w+(?: \w+)?) +path-command: `).FindAllStringSubmatch(stdout.String(),
		-1) {
		out.statuses = append(out.statuses, m[1])
	}
	entries, err := os.ReadDir(filepath.Join(p.dir, "bin"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range entries {
		out.tools = append(out.tools, e.Name())
	}
	out.log = p.log()
	return out
}

func (p patient) log() (lines []string) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "state", "cookoff", "repairs.jsonl"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		var l struct {
			Event, Dir, Status string
			Time               time.Time
			Params             map[string]string
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Dir != p.dir || l.Time.IsZero() {
			p.t.Errorf("%s: %v", line, err)
		}
		lines = append(lines, strings.TrimSpace(l.Event+" "+l.Params["Command"]+" "+l.Status))
	}
	return lines
}

const puts = `printf '#!/bin/sh\n' > bin/{{.Command}}; chmod 755 bin/{{.Command}}`

// TestRepairFixAsks on a terminal: each answer does what it says, and fixed is
// what the probe finds no more.
func TestRepairFixAsks(t *testing.T) {
	check := func(class, mends string, code int, statuses, tools, log string, answers ...string) {
		t.Helper()
		p := newPatient(t, class, mends)
		got := p.types(answers)
		if got.code != code || strings.Join(got.statuses, ", ") != statuses || strings.Join(got.tools, " ") != tools ||
			strings.Join(got.log, ", ") != log {
			t.Errorf("%q: exit code %d, %q, tools %q, log %q\n%s", answers, got.code, got.statuses, got.tools,
				got.log, got.seen)
		}
		if n := strings.Count(got.seen, "Run it?"); n != len(answers) {
			t.Errorf("%q: asked %d times\n%s", answers, n, got.seen)
		}
	}
	check("shared", puts, cli.ExitOK, "fixed, fixed, fixed", "toola toolb toolc",
		"run toola, done toola fixed, run toolb, done toolb fixed, run toolc, done toolc fixed", "y\n", "YES\n", "Y\n")
	check("destructive", puts, cli.ExitGate, "fixed, declined, fixed", "toola toolc",
		"run toola, done toola fixed, run toolc, done toolc fixed", "y\n", "n\n", "y\n")
	check("shared", puts, cli.ExitGate, "declined, declined, declined", "", "", "\n", "maybe\n", "no\n", "n\n")
	check("shared", puts, cli.ExitGate, "fixed, declined, declined", "toola", "run toola, done toola fixed", "y\n",
		"s\n")
	check("shared", puts, cli.ExitGate, "declined, declined, declined", "", "", "q\n")
	check("shared", "true {{.Command}}", cli.ExitGate, "not fixed, declined, declined", "",
		"run toola, done toola not_fixed", "y\n", "q\n")
	check("shared", puts+"; exit 3", cli.ExitGate, "fixed, declined, declined", "toola", "run toola, done toola fixed",
		"y\n", "q\n")
	const ctrlC, ctrlD = "\x03", "\x04"
	check("shared", puts, cli.ExitInterrupted, "fixed, declined, declined", "toola", "run toola, done toola fixed",
		"y\n", ctrlC)
	check("shared", puts, cli.ExitInterrupted, "declined, declined, declined", "", "", ctrlD)
	check("shared", puts, cli.ExitInterrupted, "declined, declined, declined", "", "", "y"+ctrlC) // not yet sent
}

// TestRepairFixShows what is about to be run, as it is run, and nothing that
// moves the cursor.
func TestRepairFixShows(t *testing.T) {
	p := newPatient(t, "destructive", "rm -rf {{.Command}}.old; : $'\\e[2J'")
	got := p.types([]string{"q\n"}, "--yes") // destructive: asked about all the same
	want := "path-command: .tool-versions asks for toola, which is not on PATH\n" +
		"  Put toola there (tool-absent/put, destructive)\n    rm -rf 'toola'.old; : $'\\e[2J'\nRun it? [y/N/s/q] "
	if !strings.HasPrefix(got.seen, want) {
		t.Errorf("%q, want %q", got.seen, want)
	}
	p.write(".tool-versions", "a\x1b[31mb 1\ntoola 1\n") // no name of a program: nothing is said of it
	if got := p.types([]string{"q\n"}); strings.Contains(got.seen, "\x1b") || len(got.statuses) != 1 {
		t.Errorf("%q %q", got.seen, got.statuses)
	}
}

// TestRepairFixUnrecorded: what can't be recorded is not run, though it was
// agreed to.
func TestRepairFixUnrecorded(t *testing.T) {
	p := newPatient(t, "shared", puts)
	p.write("state", "a file where the directory would be")
	got := p.types([]string{"y\n"})
	if got.code != cli.ExitInfra || len(got.tools) > 0 || !slices.Contains(got.statuses, "refused") ||
		!strings.Contains(got.seen, "recording what is run") {
		t.Errorf("exit code %d, %q, tools %q\n%s", got.code, got.statuses, got.tools, got.seen)
	}
}
