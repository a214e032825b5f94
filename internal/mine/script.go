package mine

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// asScript is the script that applies a patch, however its lines end.
func asScript(patch string) string { return applying(patch, "--whitespace=nowarn") }

// applying is asScript, with flags of git apply.
func applying(patch, flags string) string {
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

// patchIn gives the patch that a script of asScript applies.
func patchIn(script string) string {
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
