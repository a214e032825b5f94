package sandboxcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
)

// called is what a command printed, and its exit code (2: a plain error).
type called struct {
	out, err string
	code     int
}

func call(t *testing.T, stdin string, args ...string) called {
	t.Helper()
	var out, errs bytes.Buffer
	backend := native.New(native.Options{Dir: t.TempDir()})
	c := Command(Env{Stdin: strings.NewReader(stdin), Out: &out, Err: &errs,
		Backend: func() (sandbox.Backend, error) { return backend, nil }})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	err := c.ExecuteContext(t.Context())
	var exit *ExitError
	switch {
	case errors.As(err, &exit):
		if exit.Err != nil {
			errs.WriteString(exit.Err.Error())
		}
		return called{out.String(), errs.String(), exit.Code}
	case err != nil:
		return called{out.String(), errs.String() + err.Error(), 2}
	}
	return called{out.String(), errs.String(), 0}
}

func (c called) want(t *testing.T, code int, out, err string) {
	t.Helper()
	if c.code != code || c.out != out || !strings.Contains(c.err, err) || err == "" && c.err != "" {
		t.Errorf("exit %d, printed %q and %q; want %d, %q and %q", c.code, c.out, c.err, code, out, err)
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	call(t, "", "run", "--", "bash", "-c", "echo out; echo err >&2; exit 3").want(t, 3, "out\n", "err\n")
	call(t, "", "run", "--workdir", dir, "--", "bash", "-c", "cat f; echo after > f; cat f").want(t, 0,
		"before\nafter\n", "")
	if b, _ := os.ReadFile(filepath.Join(dir, "f")); string(b) != "before\n" {
		t.Errorf("the directory was written: %q", b)
	}
	call(t, "", "run", "--workdir", dir, "--filesystem", "read_only", "--", "touch", "/work/g").want(t, 1,
		"", "Read-only")
	call(t, "in", "run", "--stdin", "--", "cat").want(t, 0, "in", "")
	call(t, "in", "run", "--", "cat").want(t, 0, "", "")
	call(t, "", "run", "--env", "A=1", "--", "bash", "-c", "echo $A").want(t, 0, "1\n", "")
	call(t, "", "run", "--ro", dir+":/opt/d", "--", "cat", "/opt/d/f").want(t, 0, "before\n", "")
	call(t, "", "run", "--timeout", "200ms", "--", "sleep", "1000").want(t, 124, "", "timeout")
	call(t, "", "run", "--", "no-such-program").want(t, 127, "", "not found")
	call(t, "", "run", "--", "bash", "-c", "kill -9 $$").want(t, 137, "", "")
}

func TestSetupFails(t *testing.T) {
	call(t, "", "run", "--filesystem", "readonly", "--", "true").want(t, 125, "",
		`unknown file system policy "readonly"`)
	call(t, "", "run", "--network", "off", "--", "true").want(t, 125, "", `unknown network policy "off"`)
	call(t, "", "run", "--network", "allow", "--", "true").want(t, 125, "", "--network allow without --allow-host")
	call(t, "", "run", "--allow-host", "a.example", "--", "true").want(t, 125, "",
		"--allow-host without --network allow")
	call(t, "", "run", "--network", "allow", "--allow-host", "10.0.0.1", "--", "true").want(t, 125, "",
		"it is an address")
	call(t, "", "run", "--network", "allow", "--allow-host", "a.example", "--", "bash", "-c",
		"exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT b.example:443 HTTP/1.1\r\n\r\n"+
			"' >&3; head -1 <&3 | grep -o 403").want(t, 0, "403\n", "")
	call(t, "", "run", "--profile", "x", "--", "true").want(t, 125, "", `unknown profile "x"`)
	call(t, "", "run", "--ro", "/nonexistent/x:/x", "--", "true").want(t, 125, "", "no such file")
	call(t, "", "run", "--ro", "x", "--", "true").want(t, 125, "", "not SRC:DST")
	call(t, "", "run", "--workdir", "/nonexistent/x", "--", "true").want(t, 125, "", "no such file")
	call(t, "", "run", "--memory", "lots", "--", "true").want(t, 2, "", "not a size")
	call(t, "", "run").want(t, 2, "", "sandbox run needs a command")
	call(t, "", "run", "--", "").want(t, 2, "", "sandbox run needs a command")
	call(t, "", "shell", "id").want(t, 2, "", `takes no argument: "id"`)
	for _, f := range []string{"processes", "files", "timeout"} {
		call(t, "", "run", "--"+f, "0", "--", "true").want(t, 125, "", "--"+f+" must be above 0")
	}
	call(t, "", "run", "--hide", "[", "--", "true").want(t, 125, "", `--hide "[" is not a valid glob`)
	call(t, "", "run", "--ro", "/etc:rel", "--", "true").want(t, 125, "", "not SRC:DST")
	call(t, "", "run", "--json-file", "/nonexistent/r", "--", "echo", "ran").want(t, 125, "", "--json-file: ")
}

func TestReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.json")
	check := func(want report, args ...string) {
		t.Helper()
		call(t, "", append([]string{"run", "--json-file", file}, args...)...)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got report
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		got.DurationMS, got.Error = 0, ""
		if got != want {
			t.Errorf("%q reported %+v, want %+v", args, got, want)
		}
	}
	check(report{Exit: 5}, "--", "bash", "-c", "exit 5")
	check(report{Exit: 124, Signal: "SIGKILL", Reason: "timeout"}, "--timeout", "100ms", "--", "sleep", "100")
	check(report{Exit: SetupFailed}, "--network", "off", "--", "true")
}

func TestShell(t *testing.T) {
	c := call(t, "echo $((6*7)); pwd\nexit 4\n", "shell")
	if c.code != 4 || !strings.Contains(c.out, "42\n") || !strings.Contains(c.out, "/work\n") {
		t.Errorf("exit %d, printed %q and %q", c.code, c.out, c.err)
	}
}

func TestSize(t *testing.T) {
	check := func(text string, want int64, again string) {
		t.Helper()
		var s size
		if err := s.Set(text); err != nil || int64(s) != want || s.String() != again {
			t.Errorf("%q is %d, %q, %v; want %d, %q", text, s, s.String(), err, want, again)
		}
	}
	check("65536", 65536, "65536")
	check("512MiB", 512<<20, "512MiB")
	check("2g", 2<<30, "2GiB")
	check("1024m", 1<<30, "1GiB")
	check("10b", 10, "10")
	check("3k", 3072, "3072")
	for _, bad := range []string{"", "x", "-1", "0", "9999999999g", "1.5g", "1tb"} {
		var s size
		if s.Set(bad) == nil {
			t.Errorf("%q was taken for %d bytes", bad, s)
		}
	}
}
