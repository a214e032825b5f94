package versions

import (
	"strings"
	"testing"
)

func TestBoundaries(t *testing.T) {
	check := func(pattern, version, out string, want bool) {
		t.Helper()
		if got, _ := Expand(pattern, version).In(out); got != want {
			t.Errorf("%q with %q in %q: %v, want %v", pattern, version, out, got, want)
		}
	}
	check("{version}", "1.2.3", "tool 1.2.3\n", true)
	check("{version}", "1.2.3", "tool 11.2.30", false)
	check("{version}", "1.2.3", "tool 11.2.3", false)
	check("{version}", "1.2.3", "tool 1.2.30", false)
	check("{version}", "1.2.3", "tool 0.1.2.3", false)
	check("{version}", "1.2.3", "tool 1.2.3.4", false)
	check("{version}", "1.2.3", "tool 1.2.3-rc.1", false)
	check("{version}", "1.2.3", "tool 1.2.3+dirty", false)
	check("{version}", "1.2.3", "tool 1.2.3a", false)
	check("{version}", "1.2.3", "tool 1.2.3_alpha", false)
	check("{version}", "1.2.3", "tool 2.0.0-1.2.3", false)
	check("{version}", "1.2.3", "This is 1.2.3.", true)
	check("{version}", "1.2.3", "This is 1.2.3. And more", true)
	check("{version}", "1.2.3", "1.2.3-", true)
	check("{version}", "1.2.3", "1.2.4, not 11.2.3, but 1.2.3", true)
	check("{version}", "1.2.3", "v1.2.3", true)
	check("{version}", "1.2.3", "rev1.2.3", false)
	check("v{version}", "1.2.3", "rev1.2.3", false)
	check("{version}", "1.9.4", "lz4-1.9.4 (lz4)", true)
	check("{version}", "8.5.0", "curl/8.5.0 (x86_64)", true)
	check("{version}", "9.2p1", "OpenSSH_9.2p1, OpenSSL", true)
	check("{version}", "1.2.3", "１1.2.3", false)
	check("{version}", "v20.10.0", "v20.10.0\r\n", true)
	check("go{version}", "1.21.0", "go version go1.21.0 linux/amd64", true)
	check("go{version}", "1.21.0", "go1.21.01", false)
	check("{version}-rc.1", "1.2.3", "1.2.3-rc.1", true)
	check("{version}-rc.1", "1.2.3", "1.2.3-rc.12", false)
	check("{version}-rc", "1.2.3", "1.2.3-rc.1", false)
	check("{version}-linux", "1.2.3", "tool-1.2.3-linux-amd64", true)
	check("{version}.", "1.2.3", "is 1.2.3.4", false)
	check("{version}.", "1.2.3", "is 1.2.3.", true)
	check("{version} (", "1.2.3", "1.2.3 (abc)", true)
	check("a {version} b {version}", "1.2", "a 1.2 b 1.2", true)
	check("a {version} b {version}", "1.2", "a 1.2 b 1.2.1", false)
	check("Tool v", "", "Tool v9", true)
	check("a.c", "", "abc", false)
}

// Whatever is found is really there, and a version touched by digits is not.
func FuzzBoundaries(f *testing.F) {
	f.Add("v{version}.", "1.2.3", "x v1.2.3. 11.2.3")
	f.Fuzz(func(t *testing.T, pattern, version, out string) {
		if ValidateVersion(version) != nil {
			return
		}
		e := Expand(pattern, version)
		if found, near := e.In(out); found && near || (found || near) && !strings.Contains(out, e.Text) {
			t.Fatalf("%q in %q: %v %v", e.Text, out, found, near)
		}
		if found, _ := Expand("{version}", version).In("1" + version + "1"); found && isAlnum(version[len(version)-1]) {
			t.Fatalf("%q found between digits", version)
		}
	})
}
