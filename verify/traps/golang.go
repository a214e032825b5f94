package traps

import (
	"strings"

	"cookoff/sandbox"
)

// goSettings is what "go env -w" writes: each go command obeys it.
type goSettings struct{}

func (goSettings) Reads(p string) bool { return p == "~/.config/go/env" || p == "~/.config/go" }

func (goSettings) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	return assignments(text(f))
}

// Runs says that every setting of go matters but those of its telemetry.
func (goSettings) Runs(name, _ string) string {
	if name == "GOTELEMETRY" || name == "GOTELEMETRYDIR" {
		return ""
	}
	return "every go command obeys it"
}

// rest is the name of what a file of assignments says beside them.
const rest = "(other lines)"

// assignments are the lines NAME=VALUE of a file, with or without export.
func assignments(s string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "export "))
		if line == "" || line[0] == '#' {
			continue
		}
		if name, value, ok := strings.Cut(line, "="); ok {
			out[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
			continue
		}
		out[rest] += line + "\n"
	}
	return out
}
