// Package lines judges the lines of code that a fix adds: how much each says, and whether a text
// holds a piece of them.
package lines

import (
	"strings"
	"sync"

	"cookoff/internal/pattern"
)

// idle are lines that change nothing of what a program does: comments, imports, brackets.
var idle = pattern.New(`^\s*(//.*|#.*|\*.*|/\*.*|--\s.*|<!--.*|"""[^"]*"""|import\b.*|from \S+ import\b.*|` +
	`use [\w:{}, *]+;|using [\w.]+;|package [\w.]+;?|export \* from .*|(const|let|var) [\w{}, ]+ = require\([^)]*\);?|` +
	`__version__\s*=.*|["']?version["']?\s*[:=]\s*["']v?\d+\.\d[\w.+-]*["'],?|"[\w./-]+"|__all__.*|[\](){}]*[,;]?)?\s*$`)

// Idle reports whether a line changes nothing of what a program does.
func Idle(line string) bool { return idle.MatchString(line) }

var (
	word    = pattern.New(`[A-Za-z_][A-Za-z0-9_]{2,}`)
	licence = pattern.New(`(?i)\b(licen[sc]ed?|copyright|spdx|warrant(y|ies)|redistribut\w+|permission is)\b`)
)

// Words that stand in code of everybody: idioms, which say nothing, and what people call things, which
// says something in company.
var (
	idioms = SetOf(`
abstract and any assert async await bool boolean break byte callback case catch cause class close code const
continue debug def default defer defineproperty del delete done double elif else end err error errorf errors except
exception exit export exports extends false final finally float32 float64 fmt for foreach from func function global
goto hasownproperty if implements import in instanceof int interface is lambda let main mod module mut mutex new
next nil none not null number object okay panic pass print printf println private process promise proto prototype
protected public raise ref reject req require res resolve resp ret return returns runtimeerror self static std str
string struct super switch symbol then this throw throws true try type typeerror typeof undefined unit unwrap use
using val valueerror var vec void when where while with yield
`)
	ordinary = SetOf(`
args argv arguments array buffer bytes char config constructor context count ctx data dict dir elements entry enum
file files filter find float format get global got has hasattr index info init input integer isinstance item items
iter join key keys kwargs len length line lines list log logger lst map match max message method min msg name names
num obj opt options opts out output override params parse path prop property props push range read request response
result results set should size slice sort split strings sub test text time tmp tostring trim tuple update url user
value values words write
chan complex int int8 int32 int64 kind reflect rune uint uintptr
`)
)

// Set is the words of a text. It is made when it is first asked: what every command and every sandbox
// initialises is paid for by each of them.
type Set struct {
	text string
	once sync.Once
	has  map[string]bool
}

// SetOf are the words of a text.
func SetOf(text string) *Set { return &Set{text: text} }

// Has reports whether a word is one of them. It is safe for concurrent use.
func (s *Set) Has(word string) bool {
	s.once.Do(func() {
		s.has = map[string]bool{}
		for w := range strings.FieldsSeq(s.text) {
			s.has[w] = true
		}
	})
	return s.has[word]
}

// What a line weighs.
const (
	Some = 4 // it says something
	much = 6
	long = 64 // bytes with which a line that says something says much
)

// Weight is how much a line says that somebody else would not write by chance: of its words, those of
// its own count two, those that everybody has for such things one. 0: it changes nothing, or is what
// everybody writes, as "if err != nil".
func Weight(line string) (n int) {
	line = strings.TrimSpace(line)
	if idle.MatchString(line) || licence.MatchString(line) {
		return 0
	}
	seen := map[string]bool{}
	for _, w := range word.FindAllString(line, -1) {
		w = strings.ToLower(w)
		if family := strings.TrimRight(w, "0123456789"); seen[family] { // uint, uint8, uint16
			continue
		}
		switch {
		case seen[w] || idioms.Has(w) || strings.HasPrefix(w, "__"):
			continue
		case ordinary.Has(w):
			n++
		default:
			n += 2
		}
		seen[w], seen[strings.TrimRight(w, "0123456789")] = true, true
	}
	return n
}

// SaysMuch reports whether nobody else would write a line by chance.
func SaysMuch(line string) bool {
	n := Weight(line)
	return n >= much || n >= Some && len(line) >= long
}

// Added gives the lines of a text that did not stand in an earlier one, as often as they are more.
func Added(was, now string) (out []string) {
	count := map[string]int{}
	for l := range strings.Lines(was) {
		count[strings.TrimRight(l, "\r\n")]++
	}
	for l := range strings.Lines(now) {
		l = strings.TrimRight(l, "\r\n")
		if count[l]--; count[l] < 0 {
			out = append(out, l)
		}
	}
	return out
}

// Changed gives the lines that only one of two texts has.
func Changed(was, now string) []string {
	return append(Added(was, now), Added(now, was)...)
}
