package gateway

import (
	"bytes"
	"encoding/json"
)

func marshal(v any) []byte {
	b, _ := json.Marshal(v) // of a configuration: strings, numbers, lists, tables
	return b
}

func quote(s string) []byte { return marshal(s) }

// decodeInto reads what fits.
func decodeInto(raw []byte, v any) {
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, v)
	}
}

// compacted is JSON without blanks; nil where it is none.
func compacted(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}
