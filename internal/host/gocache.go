package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/internal/cachedir"
	"cookoff/internal/files"
	"cookoff/internal/pattern"
	"cookoff/internal/temporary"
	"cookoff/recipe"
)

// warmed are the packages of the standard library that tests and small
// programs need most: a trial starts with them compiled, and looked through by vet as
// every go test does, which takes longer than a small test otherwise.
var warmed = strings.Fields(
	"fmt strings sort strconv encoding/json flag os/exec regexp time bufio text/template math/big log")

// GoCache gives the build cache that trials of r start with, copy-on-write: the
// compiled standard library and nothing else, cookoff's own and never the
// user's, which holds their other projects. It is made once a Go version, by
// the user's own tool chain, when a recipe has work for Go. "" is none: then
// each trial compiles what it needs. A nil r makes none.
func (h *Host) GoCache(ctx context.Context, r *recipe.Recipe) string {
	root := GoRoot()
	cache, err := cachedir.Path("go-build")
	if root == "" || err != nil || !OnLinux { // a container has the Go of its image
		return ""
	}
	version, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(append([]byte(root+"\n"+warmTest()), version...))
	dir := filepath.Join(cache, hex.EncodeToString(sum[:8]))
	if files.IsDir(dir) {
		now := time.Now()
		_ = os.Chtimes(dir, now, now) // it only says that it is used
		return dir
	}
	if r == nil || !h.hasGoWork(r) {
		return ""
	}
	h.say(Notice{Text: "compiling Go's standard library for the sandbox, once: some 20 seconds of a processor"})
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	if h.AtEnd != nil { // a screen that is left does not wait for it
		h.AtEnd(halting{stop, done})
	}
	err = warmGoCache(ctx, root, dir)
	close(done)
	if err != nil {
		if ctx.Err() != nil {
			return ""
		}
		h.say(Notice{Text: fmt.Sprintf("warning: no warm Go build cache, trials compile for themselves: %v", err)})
		return ""
	}
	return dir
}

// halting is work that must have ended before the program does: it is told to
// stop, and waited for.
type halting struct {
	stop context.CancelFunc
	done <-chan struct{}
}

func (e halting) Close() error {
	e.stop()
	<-e.done
	return nil
}

// goCommand is a command that compiles.
var goCommand = pattern.New(`\bgo\s+(test|build|run|vet|install|generate)\b`)

// hasGoWork reports whether trials of r will compile Go programs that are worth
// a warm cache. The built-in tasks are made to do without, but those of the bench.
func (h *Host) hasGoWork(r *recipe.Recipe) bool {
	switch from := r.SectionSource("tasks"); {
	case from == "builtin:bench":
		return slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool { return slices.Contains(t.Needs, "go") })
	case strings.HasPrefix(from, "builtin:"):
		return false
	}
	if _, err := os.Stat(filepath.Join(h.Dir, "go.mod")); err == nil {
		return true
	}
	return goCommand.MatchString(r.MarshalMarkdown())
}

// warmTest is a test that needs what is warmed.
func warmTest() string {
	var b strings.Builder
	b.WriteString("package warm\n\nimport (\n\t\"testing\"\n")
	for _, name := range warmed {
		fmt.Fprintf(&b, "\t_ %q\n", name)
	}
	b.WriteString(")\n\nfunc TestNothing(*testing.T) {}\n")
	return b.String()
}

// warmGoCache compiles into a directory beside dir and moves it there when
// whole. Nothing of a project takes part: only the user's tool chain.
func warmGoCache(ctx context.Context, root, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := temporary.Dir(filepath.Dir(dir), "new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	module := filepath.Join(tmp, "module")
	if err := os.Mkdir(module, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": "module warm\n\ngo 1.21\n", "warm_test.go": warmTest()} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(root, "bin", "go"), "test")
	cmd.Dir = module
	togetherEnded(cmd)
	// As in the sandbox, or the results would not be found there.
	cmd.Env = []string{"HOME=" + tmp, "PATH=/usr/local/bin:/usr/bin:/bin", "GOCACHE=" + tmp, "GOTOOLCHAIN=local",
		"GOPROXY=off", "GOFLAGS=", "GOENV=off", "GOWORK=off", "GOTELEMETRY=off"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return &warmError{strings.TrimSpace(string(out)), err}
	}
	if err := os.RemoveAll(module); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(tmp, ".config")); err != nil { // the tool chain notes things in any HOME
		return err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil && !files.IsDir(dir) { // another run may have been first
		return err
	}
	return nil
}

// warmError is a tool chain that could not compile its own library.
type warmError struct {
	output string
	err    error
}

func (e *warmError) Error() string { return e.err.Error() + ": " + e.output }
