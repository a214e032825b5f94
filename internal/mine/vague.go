package mine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/sides"
	"cookoff/internal/mine/told"
	"cookoff/internal/pattern"
)

// asked are failures that say that a name is not there.
var asked = pattern.New(`has no attribute '(\w+)'|unexpected keyword argument '(\w+)'|(\w+) is not a function|cannot import name '(\w+)'|no member named '(\w+)'|is not defined: (\w+)|name '(\w+)' is not defined|(\w+) is not a constructor`)

// unsaid finds what the tests of a candidate ask for and neither the prompt nor the files before say. declares: its fix
// changes nothing that was there before.
func (w *writer) unsaid(ctx context.Context, t *Task, code *lines.Code, declares bool) error {
	fix, err := sides.Read(w.world.contents, w.c.Fix)
	if err != nil {
		return err
	}
	tests, err := sides.Read(w.world.contents, w.c.Tests)
	if err != nil {
		return err
	}
	t.Vague, err = w.vague(ctx, fix, tests, t.Recipe.Prompt)
	bare := w.untoldTests(code)
	for _, v := range slices.Concat(w.values(t.FromMessage, w.silent(code, told.Shows), fix, tests),
		w.composites(t.Recipe.Prompt, w.unshown(code), fix, tests)) {
		if !slices.Contains(t.Vague, v) {
			t.Vague = append(t.Vague, v)
		}
	}
	t.Untold = w.untold(t.FromMessage, bare, fix, tests, declares)
	return err
}

// vague gives the names and texts that the tests of a candidate ask for, that only its fix adds,
// and that neither the prompt nor the files before say.
func (w *writer) vague(ctx context.Context, fix, tests []sides.Pair, prompt string) ([]string, error) {
	new := sides.NewWords(fix)
	naming := tests
	if len(w.unbuilt) == 0 { // what was built without the fix names nothing that only it has
		naming = slices.DeleteFunc(slices.Clone(tests), func(p sides.Pair) bool {
			return kind.Compiled(kind.Language(p.Path))
		})
	}
	inTests := sides.UsedBy(naming, new)
	var out []string
	for name := range new {
		if inTests[name] && sides.Defines(fix, name) && !strings.Contains(prompt, name) {
			out = append(out, name)
		}
	}
	for _, found := range asked.FindAllStringSubmatch(w.output, -1) {
		for _, name := range found[1:] {
			if name != "" && !strings.Contains(prompt, name) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	more, err := w.unsaidTexts(ctx, fix, tests, prompt)
	if err != nil {
		return nil, err
	}
	for _, s := range more {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out, nil
}

// mostAsked is how many texts are looked for in the project.
const mostAsked = 8

// unsaidTexts gives the texts, the numbers, and the names of options, that tests ask for, that a fix brings, and that
// neither the prompt nor any file of the project says.
func (w *writer) unsaidTexts(ctx context.Context, fix, tests []sides.Pair, prompt string) (out []string, err error) {
	var code, before strings.Builder
	var asked []string
	texts := sides.Texts(fix)
	coded := map[string]string{} // by language
	for _, p := range fix {
		before.WriteString(p.Was + "\n")
		if lang := kind.Language(p.Path); lang != "" {
			now := strings.Join(lines.Added(p.Was, p.Now), "\n")
			code.WriteString(now + "\n")
			coded[lang] += now + "\n"
		}
	}
	for _, p := range tests {
		now, lang := strings.Join(lines.Added(p.Was, p.Now), "\n"), kind.Language(p.Path)
		before.WriteString(p.Was + "\n")
		asked = append(asked, lines.Demanded(texts, lang, now)...)
		for _, of := range slices.Sorted(maps.Keys(coded)) {
			asked = append(asked, lines.Numbers(of, coded[of], lang, now)...)
		}
		if lang == "python" || lang == "javascript" || lang == "typescript" {
			asked = append(asked, lines.Options(code.String(), now)...)
		}
	}
	for _, s := range asked[:min(len(asked), mostAsked)] {
		if lines.Native(s) || lines.Told(prompt, s) || lines.Told(before.String(), s) || slices.Contains(out, s) {
			continue
		}
		said, err := w.repo.Holding(ctx, w.c.Before(), []string{s})
		if err != nil {
			return nil, err
		}
		if len(said) == 0 {
			out = append(out, s)
		}
	}
	return out, nil
}
