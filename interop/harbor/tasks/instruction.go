package tasks

import (
	"encoding/json"
	"os"
	"path"
	"strings"

	"cookoff/internal/pattern"
)

// instruction is one of a Dockerfile.
type instruction struct {
	word, rest string
	docs       []doc
}

// doc is a text that stands below its instruction.
type doc struct {
	text    string
	expands bool
}

// heredoc is how one is announced.
var heredoc = pattern.New(`<<-?(["']?)([A-Za-z_][A-Za-z0-9_]*)(["']?)`)

// instructions are those of a Dockerfile, without comments, lines that go on joined. What
// stands below one stays in rest where the shell is to read it, and is in docs.
func instructions(text string) []instruction {
	var out []instruction
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for strings.HasSuffix(line, `\`) {
			line = strings.TrimSuffix(line, `\`) + " "
			for i++; i < len(lines) && (strings.TrimSpace(lines[i]) == "" ||
				strings.HasPrefix(strings.TrimSpace(lines[i]), "#")); i++ {
			}
			if i >= len(lines) {
				break
			}
			line += strings.TrimSpace(lines[i])
		}
		word, rest, _ := strings.Cut(line, " ")
		in := instruction{word: strings.ToUpper(word), rest: strings.TrimSpace(rest)}
		if in.word == "RUN" || in.word == "COPY" || in.word == "ADD" {
			for _, m := range heredoc.FindAllStringSubmatch(in.rest, -1) {
				d := doc{expands: m[1] == ""}
				i, d.text = below(lines, i+1, m[2], strings.HasPrefix(m[0], "<<-"))
				in.docs = append(in.docs, d)
				if in.word == "RUN" && !strings.HasPrefix(in.rest, "<<") {
					in.rest += "\n" + d.text + m[2] + "\n"
				}
			}
		}
		out = append(out, in)
	}
	return out
}

// below gives the lines up to one that is end, and the number of that.
func below(lines []string, from int, end string, tabs bool) (int, string) {
	var b strings.Builder
	for ; from < len(lines); from++ {
		line := lines[from]
		if tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == end {
			return from, b.String()
		}
		b.WriteString(line + "\n")
	}
	return from, b.String()
}

// script is what a RUN has the shell do.
func (in instruction) script() string {
	var words []string
	if json.Unmarshal([]byte(in.rest), &words) == nil && len(words) > 0 {
		if len(words) == 3 && isShell(words[0]) && words[1] == "-c" {
			return words[2]
		}
		for i := range words {
			words[i] = quote(words[i])
		}
		return strings.Join(words, " ")
	}
	if strings.HasPrefix(in.rest, "<<") && len(in.docs) == 1 {
		return in.docs[0].text
	}
	return in.rest
}

func isShell(name string) bool {
	return path.IsAbs(name) && (path.Base(name) == "bash" || path.Base(name) == "sh")
}

// expand puts the values of the build into a text; false: one is not known.
func (d *dockerfile) expand(text string) (string, bool) {
	known := true
	out := os.Expand(text, func(name string) string {
		name, otherwise, has := strings.Cut(name, ":-")
		if value, ok := d.out.args[name]; ok && (value != "" || !has) {
			return value
		}
		known = known && has
		return otherwise
	})
	return out, known
}
