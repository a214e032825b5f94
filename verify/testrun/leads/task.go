package leads

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/internal/taskfile"
)

// elsewhere are flags of task by which it reads another file than that of the directory.
var elsewhere = pattern.New(`^(-d|-t|-g|--dir|--taskfile|--global)(=|$)`)

// endOfDryRun stands between what task would run and its file.
const endOfDryRun = "\n== taskfile\n"

// askTask gives a command that prints what task would run, and its file, which says where.
func askTask(argv []string) string {
	if slices.ContainsFunc(argv, elsewhere.MatchString) {
		return ""
	}
	return quoted(slices.Insert(slices.Clone(argv), 1, "--dry", "--force")) + ` 2>&1 && printf '\n== taskfile\n' && ` +
		`for f in ` + strings.Join(taskfile.Names, " ") + `; do if [ -f "$f" ]; then cat "$f"; break; fi; done`
}

// taskLine is how task begins what it says of a command, and of anything else.
var taskLine = pattern.New(`^task: (?:\[([^\]\n]+)\] )?`)

// ofTask gives the script of what task says: each command in a shell of its own, in the directory of its task.
func ofTask(_ []string, printed string) string {
	says, text, _ := strings.Cut(printed, endOfDryRun)
	f, err := taskfile.Parse(text)
	if err != nil {
		return ""
	}
	var b strings.Builder
	name, command := "", ""
	ends := func() {
		if name != "" {
			b.WriteString(f.In(name, command))
		}
		command = ""
	}
	for line := range strings.Lines(says) {
		if m := taskLine.FindStringSubmatch(line); m != nil {
			ends()
			name, line = m[1], line[len(m[0]):]
		}
		command += line
	}
	ends()
	return b.String()
}
