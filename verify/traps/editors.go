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
	case (styles{}).Runs(name, value) != "":
		return (styles{}).Runs(name, value)
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

// styles are settings of any editor that say how it writes the files of a project.
type styles struct{}

func (styles) Reads(p string) bool { return base(p) == ".editorconfig" }

// Settings are those of each section, with the name of it before theirs.
func (styles) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	out, section := map[string]string{}, ""
	for line := range strings.Lines(text(f)) {
		line = strings.ToLower(strings.TrimSpace(line))
		if strings.HasPrefix(line, "[") {
			section = line
		} else if name, value, is := strings.Cut(line, "="); is && !strings.HasPrefix(line, "#") {
			out[section+" "+strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return out
}

var (
	// odd are ways to write files that programs can't read: with a mark at their beginning, or line ends of others.
	odd = pattern.New(`(?i)^"?(utf-?8-?bom|utf-?16.*|latin1|iso-?8859.*|windows.*|crlf|cr|(\\r)(\\n)?)"?$`)
	// everywhere are sections and settings about all files, or about programs.
	everywhere = pattern.New(`^(\[(\*|\*\*|\*\.\*|\**/?\*?\.?(makefile|(ba|z|k)?sh|py|pl|rb|mk|env))\] ` +
		`(charset|end_of_line)|files\.(encoding|eol))$`)
)

// Runs says so of what has editors write all files, or programs, in a way by which they don't start.
func (styles) Runs(name, value string) string {
	if everywhere.MatchString(name) && odd.MatchString(value) {
		return "editors write files so that programs can't read them"
	}
	return ""
}
