package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"cookoff/internal/cli"
	"cookoff/sandbox/native"
)

// asks is a line in which a question waits for its answer.
var asks = regexp.MustCompile(`[?)\]] $`)

// answering runs cookoff in dir on a terminal where somebody answers each question,
// once it is shown, by a line of typed, and gives what appeared there and the exit code.
func answering(t *testing.T, dir, typed string, args ...string) (string, int) {
	t.Helper()
	return answeringAfter(t, "", dir, typed, args...)
}

// answeringAfter is answering where something was typed before the program began.
func answeringAfter(t *testing.T, ahead, dir, typed string, args ...string) (string, int) {
	t.Helper()
	ours, programs := terminal(t)
	exe, err := exec.LookPath("cookoff") // this test binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hung)
	defer cancel()
	home := dir + "-home" // no project: the same each time
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm", "NO_COLOR=1"}
	cmd.Stdin, cmd.Stderr = programs, programs
	if _, err := io.WriteString(ours, ahead); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	programs.Close()
	var seen bytes.Buffer
	answers := strings.SplitAfter(strings.TrimSuffix(typed, "\n"), "\n")
	for buf := make([]byte, 4096); ; {
		n, err := ours.Read(buf)
		if err != nil { // EIO when the program has ended
			break
		}
		seen.Write(buf[:n])
		if line := seen.Bytes()[bytes.LastIndexByte(seen.Bytes(), '\n')+1:]; len(answers) > 0 && asks.Match(line) {
			_, _ = io.WriteString(ours, strings.TrimSuffix(answers[0], "\n")+"\n")
			answers = answers[1:]
		}
	}
	err = cmd.Wait()
	if ee, ok := errors.AsType[*exec.ExitError](err); ok {
		return seen.String(), ee.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return seen.String(), 0
}

// makeProject is a project whose Makefile tests that answer says yes.
func makeProject(t *testing.T, answer string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"Makefile": "test:\n\tgrep -q yes answer\n", "answer": answer} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestInitAsks: what is answered wrong is asked again, and nothing is lost.
func TestInitAsks(t *testing.T) {
	dir := makeProject(t, "no\n")
	seen, code := answering(t, dir, "if true\n\nMake it right.\ngpt\nbaseline/noop, openai/some-model\n", "init")
	text, err := os.ReadFile(dir + "/recipe.md")
	if code != 0 || err != nil {
		t.Fatalf("exit code %d, %v:\n%s", code, err, seen)
	}
	for _, want := range []string{"\n- openai/some-model\n", "\nMake it right.\n", "```sh after\nmake test\n",
		"\nprotect: Makefile, "} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the recipe lacks %q:\n%s", want, text)
		}
	}
	for _, want := range []string{"Makefile proposes: make test", "[make test]", "error: parsing shell: ",
		"What are models told?",
		"[baseline/noop]", `model id "gpt" is not of the shape`, "wrote recipe.md"} {
		if !strings.Contains(seen, want) {
			t.Errorf("the terminal lacks %q:\n%s", want, seen)
		}
	}
	if n := strings.Count(seen, "What are models told?"); n != 1 {
		t.Errorf("an answer that was taken is asked for %d times:\n%s", n, seen)
	}
	if seen, _ := answering(t, dir, "", "init", "--force", "--no-input"); strings.Contains(seen, "?") {
		t.Errorf("--no-input asks:\n%s", seen)
	}
}

// TestYesOrNo: what is neither is asked again, and is never taken for yes.
func TestYesOrNo(t *testing.T) {
	dir := t.TempDir()
	seen, code := answering(t, dir, "true\nmaybe\nnope\nN\n-\n\n", "init")
	for _, want := range []string{`"maybe" is no answer here: yes, no`, `"nope" is no answer here: yes, no`,
		"nothing is broken, so there is nothing to mend"} {
		if !strings.Contains(seen, want) {
			t.Errorf("the terminal lacks %q, code %d:\n%s", want, code, seen)
		}
	}
}

// TestTypedAheadAnswersNothing: what was typed before a question could be read, and a paste
// that answers the first of them, answer none of those that follow.
func TestTypedAheadAnswersNothing(t *testing.T) {
	dir := makeProject(t, "no\n")
	seen, code := answeringAfter(t, "rm -rf /\nq\nn\n\n", dir, "\nMake it right.\nbaseline/noop\n", "init")
	text, err := os.ReadFile(dir + "/recipe.md")
	if code != cli.ExitOK || err != nil || strings.Contains(string(text), "rm -rf") ||
		!strings.Contains(string(text), "\nMake it right.\n") ||
		!strings.Contains(string(text), "sh after\nmake test\n") {
		t.Fatalf("exit code %d, %v:\n%s\n%s", code, err, seen, text)
	}
}

