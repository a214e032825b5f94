package traps

import (
	"maps"
	"slices"
	"strings"

	"cookoff/sandbox"
)

// sshConfig are the settings of ssh, which say for each host where it leads, as whom, and what is started on the way.
type sshConfig struct{}

func (sshConfig) Reads(p string) bool {
	return matches([]string{"~/.ssh/config", "~/.ssh/config.d/**", "/etc/ssh/ssh_config", "/etc/ssh/ssh_config.d/**"}, p)
}

// Settings gives each by the block in which it stands, and by each of the hosts that the block is for: "host db.port".
// A host's whole name beside a shorter one for it is no host of its own.
func (sshConfig) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	out, hosts := map[string]string{}, []string{""}
	for line := range strings.Lines(text(f)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
		words := strings.Fields(strings.Replace(line, "=", " ", 1))
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		key, value := strings.ToLower(words[0]), strings.Join(words[1:], " ")
		switch key {
		case "match":
			hosts = []string{"match " + value + "."}
		case "host":
			hosts = hosts[:0:0]
			for _, name := range words[1:] {
				hosts = append(hosts, "host "+name+".")
			}
		default:
			for _, host := range hosts {
				out[host+key] += value + "\n"
			}
		}
	}
	return withoutWholeNames(out)
}

// withoutWholeNames are settings of hosts but for those of a name that leads where it says, of which there are the same
// for a host that is called otherwise.
func withoutWholeNames(settings map[string]string) map[string]string {
	of := func(host string) map[string]string {
		out := map[string]string{}
		for name, value := range settings {
			if key, is := strings.CutPrefix(name, "host "+host+"."); is && !strings.Contains(key, ".") {
				out[key] = value
			}
		}
		return out
	}
	for name, value := range maps.Clone(settings) {
		short, is := strings.CutSuffix(strings.TrimPrefix(name, "host "), ".hostname")
		long := strings.TrimSpace(value)
		if !is || short == long || !maps.Equal(of(short), of(long)) {
			continue
		}
		for key := range of(long) {
			delete(settings, "host "+long+"."+key)
		}
	}
	return settings
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
