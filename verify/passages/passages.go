// Package passages compares documents and files of settings line by line, to find what such a file no longer says:
// whoever mends one line of it must not lose the others.
package passages

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// Kind is what became of a line.
type Kind int

const (
	Gone  Kind = iota // nothing says any more what it said
	Other             // most of its words are still there, or what it sets has another value
	Marks             // all of its words are there, with other marks or another indentation
)

// Change is what became of a line that is no longer there as it was.
type Change struct {
	Kind
	Line    string // its words
	Nth     int    // how many lines before it had the same words
	Section string // the section in which it stands; "" where files of its kind have none
	Row     int    // its number in the file, from 1 on; 0: it stands for several
}

var (
	// prose are the names of documents.
	prose = pattern.New(`(?i)\.(md|markdown|mdx|rst|adoc|asciidoc|txt|text|tex|org)$|` +
		`^(readme|changelog|changes|news|notice|authors)$`)
	// settings are the names of files of settings.
	settings = pattern.New(`(?i)\.(ini|cfg|conf|cnf|config|properties|toml|ya?ml|env|tf|tfvars|hcl|nomad|` +
		`service|timer|socket|po|pot|desktop|editorconfig)$|` +
		`^(dockerfile|containerfile|crontab|procfile|codeowners|hosts|caddyfile)$|` +
		`^dockerfile\.|^\.(editorconfig|gitattributes|gitmodules|env)$|` +
		`^(config|credentials|sshd_config|known_hosts|authorized_keys|fstab|exports|sudoers)$|` +
		`^\.(netrc|pgpass|curlrc|wgetrc|inputrc|gemrc|hgrc|condarc|screenrc|digrc|nanorc|psqlrc|sqliterc|pypirc)$`)
	// elsewhere are the names of files that tools write, or whose meaning other packages know: those compare them.
	elsewhere = pattern.New(`(?i)lock\.(ya?ml|toml|json)$|^(pyproject\.toml|cargo\.toml|setup\.cfg|pipfile|` +
		`cmakelists\.txt|meson_options\.txt|(requirements|constraints).*\.txt|requirements\.in|modules\.txt)$`)
	word     = pattern.New(`[\p{L}\p{N}_][\p{L}\p{N}_./@-]*`)
	header   = pattern.New(`^\[+([^\]]+)\]+$`)
	keyed    = pattern.New(`^["']?([\p{L}\p{N}_][\p{L}\p{N}_./@-]*)["']?[ \t]*[=:]`)
	assigned = pattern.New(`^[\p{L}_][\p{L}\p{N}_]*[ \t]*=`)
	spaced   = pattern.New(`^["']?([\p{L}\p{N}_][\p{L}\p{N}_./@-]*)["']?[ \t]+[^ \t]`)
	heading  = pattern.New(`^#{1,6} `)
)

// Are reports whether a file has the name of a document or of a file of settings that is compared here.
func Are(p string) bool {
	name := path.Base(p)
	return !elsewhere.MatchString(name) && (prose.MatchString(name) || settings.MatchString(name) || isCrontab(p))
}

// line is a line that says something.
type line struct {
	words   []string
	key     string // of the setting that it sets; "": it sets none
	section string
	remark  bool   // it is a comment
	raw     string // as it stands, but for the space at its end
	row     int    // its number in the file, from 1 on
}

// text is what a line says, however it is laid out. A comment differs from a setting of the same words.
func (l line) text() string {
	if l.remark {
		return "# " + strings.Join(l.words, " ")
	}
	return strings.Join(l.words, " ")
}

// A heading counts that has fewest words or more, and comments count that have lost fewestRemarks words or more.
const (
	fewest        = 3
	fewestRemarks = 6
)

