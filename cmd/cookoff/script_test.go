package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"cookoff/contestant/acp/acptest"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/daily"
	"cookoff/internal/ui/screen"
	"cookoff/runner/clock"
	"cookoff/sandbox/native"
	"cookoff/trial"
)

// hung is when a test takes what it waits for as never to come.
const hung = 5 * time.Minute

var update = flag.Bool("update", false, "rewrite the files that scripts compare with")

// programs are what the test binary can be.
var programs = map[string]func(){
	"cookoff":        main,
	"cookoff-nowait": impatient,
	"cookoff-hasty":  hasty,
	"cookoff-cut":    cutOff,
	"stuck":          stuck,
	"loopback-up":    loopbackUp,
	"fake-agent":     func() { os.Exit(acptest.Main(os.Args[1:])) },
}

// TestMain lets the test binary be the program, in scripts, and the guest of a
// sandbox.
func TestMain(m *testing.M) { testscript.Main(m, programs) }

// impatient is main with a clock that does not wait for providers.
func impatient() { withClock(noWait{}) }

// hasty is main with a clock that waits for nothing longer than a second.
func hasty() { withClock(shortWait{}) }

func withClock(c clock.Clock) {
	ctx, stop := cli.Interruptible(context.Background())
	d := withoutWaiting(nil)
	d.Clock = c
	code := carryOut(ctx, d, os.Args[1:])
	stop()
	os.Exit(code)
}

// cutOff is the program, which gets a signal once it has recorded an event:
// COOKOFF_CUT is the name of the signal and the number of the event, from 1. One
// that it can take it has taken before it goes on.
func cutOff() {
	ctx, stop := cli.Interruptible(context.Background())
	var name string
	var at, seen int
	if _, err := fmt.Sscanf(os.Getenv("COOKOFF_CUT"), "%s %d", &name, &at); err != nil {
		panic(err)
	}
	after := trial.SinkFunc(func(trial.Event) error { // one at a time
		if seen++; seen == at {
			_ = syscall.Kill(os.Getpid(), unix.SignalNum(name)) // a signal to oneself arrives
			<-ctx.Done()
		}
		return nil
	})
	code := carryOut(ctx, withoutWaiting(after), os.Args[1:])
	stop()
	os.Exit(code)
}

// withoutWaiting is the program with a clock that does not wait.
func withoutWaiting(after trial.Sink) *door.Door {
	return &door.Door{Common: &cli.Common{Stdin: os.Stdin, Getenv: os.Getenv,
		Out: screen.New(os.Stdout, os.Getenv, false),
		Err: screen.New(os.Stderr, os.Getenv, false)}, Clock: noWait{}, After: after}
}

type noWait struct{}

func (noWait) Now() time.Time { return time.Now() }

func (noWait) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

type shortWait struct{ clock.Real }

func (c shortWait) Sleep(ctx context.Context, d time.Duration) error {
	return c.Real.Sleep(ctx, min(d, time.Second))
}

// TestScripts runs every command, and every message that bad input meets.
func TestScripts(t *testing.T) {
	sandboxErr := native.New(native.Options{}).Check(t.Context())
	usersErr := sync.OnceValue(func() error { return native.TryUsers(t.Context()) })
	if sandboxErr != nil {
		t.Logf("scripts that need a sandbox are skipped: %v", sandboxErr)
	}
	strongErr := sync.OnceValue(func() error { // asked by one script, and slow
		b, err := native.Choose(native.Choice{Name: native.GVisor}, native.Options{})
		if err == nil {
			err = b.Check(t.Context())
		}
		t.Logf("gVisor: %v", err)
		return err
	})
	testscript.Run(t, testscript.Params{
		Files:               scripts(t),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"agent":     agentPlay,
			"collector": collector,
			"endpoint":  endpoint,
			"asked":     asked,
			"lists":     lists,
			"reached":   reached,
			"code":      exitCode,
			"gone":      gone,
			"there":     there,
			"sub":       substitute,
			"ended":     ended,
			"journal":   journal,
			"sigterm":   sigterm,
			"watch":     watch,
			"page":      page,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "sandbox":
				return sandboxErr == nil, nil
			case "users":
				return usersErr() == nil, nil
			case "gvisor":
				return !testing.Short() && strongErr() == nil, nil
			}
			return false, nil
		},
	})
}

// Scripts that open sandboxes play in so many days; with -short, in so many more.
const (
	scriptDays      = 3
	shortScriptDays = 24
)

