package declared

import (
	"strings"

	"cookoff/internal/pattern"
)

// head says how declarations of a language begin, the last group being the name, and what ends their signature.
type head struct {
	begins *pattern.Pattern
	ends   string // characters outside of brackets
	known  bool   // what follows the name has to be in brackets, and be followed by what ends it: else it is a call
	set    bool   // on an object: within a function that declares only what lasts, or can be called
}

var heads = map[string][]head{
	"python": {
		{begins: pattern.New(`(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)`), ends: ":"},
		{begins: pattern.New(`(?m)^[ \t]*class[ \t]+(\w+)`), ends: ":"},
		{begins: pattern.New(`(?m)^(\w+)[ \t]*(?:=[^=]|:)`), ends: "=\n"},
	},
	"javascript": script,
	"typescript": script,
	"rust": {
		{begins: pattern.New(`(?m)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:(?:default|const|async|unsafe)[ \t]+)*fn[ \t]+(\w+)`),
			ends: "{;"},
		{begins: pattern.New(`(?m)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:struct|enum|trait|type|const|static)[ \t]+(\w+)`),
			ends: "{;="},
		{begins: pattern.New(`(?m)^[ \t]*pub(?:\([^)]*\))?[ \t]+(\w+):`), ends: ",}\n"},
		{begins: pattern.New(`(?m)^[ \t]*macro_rules![ \t]+(\w+)`), ends: "{"},
	},
}

var script = []head{
	{begins: pattern.New(`(?m)^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?` +
		`function\*?[ \t]+([\w$]+)`), ends: "{"},
	{begins: pattern.New(`(?m)^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:abstract[ \t]+)?` +
		`(?:class|interface|enum)[ \t]+([\w$]+)`), ends: "{"},
	{begins: pattern.New(`(?m)^(?:export[ \t]+)?(?:const|let|var|type)[ \t]+([\w$]+)`), ends: "=\n"},
	{begins: pattern.New(`(?m)^[ \t]*(?:module\.exports|exports|[\w$]+(?:\.prototype)?)` +
		`\.([\w$]+)[ \t]*=[^=>]`), ends: "=\n", set: true},
	{begins: pattern.New(`(?m)^[ \t]+(?:(?:static|async|get|set|public|protected|private|override|readonly)[ \t]+|\*)*` +
		`([\w$]+)[ \t]*(?:<[^>\n]*>)?\(`), ends: "{", known: true},
}

// control are words of scripts that brackets and a block follow, and that declare nothing.
var control = pattern.New(`^(?:if|for|while|switch|catch|with|function|return|await|typeof)$`)

// lasting is how a line begins that sets something on what is there when the function around it has ended; another
// object is a value that is being built (`out.every = …`).
var lasting = pattern.New(`^(?:[\w$]|[ \t]*(?:module\.exports|exports|this|[\w$]+\.prototype)\.)`)

// takes is what stands behind the sign of an assignment of a function, up to its body.
var takes = pattern.New(`^=\s*((?:async[ \t]*)?(?:function\b[^(]*)?)(\(|[\w$]+[ \t]*=>)`)

// byHeads gives what a source declares, by how its lines begin.
func byHeads(path, text, lang string) (out []Declaration) {
	for _, h := range heads[lang] {
		for _, at := range h.begins.FindAllStringSubmatchIndex(text, -1) {
			name := text[at[2]:at[3]]
			end := signatureEnd(text, at[3], h.ends)
			if h.known && (control.MatchString(name) || end == len(text) || strings.Contains(text[at[3]:end], ";")) {
				continue
			}
			if strings.HasPrefix(h.ends, "=") {
				value := end
				end = withParameters(text, value)
				if h.set && end == value && !lasting.MatchString(text[at[0]:end]) {
					continue
				}
			}
			said := strings.Join(strings.Fields(text[at[0]:end]), " ")
			owner := ownerOf(text, at[0], lang)
			if owner != "" {
				said = owner + " { " + said + " }"
			}
			doc := above(text[:at[0]])
			if lang == "python" {
				doc = docstring(text[end:])
			}
			out = append(out, Declaration{Path: path, Name: name, Text: said, Doc: doc, key: owner + "." + name})
		}
	}
	return out
}

// mostSignature is how many bytes a signature has.
const mostSignature = 2000

// signatureEnd is where one of some characters stands outside of brackets and texts.
func signatureEnd(text string, from int, ends string) int {
	depth := 0
	for i := from; i < min(len(text), from+mostSignature); i++ {
		c := text[i]
		switch {
		case depth == 0 && strings.IndexByte(ends, c) >= 0:
			return i
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == '"', c == '\'':
			if to := strings.IndexAny(text[i+1:], string(c)+"\n"); to >= 0 && text[i+1+to] == c {
				i += to + 1
			}
		}
	}
	return len(text)
}

// withParameters is where the parameters of a function end that is assigned at a place; the place itself, where
// something else is.
func withParameters(text string, at int) int {
	m := takes.Regexp().FindStringSubmatchIndex(text[at:min(len(text), at+mostSignature)])
	if m == nil {
		return at
	}
	if text[at+m[5]-1] != '(' {
		return at + m[5]
	}
	end := signatureEnd(text, at+m[4], "{=;\n")
	if end == len(text) || text[end] == ';' || text[end] == '\n' { // a value in brackets
		return at
	}
	return end
}

var owners = map[string]*pattern.Pattern{
	"python":     pattern.New(`^[ \t]*(class[ \t]+\w+)`),
	"javascript": pattern.New(`^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(class[ \t]+[\w$]+)`),
	"typescript": pattern.New(`^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:abstract[ \t]+)?(class[ \t]+[\w$]+)`),
	"rust":       pattern.New(`^[ \t]*(?:pub[ \t]+)?((?:impl|struct|trait)\b[^{]*[^{\s])`),
}

// ownerOf is what a declaration that begins at a place is within; "": nothing.
func ownerOf(text string, at int, lang string) string {
	depth := func(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }
	line, _, _ := strings.Cut(text[at:], "\n")
	within := depth(line)
	all := strings.Split(text[:at], "\n")
	for i := len(all) - 1; i >= 0 && within > 0; i-- {
		if strings.TrimSpace(all[i]) == "" || depth(all[i]) >= within {
			continue
		}
		within = depth(all[i])
		if m := owners[lang].FindStringSubmatch(all[i]); m != nil {
			return m[1]
		}
	}
	return ""
}

var (
	remark    = pattern.New(`^[ \t]*(?:///?|/\*\*?|\*/|\*)[ \t]?(.*?)(?:\*/)?[ \t]*$`)
	decorated = pattern.New(`^[ \t]*(?:@|#\[)`)
	quoted    = pattern.New(`(?s)^:?[^\n]*\n\s*(?:"""(.*?)"""|'''(.*?)''')`)
)

// above is the remark that a text ends with.
func above(text string) string {
	var out []string
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := len(all) - 1; i >= 0; i-- {
		m := remark.FindStringSubmatch(all[i])
		if m == nil && decorated.MatchString(all[i]) {
			continue
		}
		if m == nil || strings.HasPrefix(m[1], "@") {
			break
		}
		out = append([]string{m[1]}, out...)
	}
	return strings.Join(out, "\n")
}

// docstring is the text with which the body of a function of Python's begins.
func docstring(text string) string {
	m := quoted.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}
