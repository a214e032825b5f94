package alike

import "testing"

func TestIgnoresTools(t *testing.T) {
	const p, was = ".git/info/exclude", "# here alone\n*.key\n"
	for is, want := range map[string]bool{
		was + "*.swp\n.vscode/\n":          true,
		was + "# mine\n\n.idea\n":          true,
		"# here alone\n.DS_Store\n*.key\n": true,
		was + "src/\n":                     false,
		was + "*.md\n":                     false,
		was + "!*.key\n":                   false,
		was + "*.bak\n":                    false, // the task speaks of them
		"*.swp\n":                          false,
		"":                                 false,
	} {
		if got := IgnoresTools(p, []byte(was), []byte(is), "ls | grep bak"); got != want {
			t.Errorf("%q: %v", is, got)
		}
	}
	if IgnoresTools("notes.txt", []byte(was), []byte(was), "") {
		t.Error("no list of what git leaves out")
	}
}
