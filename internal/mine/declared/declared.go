// Package declared says what a change declares that was not there before, or not so: names with their signatures, as
// tests call them.
package declared

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/sides"
	"cookoff/internal/pattern"
)

// Declaration is a name that a source declares.
type Declaration struct {
	Path string // the source
	Name string
	Text string // the signature, without a body or a value
	Doc  string // what a remark beside it says it does; "": nothing

	key string // tells it from others of its name
}

// Fresh gives what the sources of a fix declare that was not declared before, or had another signature, and that
// changed lines of tests name. What stood in another source of the fix has only moved, and is left out.
func Fresh(fix, tests []sides.Pair) []Declaration {
	was := map[string]string{}
	for _, p := range fix {
		for _, d := range in(p.Path, p.Was) {
			was[d.key] = d.Text
		}
	}
	said := named(tests)
	var out []Declaration
	for _, p := range fix {
		for _, d := range in(p.Path, p.Now) {
			if before, is := was[d.key]; (!is || before != d.Text) && said(d.Name) {
				d.Doc = firstOf(d.Doc)
				out = append(out, d)
			}
		}
	}
	return out
}

// named reports of names whether changed lines of tests have them as code.
func named(tests []sides.Pair) func(name string) bool {
	var text strings.Builder
	for _, p := range tests {
		changed := strings.Join(lines.Added(p.Was, p.Now), "\n")
		text.WriteString(sides.CodeOnly(kind.Language(p.Path), changed) + "\n")
	}
	words := map[string]bool{}
	for _, w := range word.FindAllString(text.String(), -1) {
		words[w] = true
	}
	return func(name string) bool { return words[name] }
}

var word = pattern.New(`[\pL_$][\pL\pN_$]*`)

// mostDoc is how much of a remark is told, in bytes.
const mostDoc = 400

// firstOf is the first paragraph of a remark.
func firstOf(doc string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(doc), "\n\n")
	return lines.Cut(strings.Join(strings.Fields(first), " "), mostDoc)
}

// in gives what a source declares.
func in(path, text string) []Declaration {
	if text == "" {
		return nil
	}
	switch lang := kind.Language(path); lang {
	case "go":
		return inGo(path, text)
	case "python", "javascript", "typescript", "rust":
		return byHeads(path, text, lang)
	}
	return nil
}

// Explains reports whether of what a run of tests said to be missing all is declared, or a module in which something
// is. missing are names; where there are none, nothing explains why tests can't be built.
func Explains(list []Declaration, missing []string) bool {
	return len(missing) > 0 && !slices.ContainsFunc(missing, func(name string) bool {
		whole := regexp.MustCompile(`(^|[^\pL\pN_$])` + regexp.QuoteMeta(name) + `($|[^\pL\pN_$])`)
		return !slices.ContainsFunc(list, func(d Declaration) bool {
			return d.Name == name || whole.MatchString(d.Text) || isModule(d.Path, name)
		})
	})
}

// isModule reports whether a source is, or lies in, what imports name so.
func isModule(source, name string) bool {
	ext := path.Ext(source)
	stem := strings.TrimSuffix(path.Base(source), ext)
	ofDir := ext == ".go" || slices.Contains([]string{"index", "__init__", "mod"}, stem)
	return stem == name && ext != ".go" || ofDir && path.Base(path.Dir(source)) == name
}

// Text lists declarations, each behind its file, as a prompt shows them.
func Text(list []Declaration) string {
	var b strings.Builder
	for _, d := range list {
		b.WriteString(d.Path + ": " + d.Text + "\n")
		if d.Doc != "" {
			b.WriteString("    " + d.Doc + "\n")
		}
	}
	return b.String()
}

// Documented reports whether a remark says of one of them what it does.
func Documented(list []Declaration) bool {
	return slices.ContainsFunc(list, func(d Declaration) bool { return d.Doc != "" })
}
