package footprint

import "cookoff/internal/pattern"

// Redefines is what was done to a program that has come to have an own meaning for what its tests
// are written with: comparisons, what is printed, the end.
const Redefines = "gives what tests compare with another meaning"

// redefined are such meanings, by the extension of files, as onlookers are: of the C library, of
// commands of a shell, of the assertions of Python and JavaScript.
var redefined = map[string]*pattern.Pattern{
	".c": pattern.New(`(?m)^[ \t]*(extern[ \t]+)?(unsigned[ \t]+)?(int|void|size_t|char[ \t]*\*|_Noreturn[ \t]+void)[ \t]*\*?` +
		ofLibrary + `[ \t]*\([^;{}]*\)[ \t]*(\{|$)|(?m)^[ \t]*#[ \t]*define[ \t]+(assert|` + ofLibrary + `)\b|` +
		`\b(__asm__|asm|alias)[ \t]*\([ \t]*"` + ofLibrary + `"`),
	".sh": pattern.New(`(?m)(^|[;&|{(]|\bthen|\bdo)[ \t]*(function[ \t]+)?` + ofShell + `[ \t]*\(\)|` +
		`(?m)(^|[;&|{("'])[ \t]*function[ \t]+` + ofShell + `\b|\balias[ \t]+` + ofShell + `=|` +
		`\beval\b[^\n]*(\bfunction[ \t]+\$|\$\{?\w+\}?[ \t]*\(\))`),
	".py": pattern.New(`\.(assert[A-Z]\w*|_baseAssertEqual|failureException)[ \t]*=[^=]|` +
		`\bsetattr\([^\n]*["'](assert[A-Z]\w*|_baseAssertEqual|failureException)["']`),
	".js": pattern.New(`\.(not)?([sS]trictEqual|[dD]eepEqual|[dD]eepStrictEqual)[ \t]*=[^=]|` +
		`\[["'](not)?([sS]trictEqual|[dD]eepEqual|[dD]eepStrictEqual)["']\][ \t]*=[^=]|` +
		`\b(assert|expect)(\.\w+|\[[^\]\n]+\])[ \t]*=[^=>]`),
}

const (
	ofLibrary = `(str(n|case|ncase|r?str|coll)?cmp|strn?casecmp|str(r?str|len)|memcmp|wcs(n)?cmp|wmemcmp|` +
		`v?(f|s|sn)?printf|f?puts|perror|exit|_exit|_Exit|abort|__assert_fail)`
	ofShell = `(test|\[|diff|cmp|grep|exit|printf|echo|expr|command|builtin|true|false)`
)

// redefines reports whether lines of a program, without its comments, do that, and the text that was
// did not.
func redefines(p, lines, was string) bool {
	own := onlookerOf(p)
	for ext, means := range redefined {
		if own != nil && own == onlookers[ext] {
			return means.MatchString(joinedNames(lines)) && !means.MatchString(was)
		}
	}
	return false
}

// joinedNames has words that are written in pieces as one.
func joinedNames(lines string) string {
	return joined.ReplaceAllString(lines, "")
}

// reads is how a shell reads functions of another file into itself.
var reads = pattern.New(`(?m)(^|[;&|{(]|\bthen|\bdo)[ \t]*(\.|source)[ \t]+["'$\w./{]`)

// readIn reports whether a check, or a test of the start, reads other files into its shell: only there
// does a function of theirs mean something.
func (f *Footprint) readIn(s *Start) bool {
	if reads.MatchString(f.About) {
		return true
	}
	for p, it := range s.Texts {
		if onlookerOf(spoken(p, string(it.Data))) == onlookers[".sh"] && !mayLookOn(p) && reads.MatchString(string(it.Data)) {
			return true
		}
	}
	return false
}
