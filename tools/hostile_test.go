//go:build linux

package tools_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"cookoff/sandbox"
	"cookoff/tools"
)

// hostile holds what reaches beyond a text: escapes, a title, the clipboard, a
// cursor, C1, no UTF-8, directions, nothing to see, a NUL's neighbours.
const hostile = "\x1b[2J\x1b]0;t\x07\x1b]52;c;eA==\x07\r\b\x9b31m\xff\u202e\u200b\U000e0041\x01\x7f"

// TestHostileOutput: whatever an agent left in files, names and output, and
// whatever a model writes into arguments, what a tool gives back is safe.
func TestHostileOutput(t *testing.T) {
	set := tools.Builtin(tools.Options{Background: true, Fetch: &tools.Fetch{Local: true}})
	sb := open(t, sandbox.Spec{})
	for _, f := range []string{"d/" + hostile, "f", hostile, "new\nline"} {
		if err := sb.FS().Write(t.Context(), f, []byte(hostile+"\nneedle "+hostile+"\nold old\n")); err != nil {
			t.Fatal(err)
		}
	}
	bash(t, sb, "ln -s $'\\e[31m\\r' link; printf '%s' $'\\e]0;x\\a' > /tmp/said; mkfifo $'\\e[1mpipe'")
	name := "\x1b[31m\u202e" // of files that don't exist
	calls := 0
	try := func(tool string, args any) {
		t.Helper()
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		r, err := call(t, set, sb, tool, string(raw))
		var ce *tools.CallError
		text := r.Text
		if errors.As(err, &ce) {
			text = ce.Reason
		} else if err != nil {
			t.Fatalf("%s %s: %v", tool, raw, err)
		}
		calls++
		if text == "" || !utf8.ValidString(text) || tools.Clean([]byte(text)) != text || strings.ContainsAny(text,
			"\x1b\r\x07\u202e") {
			t.Errorf("%s %s gave %q", tool, raw, text)
		}
	}
	type m map[string]any
	for _, p := range []string{"f", name, hostile[:20], "d", "\x1b[1mpipe"} {
		try("read_file", m{"path": p})
		try("list_directory", m{"path": p})
		try("edit_file", m{"path": p, "old": "old", "new": hostile[:4]})
		try("edit_file", m{"path": p, "old": name, "new": "x"})
		try("search_code", m{"path": p, "pattern": "needle"})
		try("search_files", m{"path": p, "pattern": "**"})
		try("apply_patch", m{"patch": "--- a/" + p + "\n+++ b/" + p + "\n@@ -1 +1 @@\n-" + name + "\n+x\n"})
	}
	try("list_directory", m{})
	try("search_code", m{"pattern": name + "("})
	try("search_files", m{"pattern": "[" + name})
	try("write_file", m{"path": "w" + name, "content": hostile[:10]})
	try("write_file", m{"path": "f/" + name, "content": ""})
	try("bash", m{"command": "cat f; cat f >&2; ls; exit 3"})
	try("bash", m{"command": "cat f; cat /tmp/said; sleep 20; " + name, "background": true})
	try("bash_job", m{"job": 1, "wait": 10})
	try("bash_job", m{"job": 1, "stop": true})
	try("web_fetch", m{"url": "http://" + name})
	try("web_fetch", m{"url": "http://localhost:1/" + name})
	for _, tool := range []string{"bash", "read_file", "web_fetch"} {
		try(tool, m{name: 1})
		try(tool, m{"path": []string{name}})
	}
	if calls < 50 {
		t.Errorf("only %d calls", calls)
	}
}
