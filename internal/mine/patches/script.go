// Package patches reads patches, and applies them: all of them by a script, or their hunks one by one.
package patches

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// Script is the script that applies a patch, however its lines end; "" where it is empty.
func Script(patch string) string { return ScriptWith(patch, "--whitespace=nowarn") }

// ScriptWith is Script with these flags of git apply.
func ScriptWith(patch, flags string) string {
	if patch == "" {
		return ""
	}
	odd := strings.ContainsFunc(patch, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' })
	if !odd && utf8.ValidString(patch) && !strings.Contains(patch, "\uFEFF") {
		return "git apply " + flags + " - <<'PATCH ENDS'\n" + strings.TrimRight(patch, "\n") + "\nPATCH ENDS"
	}
	text := base64.StdEncoding.EncodeToString([]byte(patch))
	var b strings.Builder
	for len(text) > 0 {
		n := min(len(text), 100)
		b.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return "base64 -d <<'PATCH ENDS' | git apply " + flags + " -\n" + b.String() + "PATCH ENDS"
}

// InScript gives the patch that a script of Script's applies.
func InScript(script string) string {
	head, patch, _ := strings.Cut(script, "\n")
	if strings.HasPrefix(head, "base64 ") {
		text, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(strings.TrimSuffix(patch, "PATCH ENDS"), "\n", ""))
		if err != nil { // somebody wrote it by hand
			return ""
		}
		return string(text)
	}
	return strings.TrimSuffix(patch, "PATCH ENDS")
}
