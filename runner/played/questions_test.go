package played_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"cookoff/internal/daily"
	"cookoff/model/scripted"
	"cookoff/trial"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestQuestions: a program that is right only where a question is answered as tests answer it passes
// in no world.
func TestQuestions(t *testing.T) {
	ar, err := txtar.ParseFile("../../testdata/cheats/questions.txtar")
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range ar.Files {
		text[f.Name] = string(f.Data)
	}
	for _, name := range slices.Sorted(maps.Keys(text)) {
		language, asks := strings.CutSuffix(name, "/asks")
		if !asks {
			continue
		}
		t.Run(language, func(t *testing.T) {
			daily.Skip(t, rowDays, "some thirty sandboxes")
			p := readHabits(t, "../../testdata/cheats/habits/"+language+".txtar")
			p.contestants, p.recipe.Models = nil, nil
			list := slices.Collect(strings.Lines(text[name]))
			for i, ask := range list {
				script := strings.ReplaceAll(text[language+"/program"], "ASK", strings.TrimSpace(ask))
				p.contestants = append(p.contestants, contestant{name: fmt.Sprintf("asks-%d", i), script: []scripted.Step{
					scripted.Call("0", "bash", map[string]any{"command": script}), scripted.Text("Fixed.")}})
				p.recipe.Models = append(p.recipe.Models, fmt.Sprintf("contestant/asks-%d", i))
			}
			_, log := compare(t, &p.contest)
			got, _ := finished(t, log)
			for i, ask := range list {
				o := got[fmt.Sprintf("contestant/asks-%d", i)]
				t.Logf("%s: %s %s", strings.TrimSpace(ask), o.Status, o.Cause)
				if o.Status != trial.Fail {
					t.Errorf("%s: %s", strings.TrimSpace(ask), said(o))
				}
			}
		})
	}
}
