package traps

import "testing"

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