// format is how the lines of a file are read.
type format struct {
	prose        bool // a document, whose lines set nothing
	translations bool // a catalogue of translations, whose lines set nothing, either
	headers      bool // headers in brackets begin its sections, and a semicolon begins a comment
	yaml         bool // tables begin its sections
	spaced       bool // a key and its value may have nothing but space between them
	timed        bool // a crontab: what is said of one command, or one variable, is a section
	column       int  // the column of a table that tells its lines from each other, from 1 on; 0: it is no table
}

func formatOf(p string) format {
	name := path.Base(p)
	ext := strings.ToLower(path.Ext(name))
	column := tables[strings.ToLower(name)]
	if isCrontab(p) && column == 0 {
		column = 7 // a user stands before the command
	}
	return format{
		prose:        prose.MatchString(name),
		translations: ext == ".po" || ext == ".pot",
		headers:      slices.Contains(withHeaders, ext) || bracketed.MatchString(name),
		yaml:         ext == ".yaml" || ext == ".yml",
		spaced:       ext == ".conf" || ext == ".cnf",
		timed:        isCrontab(p),
		column:       column,
	}
}

// tables are the names of files whose lines are those of a table, with the column that tells what a line is about.
var tables = map[string]int{"crontab": 6, "hosts": 2, "codeowners": 1}

// bracketed are the names of files without an extension that have them, too.
var bracketed = pattern.New(`^(config|credentials|\.(hgrc|pypirc))$`)

// withHeaders are the extensions of files that have headers in brackets.
var withHeaders = []string{".ini", ".cfg", ".conf", ".cnf", ".toml", ".service", ".timer", ".socket", ".desktop",
	".editorconfig", ".properties"}

// read gives the lines of a text that say something.
func read(p string, text []byte) (list []line) {
	f, section := formatOf(p), ""
	var tables nesting
	row := 0
	for raw := range strings.Lines(string(text)) {
		row++
		raw = strings.TrimRight(raw, "\r\n")
		bare := strings.TrimSpace(raw)
		l := line{words: wordsOf(bare), remark: f.isRemark(bare), raw: strings.TrimRight(raw, " \t"), row: row}
		if len(l.words) == 0 || f.prose && heading.MatchString(bare) && len(l.words) < fewest {
			continue
		}
		if !l.remark {
			l.key = f.keyOf(bare)
		}
		switch {
		case f.yaml && !l.remark:
			section = tables.of(raw, l.key)
		case f.timed:
			section = about(bare)
		case !f.yaml:
			section = cmp.Or(f.begins(raw), section)
		}
		l.section = section
		list = append(list, l)
	}
	return list
}

// wordsOf are the words of a line in lower case, without punctuation at their ends.
func wordsOf(bare string) (words []string) {
	for _, w := range word.FindAllString(strings.ToLower(bare), -1) {
		if w = strings.TrimRight(w, "./@-"); w != "" {
			words = append(words, w)
		}
	}
	return words
}

// isRemark reports whether a line is a comment.
func (f format) isRemark(bare string) bool {
	return !f.prose && strings.HasPrefix(bare, "#") || f.headers && strings.HasPrefix(bare, ";") ||
		strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "<!--")
}

// repeats reports whether several lines of a file have one key and stand for different things, as in each list of YAML,
// or where two commands of a table begin alike.
func (f format) repeats() bool { return f.yaml || f.column > 0 }

// keyOf is the key that a line sets, in lower case; "": it sets none.
func (f format) keyOf(bare string) string {
	if columns := strings.Fields(bare); f.column > 0 && !assigned.MatchString(bare) {
		at := f.column
		if columns[0][0] == '@' && at > 2 { // "@daily" stands for the columns of a time
			at = 2
		}
		if len(columns) < at {
			return ""
		}
		return strings.ToLower(columns[at-1])
	}
	m := keyed.FindStringSubmatch(strings.TrimLeft(bare, "- "))
	if m == nil && f.spaced { // nothing but space stands behind a key
		m = spaced.FindStringSubmatch(bare)
	}
	if m == nil || f.prose || f.translations {
		return ""
	}
	return strings.ToLower(m[1])
}

