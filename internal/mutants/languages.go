package mutants

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// style is how a language writes what is no code, and which words it has.
type style struct {
	line    string   // begins a comment; "": none is known
	block   []string // begin and end of a comment
	quotes  string   // begin texts of one line
	long    []string // begin and end texts of many
	python  bool
	instead string           // what a line is that does nothing
	lines   bool             // faults by whole lines, too: no more is known of it
	own     []operator       // beside those that all languages have
	keepOut *pattern.Pattern // lines that declare
}

var (
	declares = pattern.New(
		`^\s*(import|from|package|use|using|#include|#define|export \*|assert|@)\b|__version__|__name__|(?i)version`)
	setting = pattern.New(`^\s*(set|shopt|trap|source|\.|require|use|package|local -r)\s|(?i)version`)
	cLike   = &style{line: "//", block: []string{"/*", "*/"}, quotes: `"'`, own: signsOnly, keepOut: declares}
	script  = &style{line: "//", block: []string{"/*", "*/"}, quotes: `"'`, long: []string{"`"}, own: signsOnly,
		keepOut: declares}
	python = &style{line: "#", quotes: `"'`,
		long: []string{`"""`, `'''`}, python: true, instead: "pass", own: pythonOnly, keepOut: declares}
	hash = &style{line: "#", quotes: `"'`, lines: true, own: slices.Concat(signsOnly, wordsOnly), keepOut: declares}
	ruby = &style{line: "#", quotes: `"'`, lines: true, own: slices.Concat(signsOnly, wordsOnly, rubyOnly),
		keepOut: declares}
	shell = &style{line: "#", quotes: `'`, lines: true, instead: ":", own: shellOnly, keepOut: setting}
	query = &style{line: "--", block: []string{"/*", "*/"}, quotes: `'`, lines: true, own: queryOnly,
		keepOut: declares}
	dashes = &style{line: "--", quotes: `"`, lines: true, own: wordsOnly, keepOut: declares}
	lisp   = &style{line: ";", quotes: `"`, lines: true, keepOut: declares}
	// free is of files of which nothing is known but that they are text.
	free = &style{lines: true, quotes: `"`, own: slices.Concat(signsOnly, wordsOnly), keepOut: declares}
)

// languages are those of which something is known, by the endings of their files.
var languages = func() map[string]*style {
	out := map[string]*style{".go": nil, ".py": python}
	for s, endings := range map[*style]string{
		script: ".js .mjs .cjs .jsx .ts .tsx .mts .cts",
		cLike: ".rs .java .kt .c .cc .cpp .cxx .h .hh .hpp .cs .swift .php .scala .dart .groovy .zig .m .mm .d .v " +
			".sol .proto .glsl .cu .vala .hx",
		ruby:   ".rb .rake",
		hash:   ".pl .pm .r .R .jl .ex .nim .cr .tcl .awk .ps1 .coffee .gd",
		shell:  ".sh .bash .zsh .ksh .fish .bats",
		query:  ".sql",
		dashes: ".lua .hs .elm .adb .vhd",
		lisp:   ".clj .cljs .cljc .lisp .el .scm .rkt .asm",
	} {
		for e := range strings.FieldsSeq(endings) {
			out[e] = s
		}
	}
	return out
}()

// noSource are files that are text, and no code, or that only declare: which types there are.
var noSource = pattern.New(
	`(?i)\.(md|markdown|rst|adoc|txt|text|org|tex|json5?|jsonl|ya?ml|toml|ini|cfg|conf|properties|lock|sum|mod|work|csv|tsv|xml|x?html?|svg|css|s[ac]ss|less|log|diff|patch|po|pot|pem|crt|key|pub|env|map|snap|golden|out|err|bak|orig|rej|tmp|gitignore|gitattributes|editorconfig|png|jpe?g|gif|ico|pdf|zip|t?gz|xz|bz2|zst|jar|war|class|so|dylib|dll|exe|bin|dat|db|sqlite3?|wasm|o|a|pyc|whl|woff2?|ttf|eot|otf|mp[34]|wav|ogg|webp|gradle|kts|cmake|mk|am|ac|in|m4|sln|csproj|nix|tf|bazel|bzl|lockb|pyi|rbi|mli|d\.[cm]?ts|flow)$`)

// styleOf is how a file is written; ok: faults can be planted in it, by its name. A name
// without an ending is a program's where its text says so.
func styleOf(file string) (s *style, ok bool) {
	if Test(file) || others.MatchString(file) || noSource.MatchString(file) {
		return nil, false
	}
	ending := path.Ext(file)
	if s, known := languages[ending]; known {
		return s, true
	}
	return free, strings.TrimPrefix(path.Base(file), ending) != "" // not of a hidden file
}

var interpreter = pattern.New(`^#!.*[/ ](\w+?)[\d.]*\s*(\n|$| )`)

// interpreted is how a program without an ending is written, by its first line; ok: it has
// one that says.
func interpreted(text string) (s *style, ok bool) {
	line, _, _ := strings.Cut(text, "\n")
	m := interpreter.FindStringSubmatch(line)
	if m == nil {
		return nil, false
	}
	switch m[1] {
	case "python":
		return python, true
	case "node", "deno", "bun":
		return script, true
	case "sh", "bash", "dash", "zsh", "ksh":
		return shell, true
	case "env", "ruby", "perl":
		return hash, true
	}
	return free, true
}
