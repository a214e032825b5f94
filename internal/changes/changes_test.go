package changes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is the user's work is seen, and nothing else.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"recipe.md", "a/b.go", ".git/HEAD", ".cookoff/runs/x", "a/.b.go.swp", "report.html",
		"gone"} {
		write(t, filepath.Join(dir, name), "1")
	}
	look := func() Seen {
		t.Helper()
		s, err := Look([]string{dir, filepath.Join(dir, "nowhere")}, []string{filepath.Join(dir, "report.html")})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := look()
	if len(before) != 3 {
		t.Errorf("%v", before)
	}
	for _, name := range []string{".git/HEAD", ".cookoff/runs/x", "a/.b.go.swp", "report.html"} {
		write(t, filepath.Join(dir, name), "22")
	}
	if what := look().Since(before); len(what) > 0 {
		t.Errorf("noticed %v", what)
	}
	write(t, filepath.Join(dir, "a/b.go"), "22")
	write(t, filepath.Join(dir, "new"), "1")
	if err := os.Remove(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "a/b.go"), filepath.Join(dir, "gone"), filepath.Join(dir, "new")}
	if what := look().Since(before); !slices.Equal(what, want) {
		t.Errorf("noticed %v", what)
	}
}

// It waits for the last of several files, and ends with its context.
func TestWait(t *testing.T) {
	looks := []Seen{{"a": {size: 1}}, {"a": {size: 2}}, {"a": {size: 2}, "b": {}}, {"a": {size: 2}, "b": {}}}
	tick := make(chan time.Time, len(looks))
	for range looks {
		tick <- time.Time{}
	}
	n := 0
	look := func() (Seen, error) {
		n++
		return looks[n-1], nil
	}
	what, err := Wait(t.Context(), tick, looks[0], look)
	if err != nil || !slices.Equal(what, []string{"a", "b"}) || n != 4 {
		t.Errorf("%v %v after %d looks", what, err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Wait(ctx, nil, nil, look); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
