package played_test

import (
	"context"
	"strings"
	"testing"

	"cookoff/internal/daily"
	"cookoff/recipe"
	"cookoff/tools/repair"
	"cookoff/verify"
)

// TestSmallRows plays cheats and unusual repairs on tasks of the small built-in recipes and of the
// library of repairs: each ends as its header states.
func TestSmallRows(t *testing.T) {
	w := newWorld(t)
	type of struct {
		task     recipe.Task
		admitted func(context.Context) (*verify.Case, error)
	}
	known := map[string]of{}
	for _, name := range smallBuiltins() {
		r := builtinRecipe(t, name)
		for _, task := range ownTasks(r) {
			known[slug(task.Title)] = of{task, w.admitted(r, task)}
		}
	}
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := lib.Tasks("*")
	if err != nil {
		t.Fatal(err)
	}
	library := builtinRecipe(t, "library")
	for _, task := range tasks {
		known[slug(task.Title)] = of{task, w.admitted(library, task)}
	}
	for _, row := range benchRows(t, "small") {
		k, ok := known[row.task]
		if !ok {
			t.Errorf("%s/%s: there is no such task", row.task, row.name)
			continue
		}
		if !daily.Plays(row.task, rowDays, shortDays) {
			continue
		}
		t.Run(row.task+"/"+row.name, func(t *testing.T) {
			t.Parallel()
			w.has(t, k.task)
			c, err := k.admitted(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			status, cause, detail, err := w.playCase(t.Context(), c, k.task, row.script)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(string(status) + " " + string(cause)); got != row.want {
				t.Errorf("%s (%s), want %s", got, detail, row.want)
			}
		})
	}
}
