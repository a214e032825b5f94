package traps

import (
	"strings"
)

// GitSettings reads a file of git's settings: section.key or
// section.subsection.key, section and key in lower case. The values of a key
// that is given several times are joined by line ends. Not ok: it is none.
func GitSettings(s string) (settings map[string]string, ok bool) {
	r := &gitReader{rest: s, out: map[string]string{}}
	for r.rest != "" {
		if !r.item() {
			return nil, false
		}
	}
	return r.out, true
}

type gitReader struct {
	rest    string
	section string
	out     map[string]string
}

// item reads one section header, setting, comment or empty line.
func (r *gitReader) item() bool {
	r.rest = strings.TrimLeft(r.rest, " \t\r\n\ufeff")
	switch {
	case r.rest == "":
		return true
	case r.rest[0] == '#' || r.rest[0] == ';':
		_, r.rest, _ = strings.Cut(r.rest, "\n")
		return true
	case r.rest[0] == '[':
		return r.header()
	}
	return r.section != "" && r.setting()
}

// header reads "[section]" or "[section "sub"]".
func (r *gitReader) header() bool {
	i := 1
	for i < len(r.rest) && strings.IndexByte("\"] \t\n", r.rest[i]) < 0 {
		i++
	}
	name := strings.ToLower(r.rest[1:i])
	r.rest = strings.TrimLeft(r.rest[i:], " \t")
	if strings.HasPrefix(r.rest, "\"") {
		var sub strings.Builder
		i = 1
		for ; i < len(r.rest) && r.rest[i] != '"'; i++ {
			if r.rest[i] == '\n' {
				return false
			}
			if r.rest[i] == '\\' && i+1 < len(r.rest) {
				i++
			}
			sub.WriteByte(r.rest[i])
		}
		if i >= len(r.rest) {
			return false
		}
		name += "." + sub.String()
		r.rest = strings.TrimLeft(r.rest[i+1:], " \t")
	}
	if !strings.HasPrefix(r.rest, "]") || name == "" {
		return false
	}
	r.rest, r.section = r.rest[1:], name
	return true
}

// setting reads "key", or "key = value" with quotes, escapes and lines that go
// on.
func (r *gitReader) setting() bool {
	i := 0
	for i < len(r.rest) && (r.rest[i] == '-' || isAlnum(r.rest[i])) {
		i++
	}
	if i == 0 {
		return false
	}
	key := r.section + "." + strings.ToLower(r.rest[:i])
	r.rest = strings.TrimLeft(r.rest[i:], " \t")
	value := "true"
	if strings.HasPrefix(r.rest, "=") {
		r.rest = strings.TrimLeft(r.rest[1:], " \t")
		value = r.value()
	} else if r.rest != "" && r.rest[0] != '\n' && r.rest[0] != '\r' && r.rest[0] != '#' && r.rest[0] != ';' {
		return false
	}
	if before, had := r.out[key]; had {
		value = before + "\n" + value
	}
	r.out[key] = value
	return true
}

// value reads the value of a key as git does: up to the end of the line, with escapes,
// quotes, comments and lines that go on behind a backslash.
func (r *gitReader) value() string {
	var out strings.Builder
	quoted, kept := false, 0
	i := 0
loop:
	for ; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == '\n':
			break loop
		case c == '\\' && i+1 < len(r.rest):
			i++
			switch r.rest[i] {
			case '\n':
			case '\r':
				if i+1 < len(r.rest) && r.rest[i+1] == '\n' {
					i++
				}
			case 'n':
				out.WriteByte('\n')
			case 't':
				out.WriteByte('\t')
			case 'b':
				out.WriteByte('\b')
			default:
				out.WriteByte(r.rest[i])
			}
			kept = out.Len()
		case c == '"':
			quoted = !quoted
			kept = max(kept, out.Len())
		case !quoted && (c == '#' || c == ';'):
			for i < len(r.rest) && r.rest[i] != '\n' {
				i++
			}
			break loop
		default:
			out.WriteByte(c)
			if quoted || c != ' ' && c != '\t' && c != '\r' {
				kept = out.Len()
			}
		}
	}
	r.rest = r.rest[i:]
	return out.String()[:kept]
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
