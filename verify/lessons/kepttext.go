package lessons

import (
	"encoding/hex"
	"maps"
	"strings"
	"unicode/utf8"
)

// hexMark begins a text that is kept by its bytes: JSON would make another of it.
const hexMark = "\x00hex:"

// toKept gives a text as JSON keeps it: names of files need not be UTF-8.
func toKept(s string) string {
	if utf8.ValidString(s) && !strings.HasPrefix(s, hexMark) {
		return s
	}
	return hexMark + hex.EncodeToString([]byte(s))
}

// ofKept is the contrary of toKept.
func ofKept(s string) string {
	if rest, ok := strings.CutPrefix(s, hexMark); ok {
		if raw, err := hex.DecodeString(rest); err == nil {
			return string(raw)
		}
	}
	return s
}

// texts gives lessons with all names made others by f.
func (l kept) texts(f func(string) string) kept {
	list := func(in []string) (out []string) {
		for _, s := range in {
			out = append(out, f(s))
		}
		return out
	}
	dict := func(in map[string]string) map[string]string {
		if in == nil {
			return nil
		}
		out := make(map[string]string, len(in))
		for k, v := range in {
			out[f(k)] = f(v)
		}
		return out
	}
	tests := maps.Clone(l.Tests)
	for name, k := range tests {
		if k != nil {
			own := *k
			own.Required, own.Mended, own.Marked = list(k.Required), list(k.Mended), list(k.Marked)
			own.Laid = dict(k.Laid)
			tests[name] = &own
		}
	}
	l.Tests, l.Footprint, l.Held = tests, dict(l.Footprint), list(l.Held)
	return l
}
