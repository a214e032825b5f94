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
	check("npm test", "getaddrinfo ENOTFOUND example.com", "leaves such tests out", "a test")
	check("go test ./...", "x.go:1: got 3", "", "x TestA")
	check("python3 -m pytest", "E   ModuleNotFoundError: No module named 'numpy'", "") // holds eNotFound
}
