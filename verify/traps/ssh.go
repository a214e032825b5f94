package traps

import (
	"slices"
	"strings"

	"cookoff/sandbox"
)

// sshConfig are the settings of ssh, which say for each host where it leads, as whom, and what is started on the way.
type sshConfig struct{}

func (sshConfig) Reads(p string) bool {
	return matches([]string{"~/.ssh/config", "~/.ssh/config.d/**", "/etc/ssh/ssh_config", "/etc/ssh/ssh_config.d/**"}, p)
}

// Settings gives each by the block in which it stands: "host db.port".
func (sshConfig) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	out, block := map[string]string{}, ""
	for line := range strings.Lines(text(f)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
		words := strings.Fields(strings.Replace(line, "=", " ", 1))
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		key, value := strings.ToLower(words[0]), strings.Join(words[1:], " ")
		if key == "host" || key == "match" {
			block = key + " " + value + "."
			continue
		}
		out[block+key] += value + "\n"
	}
	return out
}

// harmlessForSSH are settings that change neither where a connection leads nor what is believed.
var harmlessForSSH = strings.Fields("serveraliveinterval serveralivecountmax tcpkeepalive compression loglevel " +
	"connecttimeout connectionattempts identitiesonly addkeystoagent visualhostkey hashknownhosts addressfamily " +
	"batchmode escapechar controlpersist requesttty")

func (sshConfig) Runs(name, _ string) string {
	key := name[strings.LastIndexByte(name, '.')+1:]
	if slices.Contains(harmlessForSSH, key) {
		return ""
	}
	return "ssh goes elsewhere, believes others or starts a program by it"
}
