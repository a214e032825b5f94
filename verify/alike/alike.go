// Package alike compares two texts of one file for what they mean: a formatter, "go mod
// tidy" or "npm install" writes a file anew and changes nothing, and who adds a line of
// documentation or a test takes nothing away.
package alike

import (
	"bytes"
	"encoding/json"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cookoff/internal/pattern"
)

// MaxSize bounds the bytes of a file whose texts are compared.
const MaxSize = 256 << 10

// languages compare two texts of a file, by how it is called.
var languages = []struct {
	is   func(name string) bool
	same func(was, is []byte) bool
}{
	{named("package-lock.json", "npm-shrinkwrap.json"), sameLock},
	{named("go.mod", "go.work"), sameModule},
	{named("go.sum", "go.work.sum"), sameSums},
	{named("Cargo.lock", "poetry.lock", "uv.lock"), sameTOML},
	{ending(".go"), sameGo},
	{ending(".py"), samePython},
	{ending(".js"), sameJS},
	{ending(".mjs"), sameJS},
	{ending(".cjs"), sameJS},
	{ending(".ts"), sameTS},
	{ending(".mts"), sameTS},
	{ending(".cts"), sameTS},
	{isBraced, sameBraced},
	{ending(".sh"), sameShell},
	{ending(".bash"), sameShell},
	{ending(".css"), sameCSS},
	{ending(".json"), sameJSON},
	{ending(".toml"), sameTOML},
	{ending(".yaml"), sameYAML},
	{ending(".yml"), sameYAML},
	{remarked.MatchString, sameRemarked},
}

func named(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

func ending(ext string) func(string) bool {
	return func(name string) bool { return path.Ext(name) == ext }
}

// Comparable reports whether a file is called as those are whose texts Same or Grown
// knows to compare.
func Comparable(p string) bool {
	name := path.Base(p)
	for _, l := range languages {
		if l.is(name) {
			return true
		}
	}
	return isText(p) || isIgnore(name) || IsIgnore(p) || IsTest(p) || IsBuild(p) || grower(p) != nil
}

// Foreign reports whether a file lies where the code of others is kept.
func Foreign(p string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(dir string) bool {
		return slices.Contains([]string{"node_modules", "vendor", "third_party", "site-packages", "dist-packages"}, dir)
	})
}

// Same reports whether two texts of a file say the same in other words. It is false where
// the file is in no language that is known, or one of the texts is not in it.
func Same(p string, was, is []byte) bool {
	name := path.Base(p) + interpreted(p, was, is)
	for _, l := range languages {
		if l.is(name) {
			return l.same(was, is)
		}
	}
	return false
}

// interpreter is the first line of a script that a shell, Python or Node runs.
var interpreter = pattern.New(`^#![ \t]*(?:/usr)?/bin/(?:env[ \t]+(?:-S[ \t]+)?)?` +
	`(sh|bash|dash|python[\d.]*|node)\b[^\n]*\n`)

// interpreted is the extension that a file would have which has none and begins as a script does, both times alike; ""
// of any other.
func interpreted(p string, was, is []byte) string {
	a, b := interpreter.FindSubmatch(was), interpreter.FindSubmatch(is)
	if strings.Contains(path.Base(p), ".") || a == nil || b == nil || !bytes.Equal(a[0], b[0]) {
		return ""
	}
	switch name := string(a[1]); {
	case name == "node":
		return ".js"
	case strings.HasPrefix(name, "python"):
		return ".py"
	}
	return ".sh"
}

// sameGo: the same tokens, however they are laid out, and all the comments; more of them
// say nothing, but to the compiler and other tools.
func sameGo(was, is []byte) bool {
	a, notes, ok := goTokens(was)
	b, more, too := goTokens(is)
	return ok && too && slices.Equal(a, b) && explained(notes, more)
}

// within reports whether each text is there as often, at least, among others.
func within(was, is map[string]int) bool {
	for text, n := range was {
		if is[text] < n {
			return false
		}
	}
	return true
}

// directive is what a comment says to a tool; a general comment may be C.
var directive = pattern.New(`^(//[a-z][a-z0-9]*:|//(extern|export|line|nolint|lint)\b|// *\+build\b|/\*)`)

// goTokens are the tokens of a Go source, and its comments. A line's end that ends a
// statement is a semicolon; in front of a closing bracket it says nothing.
func goTokens(src []byte) (list []string, notes map[string]int, ok bool) {
	var s scanner.Scanner
	files := token.NewFileSet()
	ok, notes = true, map[string]int{}
	cgo := bytes.Contains(src, []byte(`import "C"`))
	file, broken := files.AddFile("", files.Base(), len(src)), func(token.Position, string) { ok = false }
	s.Init(file, src, broken, scanner.ScanComments)
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return list, notes, ok
		case tok == token.SEMICOLON:
			text = ";"
		case tok == token.COMMENT && (cgo || directive.MatchString(text)):
			text = strings.Join(strings.Fields(text), " ")
		case tok == token.COMMENT:
			notes[strings.Join(strings.Fields(text), " ")]++
			continue
		case text == "":
			text = tok.String()
		}
		closes := tok == token.RBRACE || tok == token.RPAREN
		if n := len(list); closes && n > 0 && list[n-1] == ";" {
			list = list[:n-1]
		}
		list = append(list, text)
	}
}

func sameJSON(was, is []byte) bool {
	a, ok := decoded(was)
	b, too := decoded(is)
	return ok && too && reflect.DeepEqual(a, b)
}

func decoded(text []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v) == nil && !d.More()
}

// sameTOML leaves out which version of its own format a lockfile of cargo has.
func sameTOML(was, is []byte) bool {
	var a, b map[string]any
	if toml.Unmarshal(was, &a) != nil || toml.Unmarshal(is, &b) != nil {
		return false
	}
	if _, lock := a["package"].([]map[string]any); lock {
		delete(a, "version")
		delete(b, "version")
	}
	return reflect.DeepEqual(a, b)
}

// locked is what a lockfile of npm says of one package.
type locked struct {
	Version, Resolved, Integrity string
	Link                         bool
}

// sameLock: the same packages of the same versions from the same places, in whatever
// version of the format.
func sameLock(was, is []byte) bool {
	a, ok := lockedBy(was)
	b, too := lockedBy(is)
	return ok && too && maps.Equal(a, b)
}

func lockedBy(text []byte) (map[string]locked, bool) {
	var doc struct {
		Packages map[string]locked
	}
	if json.Unmarshal(text, &doc) != nil || doc.Packages == nil {
		return nil, false
	}
	delete(doc.Packages, "") // the project itself
	return doc.Packages, true
}

// sameModule: the same directives, whether in blocks or not, in whatever order.
func sameModule(was, is []byte) bool {
	a, ok := directives(was)
	b, too := directives(is)
	return ok && too && slices.Equal(a, b)
}

// directives are the lines of a go.mod or go.work without blocks and comments, sorted.
func directives(text []byte) (list []string, ok bool) {
	block := ""
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case block != "" && words[0] == ")":
			block = ""
		case block == "" && len(words) == 2 && words[1] == "(":
			block = words[0]
		case block != "":
			list = append(list, block+" "+strings.Join(words, " "))
		default:
			list = append(list, strings.Join(words, " "))
		}
	}
	slices.Sort(list)
	return slices.Compact(list), block == ""
}

// sameSums: every sum that was there is there still; more of them bind more modules.
func sameSums(was, is []byte) bool {
	now := map[string]bool{}
	for line := range strings.Lines(string(is)) {
		now[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(string(was)) {
		if !now[strings.TrimSpace(line)] {
			return false
		}
	}
	return true
}
