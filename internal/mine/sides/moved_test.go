package sides

import "testing"

// TestJoined: a file that was renamed and changed is one; what only has the ending of another is new.
func TestJoined(t *testing.T) {
	const text = "a\nb\nc\nd\n"
	pairs := []Pair{{"old.go", text, ""}, {"other.go", "w\nx\n", ""}, {"new.go", "", "a\nB\nc\nd\n"},
		{"new.md", "", text}, {"kept.go", "x\n", "y\n"}}
	got, from := Joined(pairs)
	want := []Pair{{"other.go", "w\nx\n", ""}, {"new.go", text, "a\nB\nc\nd\n"}, {"new.md", "", text},
		{"kept.go", "x\n", "y\n"}}
	if len(got) != len(want) || len(from) != 1 || from["new.go"] != "old.go" || pairs[2].Was != "" {
		t.Fatalf("%q, %v", got, from)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}
