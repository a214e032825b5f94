package places

import "testing"

// TestProblem: what a world has, or what leads there, is refused; all else is free.
func TestProblem(t *testing.T) {
	for _, at := range []string{"/app", "/data", "/logs", "/opt", "/opt/x", "/srv", "/etc/app", "/etc/app/conf.d",
		"/var/lib/app", "/var/log", "/root", "/home/other", "/usrlocal", "/data.d"} {
		if why := Problem(at); why != "" {
			t.Errorf("%s: %s", at, why)
		}
	}
	for _, at := range []string{
		"", "app", ".", "/", "//", "/app/", "/app/../etc", "/./app", "/app//x", "/proc", "/proc/self",
		"/sys/fs", "/dev", "/dev/shm", "/tmp", "/tmp/x", "/var", "/var/tmp/x",
		"/run", "/var/run/x", "/var/cache", "/etc", "/etc/passwd", "/etc/ssl/certs", "/etc/java-21-openjdk", "/usr",
		"/usr/bin", "/usr/local/x", "/bin", "/lib64", "/work", "/work/x",
		"/home", "/home/agent", "/home/agent/x", "/nix/store", "/a\nb", "/a:b", "/a,b", "/a\x7f",
	} {
		if Problem(at) == "" {
			t.Errorf("%q is no place for a task's own directory", at)
		}
	}
}

func TestClash(t *testing.T) {
	for _, c := range []struct {
		at    string
		clash bool
	}{{"/data", true}, {"/data/x", true}, {"/", true}, {"/database", false}, {"/other", false}} {
		if got := Clash(c.at, []string{"/data"}) != ""; got != c.clash {
			t.Errorf("%s beside /data: %v", c.at, got)
		}
	}
}
