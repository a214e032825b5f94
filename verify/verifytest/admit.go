package verifytest

import (
	"testing"

	"cookoff/recipe"
	"cookoff/verify"
)

// Admitted proves a task that must repeat, and gives "" or "PHASE: WHY".
func Admitted(t *testing.T, r recipe.Recipe, task recipe.Task, shortcuts ...verify.Shortcut) string {
	t.Helper()
	c, err := verify.NewCase(&r, task)
	if err != nil {
		t.Fatal(err)
	}
	c.MustRepeat()
	ex, err := c.Admit(t.Context(), Sealing(Dirs(t)), shortcuts)
	if err != nil {
		t.Fatal(err)
	}
	if ex == nil {
		return ""
	}
	if ex.Task != task.Name() {
		t.Errorf("task %q", ex.Task)
	}
	return ex.Phase + ": " + ex.Why
}
