package whole

import (
	"os"
	"strings"

	"cookoff/sandbox/plan"
)

// wholeEtc gives the files of /etc that a world with the host's own has instead
// of the host's: the agent is its user, whoever has that number outside.
func wholeEtc(p plan.Plan) map[string]string {
	made := plan.EtcFiles(p)
	files := map[string]string{}
	for _, name := range []string{"hosts", "hostname", "nsswitch.conf", "resolv.conf"} {
		files[name] = made[name]
	}
	for _, name := range []string{"passwd", "group"} {
		files[name] = made[name]
		b, err := os.ReadFile("/etc/" + name)
		if err != nil {
			continue
		}
		files[name] = withAgent(string(b), made[name])
	}
	return files
}

// withAgent puts the agent's line in front of those of the host, without whom
// it takes the name or the number of.
func withAgent(host, made string) string {
	var out strings.Builder
	agent := ""
	for line := range strings.Lines(made) {
		if strings.HasPrefix(line, "agent:") {
			agent = line
		}
	}
	out.WriteString(agent)
	number := strings.Split(agent, ":")[2]
	for line := range strings.Lines(host) {
		f := strings.Split(line, ":")
		if len(f) > 2 && f[0] != "agent" && strings.TrimSpace(f[2]) != number {
			out.WriteString(line)
		}
	}
	return out.String()
}
