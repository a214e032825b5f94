package leads

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// askTox gives a command that prints the commands of the environments that a call of tox runs, and where they run.
func askTox(argv []string) string {
	ask := []string{argv[0], "config", "-q", "-k", "commands", "change_dir"}
	for i := 1; i < len(argv); i++ {
		switch w := argv[i]; {
		case w == "--":
			return quoted(slices.Concat(ask, argv[i:]))
		case slices.Contains([]string{"-e", "-c", "--conf", "-f", "-m"}, w) && i+1 < len(argv):
			ask = append(ask, w, argv[i+1])
			i++
		case strings.HasPrefix(w, "-e"), strings.HasPrefix(w, "-c"):
			ask = append(ask, w)
		case w == "run", w == "r", w == "run-parallel", w == "p", strings.HasPrefix(w, "-"), w == "auto", w == "all":
		default: // it is told to do something else
			return ""
		}
	}
	return quoted(ask)
}

// toxSays is a line of what tox says: an environment, a key, or one more value of it.
var toxSays = pattern.New(`^(?:\[testenv:([^\]]+)\]|(commands|change_dir) *=(.*)|[ \t]+(\S.*))$`)

// ofTox gives the script that runs the commands of each environment as tox has it, in the order in which it says them.
func ofTox(argv []string, printed string) string {
	var b strings.Builder
	env, dir, key := "", "", ""
	var commands []string
	ends := func() {
		for _, c := range commands {
			b.WriteString("(\n")
			if dir != "" {
				b.WriteString("cd " + quoted([]string{dir}) + " || exit\n")
			}
			b.WriteString(quoted([]string{argv[0], "exec", "-q", "-e" + env, "--"}) + " " + strings.TrimLeft(c, "-! ") + "\n)\n")
		}
		dir, key, commands = "", "", nil
	}
	for line := range strings.Lines(printed) {
		m := toxSays.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		if m[1] != "" {
			ends()
			env = m[1]
			continue
		}
		if m[2] != "" {
			key = m[2]
		}
		switch value := strings.TrimSpace(m[3] + m[4]); {
		case value == "":
		case key == "commands":
			commands = append(commands, value)
		case key == "change_dir":
			dir = value
		}
	}
	ends()
	return b.String()
}
