package alike

import "testing"

func TestRemarks(t *testing.T) {
	const conf = "# read by cron\n[a]\nkey = 1\n  more\n; old\nlong = a \\\n  b\n"
	for _, row := range []struct {
		name, p, was, is string
		want             bool
	}{
		{"more of a comment", "etc/a.conf", conf,
			"# read by cron; KEEP is how many stay\n[a]\nkey = 1\n  more\n; old\nlong = a \\\n  b\n", true},
		{"a new one, and blank lines", "a.ini", conf,
			"# read by cron\n\n[a]\n# one\nkey = 1\n  more\n; old\n\nlong = a \\\n  b\n", true},
		{"of an example", ".env.example", "A=1\n", "# how many\nA=1\n", true},
		{"a comment less", "a.conf", conf, "[a]\nkey = 1\n  more\n; old\nlong = a \\\n  b\n", false},
		{"another value", "a.conf", conf, "# read by cron\n[a]\nkey = 2\n  more\n; old\nlong = a \\\n  b\n", false},
		{"a setting switched off", "a.conf", conf,
			"# read by cron\n[a]\n# key = 1\n  more\n; old\nlong = a \\\n  b\n", false},
		{"another place", "a.conf", conf, "# read by cron\n[a]\nkey = 1\nmore\n; old\nlong = a \\\n  b\n", false},
		{"within a value", "a.conf", conf,
			"# read by cron\n[a]\nkey = 1\n  more\n; old\nlong = a \\\n  # c\n  b\n", false},
		{"an order", "sudo.conf", "a\n", "#includedir /tmp/x\na\n", false},
		{"an order, spaced", "sudo.conf", "a\n", "# include x\na\n", false},
		{"a comment that goes on", "a.conf", "a\nb\n", "# x \\\na\nb\n", false},
		{"another kind of file", "a.sql", "a\n", "# b\na\n", false},
	} {
		if got := Same(row.p, []byte(row.was), []byte(row.is)); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
