package cookoff_test

import (
	"os"
	"path/filepath"
	"testing"

	"cookoff"
	"cookoff/sandbox/native"
	"cookoff/trial"
)

// TestRecipeChangedUnderARun: a run goes by the recipe that it began with, whatever
// becomes of the file meanwhile.
func TestRecipeChangedUnderARun(t *testing.T) {
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skip(err)
	}
	dir := project(greeting)
	defer os.RemoveAll(dir)
	c, err := cookoff.Open(t.Context(), "recipe.md", cookoff.Options{Dir: dir, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	begun := 0
	res, err := c.Run(t.Context(), nil, trial.SinkFunc(func(e trial.Event) error {
		if e.Kind != trial.TrialStarted {
			return nil
		}
		if begun++; begun == 1 {
			return os.WriteFile(filepath.Join(dir, "recipe.md"), []byte("# Another\n\n```sh after\nfalse\n```\n"),
				0o644)
		}
		return os.RemoveAll(filepath.Join(dir, "recipe.md"))
	}))
	if err != nil {
		t.Fatal(err)
	}
	if m := res.Report.Models; begun != 2 || len(m) != 2 || m[0].Pass+m[1].Pass != 1 || m[0].Fail+m[1].Fail != 1 {
		t.Errorf("%d trials, %+v", begun, m)
	}
}