// rarely is a comment of scripts that take half a minute or more.
var rarely = regexp.MustCompile(`(?m)^# plays one day in (\d+)$`)

// scripts are the files that play: those of the day, and always those that open no sandbox.
func scripts(t *testing.T) (play []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("..", "..", "testdata", "script", "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		days, shortDays := int64(1), int64(1)
		if m := rarely.FindSubmatch(text); m != nil {
			if days, err = strconv.ParseInt(string(m[1]), 10, 64); err != nil {
				t.Fatal(err)
			}
			shortDays = 8 * days
		} else if strings.Contains(string(text), "[!sandbox]") {
			days, shortDays = scriptDays, shortScriptDays
		}
		if daily.Plays(filepath.Base(file), days, shortDays) {
			play = append(play, file)
		}
	}
	t.Logf("%d of %d scripts play", len(play), len(all))
	return play
}

// setup gives each script a home of its own and the build cache of the
// machine; no key and no configuration of whoever runs the tests gets in.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("TERM", "dumb")
	env.Setenv("GORACE", "atexit_sleep_ms=0") // else each program waits a second at its end
	if cache, err := os.UserCacheDir(); err == nil {
		env.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	}
	if dir := os.Getenv("GOCACHE"); dir != "" {
		env.Setenv("GOCACHE", dir)
	}
	if modules, err := exec.Command("go", "env", "GOMODCACHE").Output(); err == nil {
		env.Setenv("MODULES", strings.TrimSpace(string(modules)))
	}
	recipes, err := filepath.Abs(filepath.Join("..", "..", "testdata", "script", "recipes"))
	if err != nil {
		return err
	}
	env.Setenv("RECIPES", recipes)
	docs, err := filepath.Abs(filepath.Join("..", "..", "docs"))
	if err != nil {
		return err
	}
	env.Setenv("DOCS", docs)
	project := filepath.Join(env.WorkDir, "p")
	env.Cd = project
	env.Values[endpointKey{}] = new(endpointState)
	for _, dir := range []string{home, project} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// exitCode is "code N PROGRAM…": the program ends with exit code N.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program [args...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// substitute is "sub FILE OLD NEW": every OLD in FILE becomes NEW.
func substitute(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: sub FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o644))
}

// journal is "journal WORDS": the journal of the latest run has them.
func journal(ts *testscript.TestScript, neg bool, args []string) {
	path, err := trial.FindRun(ts.MkAbs("."), "")
	ts.Check(err)
	if words := strings.Join(args, " "); strings.Contains(ts.ReadFile(path), words) == neg {
		ts.Fatalf("%s: found %q: %v", path, words, neg)
	}
}

// stuck is a program that takes no notice of its context.
func stuck() {
	ctx, _ := cli.Interruptible(context.Background())
	fmt.Println("begun")
	<-ctx.Done()
	fmt.Println("asked to end")
	select {}
}

// TestSecondSignal: after the first signal Ctrl-C ends the process at once, even
// one that hangs.
func TestSecondSignal(t *testing.T) {
	stuckEnds(t, os.Interrupt)
}

// TestSignalsThatComeTwice: timeout(1) sends SIGTERM twice, a terminal that is
// closed hangs up twice; neither is a person who wants out at once.
func TestSignalsThatComeTwice(t *testing.T) {
	stuckEnds(t, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGHUP)
	stuckEnds(t, syscall.SIGHUP, syscall.SIGHUP, syscall.SIGTERM)
}

// stuckEnds sends the first signal to a program that takes no notice of its
// context, then the others, none of which may end it, then SIGINT, which must.
func stuckEnds(t *testing.T, first os.Signal, others ...os.Signal) {
	t.Helper()
	exe, err := exec.LookPath("stuck")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hung)
	defer cancel()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt) // or what a shell started with & hands its ignoring of SIGINT down
	defer signal.Stop(caught)
	cmd := exec.CommandContext(ctx, exe)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	send := func(signals ...os.Signal) {
		t.Helper()
		for _, s := range signals {
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	lines := bufio.NewReader(out)
	says := func(want string) {
		t.Helper()
		if got, err := lines.ReadString('\n'); got != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	}
	says("begun\n")
	send(first)
	says("asked to end\n")
	send(append(others, os.Interrupt)...)
	err = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("ended with %v, want to be ended by SIGINT", err)
	}
}
