package recipe

import (
	"bytes"
	"fmt"
)

// partMark begins a line of a built-in recipe that stands for a file of it.
var partMark = []byte("<!-- include ")

// withParts puts the files into a built-in recipe that its lines
// "<!-- include NAME -->" stand for, which are below builtin/, and may have such lines themselves.
func withParts(content []byte) ([]byte, error) {
	if !bytes.Contains(content, partMark) {
		return content, nil
	}
	var out bytes.Buffer
	for line := range bytes.Lines(content) {
		name, is := bytes.CutPrefix(line, partMark)
		if !is {
			out.Write(line)
			continue
		}
		part, err := builtinFS.ReadFile("builtin/" + string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(name),
			[]byte("-->")))))
		if err == nil {
			part, err = withParts(part)
		}
		if err != nil {
			return nil, fmt.Errorf("a part of a built-in recipe: %w", err)
		}
		out.Write(part)
	}
	return out.Bytes(), nil
}
