// Scripted shows a whole comparison without a key: it serves an
// OpenAI-compatible endpoint on 127.0.0.1 that plays three contestants on
// examples/ledger, and runs cookoff against it.
//
//	go build -o cookoff ./cmd/cookoff
//	go run ./examples/scripted ./cookoff
//
// No model is behind it. What the contestants say and do was written by hand,
// see plays.go; the sandbox, the tools, the judging and the table are real.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"cookoff/model/openai/openaitest"
)

// project is where the contestants' task is, seen from the root of the repository.
const project = "examples/ledger"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Stdout, os.Stderr, os.Args[1:]))
}

// run serves until the cookoff at args[0] has ended, and gives its exit
// status; what follows in args is added to its command line.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(stderr, "scripted: which cookoff?\n"+
			"  hint: go build -o cookoff ./cmd/cookoff && go run ./examples/scripted ./cookoff")
		return 2
	}
	binary, err := filepath.Abs(args[0])
	if err != nil {
		fmt.Fprintln(stderr, "scripted:", err)
		return 2
	}
	server := openaitest.NewFunc(answer)
	defer server.Close()
	var models []string
	for _, p := range plays() {
		models = append(models, "openai/"+p.model)
	}
	fmt.Fprintf(stderr, "scripted: %s are no models: they follow a script, served at %s\n", strings.Join(models, ", "),
		server.URL)
	models = append([]string{"baseline/noop"}, append(models, "baseline/oracle")...)

	cmd := exec.CommandContext(ctx, binary, append([]string{"run", "--models", strings.Join(models, ",")}, args[1:]...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = project, stdout, stderr
	cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+server.URL, "OPENAI_API_KEY="+rand.Text())
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err = cmd.Run()
	if broken := server.Check(); broken != nil {
		fmt.Fprintln(stderr, "scripted:", broken)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(stderr, "scripted:", err)
		return 2
	}
	return cmd.ProcessState.ExitCode()
}

// answer gives the next reply of the contestant that is asked. Where it is in
// its script follows from how often it has spoken.
func answer(_ int, r *openaitest.Request) openaitest.Step {
	said := 0
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			said++
		}
	}
	for _, p := range plays() {
		if p.model == r.Model && said < len(p.replies) {
			return openaitest.Reply(p.replies[said])
		}
	}
	return nil
}
