package traps

import (
	"encoding/json"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// editors are settings of an editor, in a project or of the user: most name programs that
// it starts, others only say how text looks.
type editors struct{}

func (editors) Reads(p string) bool {
	return matches([]string{"**/.vscode/settings.json", "~/.config/Code/User/settings.json"}, p)
}

func (editors) Settings(f sandbox.Item) map[string]string {
	var doc map[string]json.RawMessage
	if !regular(f) || json.Unmarshal(f.Data, &doc) != nil {
		return Whole(f)
	}
	out := map[string]string{}
	for name, value := range doc {
		out[name] = string(value)
	}
	return out
}

var (
	// started are words of settings that name programs, or say that tasks start by themselves.
	started = pattern.New(`(?i)path|command|cmd|exec|interpreter|args|shell|terminal|env|server|binary|program|task|hook|` +
		`script|profile|sdk|tool|home|security|trust|remote|debug|launch`)
	// looked are settings of that kind that only say where something is looked up.
	looked = pattern.New(`^(C_Cpp\.default\.(includePath|browse\.path|defines)|python\.(analysis|autoComplete)\.extraPaths|` +
		`python\.testing\.(pytest|unittest)Enabled|cSpell\.\w+|javascript\.preferences\.importModuleSpecifier|` +
		`(search|files)\.\w*(e|E)xclude)$`)
	// plain are values that name nothing.
	plain = pattern.New(`^\s*(true|false|null|-?[0-9.]+)\s*$`)
)

// Runs says so of what names a program, or may; what switches something on, but for trust in a
// project, does not.
func (e editors) Runs(name, value string) string {
	const why = "an editor or a server runs what it says"
	trusts := strings.HasPrefix(name, "security.") || strings.HasPrefix(name, "task.")
	switch {
	case looked.MatchString(name), plain.MatchString(value) && !trusts:
		return ""
	case name == All, started.MatchString(name):
		return why
	}
	var below map[string]json.RawMessage // settings for one language
	if strings.HasPrefix(name, "[") && json.Unmarshal([]byte(value), &below) == nil {
		for name, value := range below {
			if e.Runs(name, string(value)) != "" {
				return why
			}
		}
	}
	return ""
}
