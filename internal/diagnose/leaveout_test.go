package diagnose

import (
	"strings"
	"testing"
)

// TestLeaveOut: what no model can mend is said, with the command that does without.
func TestLeaveOut(t *testing.T) {
	check := func(test, output, want string, failed ...string) {
		t.Helper()
		if got := LeaveOut(test, output, failed); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	lookup := "dial tcp: lookup proxy.example on 127.0.0.53:53: no such host"
	check("go test ./...", lookup, "--test-command \"go test -skip", "x TestNet", "x TestNet/sub")
	check("go test ./...", lookup, "^(TestNet)", "x TestNet", "x TestNet/sub")
	check("go test ./...", lookup, "^(TestA|TestNet)", "x TestA", "y TestNet")
	check("python3 -m pytest", "socket.gaierror: [Errno -3] Temporary failure in name resolution", "--deselect",
		"tests/a.py::test_net")
	check("go test ./...", "open /dev/tty: no such device or address", "speaks of a terminal", "x TestTTY")
	check("python3 -m pytest", "OSError: [Errno 6] No such device or address: '/dev/tty'", "--deselect", "a.py::t")
	check("go test ./...", "device /dev/tty is not listed", "", "x TestDevices")
	check("npm test", "getaddrinfo ENOTFOUND example.com", "leaves such tests out", "a test")
	check("go test ./...", "x.go:1: got 3", "", "x TestA")
	check("python3 -m pytest", "E   ModuleNotFoundError: No module named 'numpy'", "") // holds eNotFound
}

// TestWithout: a test is left out that alone fails for want of what no sandbox has; who fails beside it may be mended.
func TestWithout(t *testing.T) {
	check := func(test, output, want string, failed ...string) {
		t.Helper()
		if got := Without(test, output, failed); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	lookup := "dial tcp: lookup proxy.example on 127.0.0.53:53: no such host"
	check("go test ./...", lookup, "go test -skip '^(TestNet)$' ./...", "a/b TestNet", "a/b TestNet/one")
	check("go test ./...", lookup, "", "a/b TestNet", "a/b TestSum")
	check("go test ./...", lookup, "", "a/b TestNet", "a/c TestNet")
	check("go test ./...", "got 3, want 4", "", "a/b TestSum")
	check("go test ./...", lookup, "")
	check("python3 -m pytest", "socket.gaierror: getaddrinfo failed",
		"python3 -m pytest --deselect 'tests/a.py::test_net[1]' --deselect 'tests/a.py::test_net[2]'",
		"tests/a.py::test_net[1]", "tests/a.py::test_net[2]")
	check("python3 -m pytest", "getaddrinfo failed", "", "tests/a.py::test_net", "tests/b.py::test_net")
	check("npm test", "getaddrinfo ENOTFOUND example.com", "", "fetches")
}
