package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestView: the program prints the address first, serves the page there, and
// Ctrl-C ends it as it should end.
func TestView(t *testing.T) {
	exe, err := exec.LookPath("cookoff")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hung)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "view", filepath.Join("..", "..", "testdata", "journals", "mixed.jsonl"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(page), "<h1>kitchen sink</h1>") {
		t.Errorf("%s answers %s: %.200q, %v", address, res.Status, page, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.HasPrefix(stderr.String(), "showing ") {
		t.Errorf("ended with %v; it said %q", err, &stderr)
	}
}
