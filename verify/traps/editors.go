package traps

import (
	"encoding/json"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// editors are settings of an editor, in a project or of the user: most name programs that
// it starts, a few only say how text looks.
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

// ofText are the settings that say how text looks.
var ofText = pattern.New(`^(editor\.(tabSize|insertSpaces|detectIndentation|rulers|wordWrap|wordWrapColumn|` +
	`renderWhitespace|formatOnSave|trimAutoWhitespace|fontSize)|files\.(eol|encoding|exclude|watcherExclude|autoSave|` +
	`insertFinalNewline|trimTrailingWhitespace|trimFinalNewlines)|search\.exclude|cSpell\.words|` +
	`python\.testing\.(pytest|unittest)Enabled)$`)

func (editors) Runs(name, _ string) string {
	if ofText.MatchString(name) {
		return ""
	}
	return "an editor or a server runs what it says"
}
