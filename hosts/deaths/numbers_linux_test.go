package deaths

import (
	"path/filepath"
	"testing"

	"cookoff/sandbox/native"
	"cookoff/sandbox/sandboxtest"
)

// BenchmarkSSH is a command in a world behind a real ssh, and right after it the same in a
// world of this process.
func BenchmarkSSH(b *testing.B) {
	config := filepath.Join(engines(b, "ssh"), "config")
	sandboxtest.Against(b, host(b, append([]string{"ssh", "-F", config, "hand-1"}, hand()...)...),
		native.New(native.Options{Dir: filepath.Join(b.TempDir(), "w")}))
}
