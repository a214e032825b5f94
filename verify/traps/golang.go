package traps

import (
	"strings"

	"cookoff/internal/pattern"
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

var generates = pattern.New(`(?m)^//go:generate\s+(.*)$`)

// GeneratesTake are the programs by which "go generate" has come to take something away, overwrite it or send it
// elsewhere, as a text of Go has it.
func GeneratesTake(was, is string) []string {
	return more(taking(generated(was)), taking(generated(is)))
}

// generated are the commands that "go generate" starts for a text.
func generated(text string) string {
	var out strings.Builder
	for _, m := range generates.FindAllStringSubmatch(text, -1) {
		out.WriteString(m[1] + "\n")
	}
	return out.String()
}
