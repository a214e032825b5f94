package document

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Marshal gives the JSON of strings, numbers, lists and tables.
func Marshal(v any) []byte {
	b, _ := json.Marshal(v) // of a configuration
	return b
}

// DecodeInto reads what fits.
func DecodeInto(raw []byte, v any) {
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, v)
	}
}

// Compacted is JSON without blanks; nil where it is none.
func Compacted(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}

// Short makes foreign text fit for an error: one line of 300 letters at most.
func Short(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
