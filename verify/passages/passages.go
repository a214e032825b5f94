// Package passages compares documents and files of settings line by line, for what one of them no longer says:
// who mends a line of such a file is not to lose the others.
package passages

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// Kind is what became of a line.
type Kind int

const (
	Gone  Kind = iota // nothing says it any more
	Other             // most of its words are there, or the setting has another value
)

// Change is what became of a line that is not there as it was.
type Change struct {
	Kind
	Line    string // its words
	Nth     int    // how many of the same words were before it
	Section string // in which it stands; "" where files of its kind have none
}

var (
	prose    = pattern.New(`(?i)\.(md|markdown|mdx|rst|adoc|asciidoc|txt|text|tex|org)$|^(readme|changelog|changes|news|notice|authors)$`)
	settings = pattern.New(`(?i)\.(ini|cfg|conf|cnf|config|properties|toml|ya?ml|env|tf|tfvars|hcl|nomad|service|timer|socket|po|pot|` +
		`desktop|editorconfig)$|^(dockerfile|containerfile|crontab|procfile|codeowners|hosts|caddyfile)$|^dockerfile\.|` +
		`^\.(editorconfig|gitattributes|gitmodules|env)$`)
	// elsewhere are files whose lines mean something to tools that know them, or that tools write.
	elsewhere = pattern.New(`(?i)lock\.(ya?ml|toml|json)$|^(pyproject\.toml|cargo\.toml|setup\.cfg|pipfile|cmakelists\.txt|` +
		`meson_options\.txt|(requirements|constraints).*\.txt|requirements\.in|modules\.txt)$`)
	word    = pattern.New(`[\p{L}\p{N}_][\p{L}\p{N}_./@-]*`)
	header  = pattern.New(`^\[+([^\]]+)\]+$`)
	keyed   = pattern.New(`^["']?([\p{L}\p{N}_][\p{L}\p{N}_./@-]*)["']?[ \t]*[=:]`)
	heading = pattern.New(`^#{1,6} `)
)

// Are reports whether a file is called as documents and files of settings are.
func Are(p string) bool {
	name := path.Base(p)
	return !elsewhere.MatchString(name) && (prose.MatchString(name) || settings.MatchString(name))
}

// line is one that says something.
type line struct {
	words   []string
	key     string
	section string
	remark  bool // it is a comment
}

// text is what a line says, however it is laid out; a comment says nothing in place of a setting.
func (l line) text() string {
	if l.remark {
		return "# " + strings.Join(l.words, " ")
	}
	return strings.Join(l.words, " ")
}

// fewest are the words that a heading has at least which counts, and those of comments that are lost together.
const (
	fewest        = 3
	fewestRemarks = 6
)

// read takes a text apart.
func read(p string, text []byte) (list []line) {
	name := path.Base(p)
	isProse, ext := prose.MatchString(name), strings.ToLower(path.Ext(name))
	translations, section := ext == ".po" || ext == ".pot", ""
	for raw := range strings.Lines(string(text)) {
		raw = strings.TrimRight(raw, "\r\n")
		bare := strings.TrimSpace(raw)
		l := line{remark: !isProse && strings.HasPrefix(bare, "#") || sectioned(ext) && strings.HasPrefix(bare, ";") ||
			strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "<!--")}
		for _, w := range word.FindAllString(strings.ToLower(bare), -1) {
			if w = strings.TrimRight(w, "./@-"); w != "" {
				l.words = append(l.words, w)
			}
		}
		if len(l.words) == 0 || isProse && heading.MatchString(bare) && len(l.words) < fewest {
			continue
		}
		m := keyed.FindStringSubmatch(strings.TrimLeft(bare, "- "))
		if m != nil && !isProse && !translations && !l.remark {
			l.key = strings.ToLower(m[1])
		}
		switch h := header.FindStringSubmatch(bare); {
		case sectioned(ext) && h != nil:
			section = strings.ToLower(strings.Trim(h[1], ` "'`))
		case (ext == ".yaml" || ext == ".yml") && l.key != "" && raw[0] != ' ' && raw[0] != '-':
			section = l.key
		}
		l.section = section
		list = append(list, l)
	}
	return list
}

// sectioned reports whether files of a kind have headers in brackets.
func sectioned(ext string) bool {
	return slices.Contains([]string{".ini", ".cfg", ".conf", ".cnf", ".toml", ".service", ".timer", ".socket", ".desktop",
		".editorconfig", ".properties"}, ext)
}

// Remarks is the line that stands for comments of which most are gone.
const Remarks = "# comments"

// Changes are the lines that a text had and has no more as they were, and the sections in which lines are others.
func Changes(p string, was, is []byte) (list []Change, sections []string) {
	old, now, same := read(p, was), read(p, is), map[string]int{}
	for _, l := range now {
		same[l.text()]++
	}
	nth, kept := map[string]int{}, map[string]int{}
	left := make([]line, 0, len(old))
	var nths []int
	for _, l := range old {
		text := l.text()
		if kept[text] < same[text] {
			kept[text]++
		} else {
			left, nths = append(left, l), append(nths, nth[text])
			sections = append(sections, l.section)
		}
		nth[text]++
	}
	f := found{words: map[string]int{}, remarks: map[string]int{}, keys: map[string]int{}}
	for _, l := range now {
		if text := l.text(); kept[text] > 0 {
			kept[text]--
			continue
		}
		sections = append(sections, l.section)
		f.add(l)
	}
	remarks, lost := 0, 0
	for _, l := range old {
		if l.remark {
			remarks += len(l.words)
		}
	}
	for i, l := range left {
		n := f.take(l)
		if l.remark {
			lost += len(l.words) - n
			continue
		}
		c := Change{Gone, l.text(), nths[i], l.section}
		if n*2 > len(l.words) || f.hasValue(l) {
			c.Kind = Other
		}
		list = append(list, c)
	}
	if lost >= fewestRemarks && lost*2 > remarks {
		list = append(list, Change{Kind: Gone, Line: Remarks})
	}
	slices.Sort(sections)
	return list, slices.Compact(sections)
}

// found is what new and changed lines say.
type found struct{ words, remarks, keys map[string]int }

func (f found) add(l line) {
	in := f.words
	if l.remark {
		in = f.remarks
	}
	for _, w := range l.words {
		in[w]++
	}
	if l.key != "" && len(l.words) > 1 {
		f.keys[l.key]++
	}
}

// take counts the words of a line that are found, each but once. A comment says nothing in place of a setting.
func (f found) take(l line) (n int) {
	for _, w := range l.words {
		switch {
		case f.words[w] > 0:
			f.words[w]--
			n++
		case l.remark && f.remarks[w] > 0:
			f.remarks[w]--
			n++
		}
	}
	return n
}

// hasValue reports whether what a line sets is set by another.
func (f found) hasValue(l line) bool {
	if l.key == "" || f.keys[l.key] == 0 {
		return false
	}
	f.keys[l.key]--
	return true
}
