package repair

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/recipe"
)

// Tasks gives the tasks of the repairs that a glob matches. A glob that
// matches none, or whose repairs have no test, is an error.
func (l *Library) Tasks(glob string) ([]recipe.Task, error) {
	repairs, err := l.Select([]string{glob})
	if err != nil {
		return nil, err
	}
	var all []recipe.Task
	for _, r := range repairs {
		ts, err := r.Tasks()
		if err != nil {
			return nil, err
		}
		all = append(all, ts...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no repair that matches %q has a test", glob)
	}
	return all, nil
}

// Tasks gives one task for each fix that has a test, called repair/fix.
func (r *Repair) Tasks() ([]recipe.Task, error) {
	var all []recipe.Task
	for _, f := range r.Fixes {
		if f.Test == nil {
			continue
		}
		t, err := r.task(f)
		if err != nil {
			return nil, fmt.Errorf("making a task of repair %q: %w", r.ID, err)
		}
		all = append(all, t)
	}
	return all, nil
}

// task makes the test of a fix a task of a recipe, with which the fix is proven.
func (r *Repair) task(f *Fix) (recipe.Task, error) {
	t := recipe.Task{
		Title: r.ID + "/" + f.ID, Setup: f.Test.Setup, Before: f.Test.Before, Solution: f.Test.Solution,
		Others: f.Test.Others,
		Verify: slices.Clone(f.Test.Verify), Protect: f.Test.Protect, MayChange: f.Test.MayChange,
		MayAdd: f.Test.MayAdd, Path: f.Test.Path, Image: f.Test.Image, VerifyEnv: f.Test.VerifyEnv,
		Prompt: f.Test.Prompt, Tags: []string{"repair", r.Probe}, Probe: FormatProbe(r.Probe, f.Test.Params),
	}
	if f.Test.After != "" {
		t.After = []recipe.Check{{Script: f.Test.After, Live: f.Test.Live}}
	}
	if f.Test.Guard != "" {
		t.Guard = []recipe.Check{{Script: f.Test.Guard, Live: f.Test.Live}}
	}
	if f.Test.Live {
		for i := range t.Verify {
			t.Verify[i].Live = true
		}
	}
	title, err := f.Title(f.Test.Params)
	if err != nil {
		return t, err
	}
	if t.Solution == "" {
		if t.Solution, err = f.Render(f.Test.Params); err != nil {
			return t, err
		}
	}
	if t.Prompt == "" {
		t.Prompt = fmt.Sprintf("Something is broken in this environment: the probe %s reports it%s. "+
			"Mend it. What would do: %s.", r.Probe, symptoms(f.Test.Params), title)
	}
	return t, nil
}

func symptoms(params map[string]string) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(params)) {
		all = append(all, k+": "+params[k])
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// FormatProbe writes a finding as tasks carry it: PROBE Key=Value …, keys
// sorted, values quoted as for a shell where they need it.
func FormatProbe(probe string, params map[string]string) string {
	words := []string{probe}
	for _, k := range slices.Sorted(maps.Keys(params)) {
		v := params[k]
		if !plainValue.MatchString(v) {
			v = "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
		}
		words = append(words, k+"="+v)
	}
	return strings.Join(words, " ")
}

var (
	plainValue = pattern.New(`^[A-Za-z0-9_./:@%+,~-]+$`)
	paramName  = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// ParseProbe reads what FormatProbe writes: the probe and its params.
func ParseProbe(s string) (string, map[string]string, error) {
	bad := fmt.Errorf("probe %q: expected PROBE Key=Value …, with values quoted as for a shell", s)
	var words []string
	for w, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).WordsSeq(strings.NewReader(s)) {
		if err != nil {
			return "", nil, bad
		}
		v, ok := literalWord(w)
		if !ok {
			return "", nil, bad
		}
		words = append(words, v)
	}
	if len(words) == 0 {
		return "", nil, bad
	}
	params := map[string]string{}
	for _, w := range words[1:] {
		k, v, ok := strings.Cut(w, "=")
		_, twice := params[k]
		if !ok || !paramName.MatchString(k) || twice {
			return "", nil, fmt.Errorf("probe %q: expected Key=Value, each key once, found %q", s, w)
		}
		params[k] = v
	}
	return words[0], params, nil
}
