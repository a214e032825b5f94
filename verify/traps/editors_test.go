package traps

import (
	"testing"

	"cookoff/sandbox"
)

// TestEditors: settings of an editor that name programs are traps, others say how it looks.
func TestEditors(t *testing.T) {
	for name, want := range map[string]map[string]bool{
		`4`: {"editor.tabSize": false,
			"security.workspace.trust.enabled": true, "python.terminal.activateEnvironment": false},
		`true`: {"C_Cpp.autoAddFileAssociations": false,
			"task.allowAutomaticTasks": true, "go.useLanguageServer": false},
		`"basic"`: {"python.analysis.typeCheckingMode": false, "eslint.run": false,
			"python.defaultInterpreterPath": true, All: true},
		`["src"]`: {"C_Cpp.default.includePath": false, "cSpell.words": false,
			"python.linting.pylintArgs": true, "python.testing.pytestArgs": true},
		`{"editor.tabSize": 2}`: {"[python]": false, "terminal.integrated.env.linux": true,
			"files.associations": false},
		`{"python.formatting.blackPath": "e"}`: {"[python]": true},
	} {
		for key, runs := range want {
			if got := (editors{}).Runs(key, name) != ""; got != runs {
				t.Errorf("%s: %s: %v", key, name, got)
			}
		}
	}
}

// TestStyles: editors write files in a way that programs can't read. What is said of data, or of files for other
// systems, is none.
func TestStyles(t *testing.T) {
	for text, runs := range map[string]bool{
		"root = true\n[*]\ncharset = utf-8-bom\n": true, "[*]\nend_of_line=CRLF\n": true, "[*.sh]\nend_of_line = crlf\n": true,
		"[Makefile]\nend_of_line = cr\n": true,
		"root = true\n[*]\ncharset = utf-8\nend_of_line = lf\n[*.csv]\ncharset = utf-8-bom\nend_of_line = crlf\n": false,
		"[*.{bat,cmd}]\nend_of_line = crlf\n": false, "[*.ps1]\ncharset = utf-8-bom\n": false, "[*]\ninsert_final_newline = true\n": false,
		"[*.txt]\nend_of_line = crlf\n# [*]\n[Makefile]\nindent_style = tab\n": false, "[*]\n# charset = latin1\n": false,
	} {
		got := false
		for name, value := range (styles{}).Settings(sandbox.Item{Path: ".editorconfig", Data: []byte(text), Mode: 0o644}) {
			got = got || (styles{}).Runs(name, value) != ""
		}
		if got != runs {
			t.Errorf("%q: %v", text, got)
		}
	}
	for value, runs := range map[string]bool{`"utf8bom"`: true, `"utf8"`: false} {
		if got := (editors{}).Runs("files.encoding", value) != ""; got != runs {
			t.Errorf("%s: %v", value, got)
		}
	}
}