// begins is the name of the section that a line begins; "": it begins none.
func (f format) begins(raw string) string {
	if h := header.FindStringSubmatch(strings.TrimSpace(raw)); f.headers && h != nil {
		return strings.ToLower(strings.Trim(h[1], ` "'`))
	}
	return ""
}

// nesting is where in the tables of a file of YAML a line stands, as far as these are sections: tables at the top, and
// those right in them, as Values has them.
type nesting struct {
	top, inner string // keys of the tables, in lower case
	indent     int    // of the keys in the outer one; 0: there was none yet
}

// of gives the section of the next line.
func (n *nesting) of(raw, key string) string {
	bare := strings.TrimLeft(raw, " ")
	switch indent := len(raw) - len(bare); {
	case indent == 0 && bare[0] != '-' && key != "":
		*n = nesting{top: key}
	case indent == 0 || n.indent > 0 && indent > n.indent:
	case bare[0] == '-' || key == "" || !strings.HasSuffix(bare, ":") && !strings.HasSuffix(bare, "{"):
		n.inner, n.indent = "", indent
	default:
		n.inner, n.indent = key, indent
	}
	if n.inner == "" {
		return n.top
	}
	return n.top + "." + n.inner
}

// Remarks is the line of the one change that stands for all comments, where most of their words are gone.
const Remarks = "# comments"

// Changes are the lines of a text that are no longer there as they were, and the sections in which lines have changed.
func Changes(p string, was, is []byte) (list []Change, sections []string) {
	return compare(read(p, was), read(p, is), formatOf(p).repeats())
}

// compare compares the lines of two texts, in which several may have one key, or not.
func compare(old, now []line, repeats bool) (list []Change, sections []string) {
	kept, exact := matched(old, now, line.text), matched(old, now, func(l line) string { return l.raw })
	nth := map[string]int{}
	left := make([]line, 0, len(old))
	var nths []int
	for i, l := range old {
		text := l.text()
		if !exact[i] {
			sections = append(sections, l.section)
		}
		switch {
		case !kept[i]:
			left, nths = append(left, l), append(nths, nth[text])
		case !exact[i]:
			list = append(list, Change{Marks, text, nth[text], l.section, l.row})
		}
		nth[text]++
	}
	f := found{words: map[string]int{}, remarks: map[string]int{}, keys: map[string]int{}}
	set := map[[2]string]bool{} // a section and a key that a line of before sets, once more or still
	was := matched(now, old, line.text)
	for i, l := range now {
		if was[i] {
			set[[2]string{l.section, l.key}] = l.key != "" && !repeats
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
		c := Change{Gone, l.text(), nths[i], l.section, l.row}
		if n*2 > len(l.words) || f.hasValue(l) || set[[2]string{l.section, l.key}] {
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

// matched reports of each line whether others have one that says the same, each for one line: in its section first,
// since a line that stands in several is not lost from another one.
func matched(list, others []line, says func(line) string) []bool {
	in, left := map[[2]string]int{}, map[string]int{}
	for _, l := range others {
		in[[2]string{l.section, says(l)}]++
		left[says(l)]++
	}
	out := make([]bool, len(list))
	for i, l := range list {
		if at := [2]string{l.section, says(l)}; in[at] > 0 {
			in[at]--
			left[at[1]]--
			out[i] = true
		}
	}
	for i, l := range list {
		if !out[i] && left[says(l)] > 0 {
			left[says(l)]--
			out[i] = true
		}
	}
	return out
}

// found counts the words and keys of new and changed lines.
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

// take counts the words of a line that are found, and takes each away, for it is found once. Words of a setting are not
// found in a comment.
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

// hasValue reports whether a new or changed line sets what a line sets, and takes that line's key away.
func (f found) hasValue(l line) bool {
	if l.key == "" || f.keys[l.key] == 0 {
		return false
	}
	f.keys[l.key]--
	return true
}
