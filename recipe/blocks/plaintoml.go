package blocks

import (
	"strconv"
	"strings"
)

// plainTOML reads a document of nothing but lines "key = value", perhaps below
// [verify] or [[verify]], where a value is a text in one line without escapes, a small whole
// number, true or false: nearly every verify block, at a tenth of what the
// decoder takes. ok is false for all else, mistakes included, which are the
// decoder's to read; what both read is the same (FuzzPlainTOML).
func plainTOML(doc string) (tree map[string]any, ok bool) {
	table := make(map[string]any, 8)
	tree = table
	var blocks []map[string]any // of [[verify]]
	for len(doc) > 0 {
		line, rest, _ := strings.Cut(doc, "\n")
		doc = rest
		if line = strings.Trim(line, " \t"); line == "" {
			continue
		}
		if !plainText(line) {
			return nil, false
		}
		switch {
		case line[0] == '#':
			continue
		case line == "[verify]" && len(tree) == 0:
			tree = map[string]any{"verify": table}
			continue
		case line == "[[verify]]" && (len(tree) == 0 || blocks != nil):
			table = map[string]any{}
			blocks = append(blocks, table)
			tree = map[string]any{"verify": blocks}
			continue
		}
		n := 0
		for n < len(line) && bareKey(line[n]) {
			n++
		}
		key, after := line[:n], strings.TrimLeft(line[n:], " \t")
		if key == "" || after == "" || after[0] != '=' {
			return nil, false
		}
		value, after, ok := plainValueOf(strings.TrimLeft(after[1:], " \t"))
		after = strings.TrimLeft(after, " \t")
		if _, dup := table[key]; dup || !ok || after != "" && after[0] != '#' {
			return nil, false
		}
		table[key] = value
	}
	return tree, true
}

// plainText tells whether a line holds no control character but tabs.
func plainText(line string) bool {
	for i := range len(line) {
		if c := line[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func bareKey(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// plainValueOf reads one value off the front of s.
func plainValueOf(s string) (value any, rest string, ok bool) {
	if s == "" {
		return nil, "", false
	}
	if q := s[0]; q == '"' || q == '\'' {
		n := strings.IndexByte(s[1:], q)
		if n < 0 {
			return nil, "", false
		}
		text, rest := s[1:n+1], s[n+2:]
		escaped := q == '"' && strings.IndexByte(text, '\\') >= 0
		return text, rest, !escaped && (rest == "" || rest[0] != q) // else three of them
	}
	n := 0
	for n < len(s) && bareKey(s[n]) {
		n++
	}
	switch word := s[:n]; {
	case word == "true" || word == "false":
		return word == "true", s[n:], true
	case word == "0" || n > 0 && n < 16 && word[0] >= '1' && word[0] <= '9':
		i, err := strconv.ParseUint(word, 10, 63)
		return int64(i), s[n:], err == nil
	}
	return nil, "", false
}
