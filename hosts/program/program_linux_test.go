package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fake is a program that says hello.
func fake(t *testing.T) *Program {
	t.Helper()
	p := &Program{Path: filepath.Join(t.TempDir(), "program"), Build: "b1"}
	// It is much, so that whoever takes none of it is noticed.
	text := "#!/bin/sh\nread -r line; echo \"hello $line of $0 $*\"; exit\n" + strings.Repeat("# 0123456789\n", 40_000)
	if err := os.WriteFile(p.Path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCommand: the program is sent once, hears nothing that was not said to it, and what is
// no shell, or takes nothing, is told by what it says.
func TestCommand(t *testing.T) {
	p, home := fake(t), t.TempDir()
	env := append(os.Environ(), "XDG_CACHE_HOME="+home)
	at := filepath.Join(home, "cookoff", "programs", "b1", "cookoff")
	for _, shell := range []string{"sh", "bash", "dash", "busybox"} {
		t.Run(shell, func(t *testing.T) {
			front := []string{"env"}
			if shell != "sh" {
				dir := t.TempDir()
				script := "#!/bin/sh\nexec " + shell + " " + map[bool]string{true: "sh"}[shell == "busybox"] + "\n"
				if err := os.WriteFile(filepath.Join(dir, "sh"), []byte(script), 0o700); err != nil {
					t.Fatal(err)
				}
				front = append(front, "PATH="+dir+":"+os.Getenv("PATH"))
			}
			if err := os.RemoveAll(home + "/cookoff"); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				conn, err := p.Command(append(front, "cookoff", "hand"), env)(t.Context())
				if err != nil && strings.Contains(err.Error(), "not found") {
					t.Skip(err)
				} else if err != nil {
					t.Fatal(err)
				}
				if _, err := conn.Write([]byte("you\n")); err != nil {
					t.Error(err)
				}
				b := make([]byte, 1000)
				n, err := conn.Read(b)
				if got, want := string(b[:n]), "hello you of "+at+" hand\n"; got != want {
					t.Errorf("%q, want %q: %v", got, want, err)
				}
				conn.Close()
			}
		})
	}
	for said, script := range map[string]string{
		"no shells here": "echo no shells here",
		"it did not arrive whole in": "read -r l; printf '\\000cookoff:wants Linux '; uname -m | tr -d '\\n'; " +
			"printf ' cat\\n'; read -r n; printf '\\000cookoff:it did not arrive whole in x\\n'",
		"it is Plan9 on mips":            "read -r l; printf '\\000cookoff:wants Plan9 mips cat\\n'; cat >/dev/null",
		"no shell answers: a machine of": "read -r l; printf '\\000cookoff:wants\\n'; cat >/dev/null",
		"it says something else":         "yes",
	} {
		_, err := p.Command([]string{"sh", "-c", script, "cookoff", "hand"}, env)(t.Context())
		if err == nil || !strings.Contains(err.Error(), said) || len(err.Error()) > 1000 {
			t.Errorf("want %q: %v", said, err)
		}
	}
	p.Step = time.Second
	for said, script := range map[string]string{
		"nothing came for 1s: ": "sleep 1000",
		"it said: Password:\nhint: the command must need no password": "printf Password:; sleep 1000",
		"no way to ask for a password": "printf Password: > /dev/tty || echo no way to " +
			"ask for a password >&2",
	} {
		_, err := p.Command([]string{"sh", "-c", script, "cookoff", "hand"}, env)(t.Context())
		if err == nil || !strings.Contains(err.Error(), said) || len(err.Error()) > 1000 {
			t.Errorf("want %q: %v", said, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Command([]string{"sh", "-c", "sleep 1000", "cookoff", "hand"}, env)(ctx); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
}
