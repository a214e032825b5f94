package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The slow model commands as often as it is to, and ends.
func TestSlowModelEnds(t *testing.T) {
	server := httptest.NewServer(slow{time.Millisecond})
	defer server.Close()
	ask := func(said int) string {
		body := `{"messages":[{"role":"user"}` + strings.Repeat(`,{"role":"assistant"},{"role":"tool"}`, said) + `]}`
		resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var text strings.Builder
		if err := resp.Write(&text); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	for said := range answers {
		if got, last := ask(said), said == answers-1; strings.Contains(got, `"tool_calls"`) == last {
			t.Errorf("after %d replies: %s", said, got)
		}
	}
}

func TestNumberOfAnArgument(t *testing.T) {
	b := &bench{args: []string{"7", "x", "0"}}
	if got, err := b.number(0, 3); got != 7 || err != nil {
		t.Errorf("got %d, %v, want 7", got, err)
	}
	if got, err := b.number(3, 5); got != 5 || err != nil {
		t.Errorf("got %d, %v, want 5, what is taken otherwise", got, err)
	}
	for n := 1; n < 3; n++ {
		if _, err := b.number(n, 1); err == nil {
			t.Errorf("%q was taken for a number of trials", b.args[n])
		}
	}
}

// standIn is a bench whose cookoff writes its arguments to a file and does what script says: what
// measures is tried, not what is measured.
func standIn(t *testing.T, script string, args ...string) (b *bench, called func() string) {
	t.Helper()
	for _, name := range []string{"sh", "go", "git", "cp"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	b = &bench{dir: dir, cookoff: filepath.Join(dir, "cookoff"), args: args}
	text := "#!/bin/sh\necho \"$*\" >> " + filepath.Join(dir, "called") + "\n" + script + "\n"
	if err := os.WriteFile(b.cookoff, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return b, func() string {
		text, err := os.ReadFile(filepath.Join(dir, "called"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

func TestScaleRunsOneAndAll(t *testing.T) {
	b, called := standIn(t, "test -s recipe.md && grep -q 'concurrency = 3$' ../cookoff.toml", "3", "1")
	if err := scale(b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(called()), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], "--trials 1") || strings.Contains(lines[1], "--trials") {
		t.Errorf("called as %q, want one trial and then all", lines)
	}
}

func TestProjectsMakesItsFiles(t *testing.T) {
	b, called := standIn(t, "test -s recipe.md && test -z \"$(git status --porcelain 2> /dev/null)\"", "150")
	if err := projects(b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(called(), "run --yes\n"); n != 6 {
		t.Errorf("%d runs, want three of the project and three of an empty one", n)
	}
	found, err := filepath.Glob(filepath.Join(b.dir, "p", "d*", "*.go"))
	if err != nil || len(found) != 150 {
		t.Errorf("%d files, %v, want 150", len(found), err)
	}
}

func TestStartMeasuresEachAHundredTimes(t *testing.T) {
	b, called := standIn(t, ":")
	if err := start(b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(called(), "version\n"); n != rounds {
		t.Errorf("version was started %d times, want %d", n, rounds)
	}
}

func TestWhatFailsIsNotMeasured(t *testing.T) {
	b, _ := standIn(t, "echo no world >&2; exit 3", "100")
	for name, measure := range map[string]func(*bench) error{"start": start, "worlds": worlds, "scale": scale,
		"projects": projects} {
		if err := measure(b); err == nil || !strings.Contains(err.Error(), "no world") {
			t.Errorf("%s: %v, want what the program said", name, err)
		}
		if err := os.RemoveAll(filepath.Join(b.dir, "p")); err != nil {
			t.Fatal(err)
		}
	}
}