// TestInitOffersAFault: where nothing is broken, and no is an answer.
func TestInitOffersAFault(t *testing.T) {
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("the sandbox does not work here: %v", err)
	}
	dir := makeProject(t, "yes\n")
	seen, code := answering(t, dir, "\nn\ngrep -q no answer\n\n\n", "init")
	if code != cli.ExitOK {
		t.Fatalf("exit code %d:\n%s", code, seen)
	}
	for _, want := range []string{"green: it succeeds", "Plant a fault for models to find? [Y/n]",
		"there is nothing to mend", "red: it ends with exit status 1"} {
		if !strings.Contains(seen, want) {
			t.Errorf("the terminal lacks %q:\n%s", want, seen)
		}
	}
	text, err := os.ReadFile(dir + "/recipe.md")
	if err != nil || !strings.Contains(string(text), "```sh after\ngrep -q no answer\n") ||
		strings.Contains(string(text), "```sh setup") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// TestWhatInitAsksForRuns: who answers nothing has a recipe that lints and
// runs.
func TestWhatInitAsksForRuns(t *testing.T) {
	dir := t.TempDir()
	if seen, code := answering(t, dir, "\n\n", "init"); code != cli.ExitOK || !strings.Contains(seen,
		"an example is staged") {
		t.Fatalf("exit code %d:\n%s", code, seen)
	}
	if seen, code := answering(t, dir, "", "lint", "--strict"); code != cli.ExitOK || !strings.Contains(seen,
		"nothing is wrong") {
		t.Errorf("lint: exit code %d:\n%s", code, seen)
	}
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("the sandbox does not work here: %v", err)
	}
	if seen, code := answering(t, dir, "", "run", "--fail-under", "1:baseline/oracle"); code != cli.ExitOK {
		t.Errorf("run: exit code %d:\n%s", code, seen)
	}
}

// TestARecipeFromElsewhereIsAskedAbout: no is the answer to everything but yes.
func TestARecipeFromElsewhereIsAskedAbout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed here")
	}
	repo, dir := t.TempDir(), t.TempDir()
	text := "# Theirs \x1b[31m\n\nversion: 1\n\n## Models\n\n- baseline/noop\n\n## Tasks\n\n### One\n\nDo it.\n\n" +
		"```sh before\n! test -f x\n```\n```sh after\ntest -f x\n```\n"
	if err := os.WriteFile(repo+"/a.md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	source := "git+file://" + repo + "//a.md@main"
	for _, answer := range []string{"\n", "n\n", "maybe\nno\n"} {
		seen, code := answering(t, dir, answer, "run", source)
		if code != cli.ExitUsage || !strings.Contains(seen, "Run it? [y/N]") ||
			!strings.Contains(seen, "nothing was run") ||
			strings.Contains(seen, "\x1b[31m") {
			t.Errorf("%q: exit code %d:\n%s", answer, code, seen)
		}
	}
	if _, err := os.Stat(dir + "/.cookoff"); err == nil {
		t.Error("something was run")
	}
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("the sandbox does not work here: %v", err)
	}
	if seen, code := answering(t, dir, "y\n", "run", source); code != cli.ExitOK {
		t.Errorf("yes: exit code %d:\n%s", code, seen)
	}
	if seen, code := answering(t, dir, "", "run", source); code != cli.ExitOK || strings.Contains(seen, "Run it?") {
		t.Errorf("it is asked about again: exit code %d:\n%s", code, seen)
	}
}

// TestAnExpensiveRunIsAskedAbout: above confirm_above_usd, and not with --yes.
func TestAnExpensiveRunIsAskedAbout(t *testing.T) {
	asked := make(chan struct{}, 16)
	lab := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		http.Error(w, `{"error":{"message":"no such key"}}`, http.StatusUnauthorized)
	}))
	defer lab.Close()
	dir := t.TempDir()
	tiny, err := os.ReadFile("../../testdata/script/recipes/tiny.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	config := "confirm_above_usd = 0.01\n[providers.lab]\nbase_url = \"" + lab.URL +
		"\"\n[prices.\"lab/big\"]\ninput = 10\noutput = 10\n"
	for name, text := range map[string]string{"recipe.md": string(tiny), "c.toml": config} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"run", "--config", "c.toml", "--models", "lab/big"}
	seen, code := answering(t, dir, "n\n", args...)
	if code != cli.ExitUsage || !strings.Contains(seen,
		"The run will probably cost $0.28, between $0.084 and $1.04 (confirm_above_usd is $0.01).") ||
		!strings.Contains(seen, "Run it? [y/N]") || !strings.Contains(seen, "nothing was run") || len(asked) > 0 {
		t.Errorf("no: exit code %d:\n%s", code, seen)
	}
	if seen, code := answering(t, dir, "", append(args, "--no-input")...); code != cli.ExitUsage ||
		strings.Contains(seen, "[y/N]") {
		t.Errorf("--no-input: exit code %d:\n%s", code, seen)
	}
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("the sandbox does not work here: %v", err)
	}
	for answer, more := range map[string]string{"y\n": "-v", "": "--yes"} {
		if seen, code := answering(t, dir, answer, append(args, more)...); code != cli.ExitInfra || len(asked) == 0 {
			t.Errorf("%q, %s: exit code %d, the model was asked %d times:\n%s", answer, more, code, len(asked), seen)
		}
		for len(asked) > 0 {
			<-asked
		}
	}
}
