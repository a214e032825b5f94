package diffs

import (
	"path"
	"strings"

	"cookoff/internal/ui/screen"
)

// groupStyles are the styles of what a language's pattern finds: comments,
// strings, numbers, keywords.
var groupStyles = [...]screen.Style{screen.Dim, cyan, blue, magenta}

// The parts of patterns. What is not closed ends with its line, or the file.
const (
	slashes = `//[^\n]*|/\*(?s:.*?)(?:\*/|\z)`
	hashes  = `(?m:^|[ \t])#[^\n]*`
	quoted  = `"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
	ticked  = "`[^`]*`|" + quoted
	tripled = `"""(?s:.*?)(?:"""|\z)|'''(?s:.*?)(?:'''|\z)|` + quoted
)

// languageOf gives the pattern of the language that a file is in by its name:
// one group each for comments, strings, numbers and keywords. "": not known.
func languageOf(name string) string {
	base := path.Base(name)
	switch ext := path.Ext(base); {
	case ext == ".go":
		return pattern(slashes, ticked, "break case chan const continue default defer else fallthrough for func go "+
			"goto if import interface map package range return select struct switch type var nil true false")
	case oneOf(ext, ".py .pyi"):
		return pattern(hashes, tripled, "and as assert async await break class continue def del elif else except "+
			"finally for from global if import in is lambda nonlocal not or pass raise return try while with yield "+
			"None True False")
	case oneOf(ext, ".js .mjs .cjs .jsx .ts .tsx"):
		return pattern(slashes, ticked, "async await break case catch class const continue default delete do else "+
			"export extends finally for from function if import in instanceof let new of return static super switch "+
			"this throw try typeof var while yield null true false undefined type interface")
	case oneOf(ext, ".c .h .cc .cpp .hpp .java .rs .cs .kt .swift"):
		return pattern(slashes, quoted, "auto bool break case catch char class const continue default do double else "+
			"enum extern final float fn for if impl import int let long match mod mut new null private protected "+
			"public pub return self static struct super switch this throw true false try typedef union unsigned use "+
			"void while")
	case oneOf(ext, ".sh .bash .zsh .env") || oneOf(base, ".bashrc .profile .bash_profile"):
		return pattern(hashes, quoted, "if then elif else fi for in do done while until case esac function return "+
			"exit export local set unset shift source")
	case ext == ".rb" || oneOf(base, "Gemfile Rakefile"):
		return pattern(hashes, quoted, "begin break case class def do else elsif end ensure false for if in module "+
			"next nil not or redo rescue retry return self super then true unless until when while yield require")
	case oneOf(ext, ".yaml .yml .toml .ini .cfg .conf"):
		return pattern(hashes, tripled, "true false null yes no")
	case oneOf(ext, ".json .jsonl"):
		return pattern(`\z.`, quoted, "true false null")
	case ext == ".mk" || oneOf(base, "Makefile makefile GNUmakefile Dockerfile .gitignore"):
		return pattern(hashes, quoted, "include ifeq ifneq ifdef ifndef else endif define endef export "+
			"FROM RUN COPY ADD CMD ENTRYPOINT ENV ARG WORKDIR USER EXPOSE")
	case ext == ".sql":
		return pattern(`--[^\n]*|/\*(?s:.*?)(?:\*/|\z)`, quoted,
			"SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE ALTER DROP INDEX PRIMARY KEY "+
				"NOT NULL AND OR ORDER BY GROUP JOIN ON AS LIMIT")
	}
	return ""
}

func oneOf(s, list string) bool {
	for word := range strings.FieldsSeq(list) {
		if s == word {
			return true
		}
	}
	return false
}

func pattern(comments, text, keywords string) string {
	return `(` + comments + `)|(` + text + `)|(\b\d(?:[\w.]*\w)?\b)|(\b(?:` + strings.Join(strings.Fields(keywords),
		"|") + `)\b)`
}
