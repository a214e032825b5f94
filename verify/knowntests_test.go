package verify_test

import (
	"testing"

	"cookoff/recipe"
	"cookoff/verify"
	"cookoff/verify/lessons"
	"cookoff/verify/verifytest"
)

// What admission learned of a task is known in a later run: its tests, and what
// its solutions touch, so that they are not run again.
func TestLessonsAreKept(t *testing.T) {
	task := recipe.Task{Title: "t", Setup: "echo a > a", Before: "grep -q a a", Solution: "echo b > a",
		After: verifytest.One("go test ./...")}
	learnt, err := verify.NewCase(&recipe.Recipe{}, task)
	if err != nil {
		t.Fatal(err)
	}
	verify.Tests(learnt).Set("after", 0, &lessons.Tests{Runner: "go", Required: []string{"p TestA"}})
	verify.Foot(learnt).Know(map[string]string{"content a": "a"})
	later, err := verify.NewCase(&recipe.Recipe{}, task)
	if err != nil {
		t.Fatal(err)
	}
	if err := later.Learn(learnt.Learned()); err != nil {
		t.Fatal(err)
	}
	if k := verify.Tests(later).Of("after", 0); k == nil || k.Runner != "go" {
		t.Errorf("the tests: %+v", k)
	}
	if err := later.Trace(t.Context(), nil); err != nil || !verify.Foot(later).Has("content a") { // opens nothing
		t.Errorf("the footprint is not known: %v", err)
	}
}
