package lessons

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOddNamesAreKept: what admission learned comes back as it was, names that are no
// UTF-8 included: a solution's own file would else count as damage in the next run.
func TestOddNamesAreKept(t *testing.T) {
	odd := "bad\xff.py"
	was := kept{Footprint: map[string]string{"content " + odd: odd, hexMark + "61": "x"}, Traced: true,
		Held: []string{"after"},
		Tests: map[string]*Tests{"a 0": {Runner: "pytest", Required: []string{odd, "b"},
			Laid: map[string]string{odd: "sum"}}}}
	text, err := json.Marshal(was.texts(toKept))
	if err != nil {
		t.Fatal(err)
	}
	var now kept
	if err := json.Unmarshal(text, &now); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(was, now.texts(ofKept)); diff != "" {
		t.Error(diff)
	}
}
