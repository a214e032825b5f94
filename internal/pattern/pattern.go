// Package pattern holds regular expressions that are compiled when they are
// first used: a program that has a hundred of them starts without.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. It is safe for concurrent use.
type Pattern struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// New gives the pattern of an expression, which must be right: its first use
// panics otherwise. A test compiles all that stand in this program.
func New(expr string) *Pattern { return &Pattern{text: expr} }

// Regexp gives the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

// String is the expression as it was written.
func (p *Pattern) String() string { return p.text }

// The methods below are those of regexp.Regexp.

// MatchString reports whether s has a match.
func (p *Pattern) MatchString(s string) bool { return p.Regexp().MatchString(s) }

// Match reports whether b has a match.
func (p *Pattern) Match(b []byte) bool { return p.Regexp().Match(b) }

// FindString gives the leftmost match; "": there is none, or it is empty.
func (p *Pattern) FindString(s string) string { return p.Regexp().FindString(s) }

// FindStringIndex gives where the leftmost match begins and ends; nil: there is none.
func (p *Pattern) FindStringIndex(s string) []int { return p.Regexp().FindStringIndex(s) }

// FindStringSubmatch gives the leftmost match and its groups; nil: there is none.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.Regexp().FindStringSubmatch(s) }

// FindSubmatch gives the leftmost match and its groups; nil: there is none.
func (p *Pattern) FindSubmatch(b []byte) [][]byte { return p.Regexp().FindSubmatch(b) }

// FindAll gives the first n matches, all for n < 0.
func (p *Pattern) FindAll(b []byte, n int) [][]byte { return p.Regexp().FindAll(b, n) }

// FindAllString gives the first n matches, all for n < 0.
func (p *Pattern) FindAllString(s string, n int) []string { return p.Regexp().FindAllString(s, n) }

// FindAllStringIndex gives where the first n matches lie, all for n < 0.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.Regexp().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch gives the first n matches with their groups, all for n < 0.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.Regexp().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex gives where the first n matches and their groups lie.
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.Regexp().FindAllStringSubmatchIndex(s, n)
}

// FindAllSubmatch gives the first n matches with their groups, all for n < 0.
func (p *Pattern) FindAllSubmatch(b []byte, n int) [][][]byte {
	return p.Regexp().FindAllSubmatch(b, n)
}

// ReplaceAll puts with, in which $1 is a group, in the place of each match.
func (p *Pattern) ReplaceAll(b, with []byte) []byte { return p.Regexp().ReplaceAll(b, with) }

// ReplaceAllString puts with, in which $1 is a group, in the place of each match.
func (p *Pattern) ReplaceAllString(s, with string) string {
	return p.Regexp().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc puts what with gives in the place of each match.
func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.Regexp().ReplaceAllStringFunc(s, with)
}
