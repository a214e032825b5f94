package patches

import "testing"

func TestHunks(t *testing.T) {
	was := "a\nb\nc\nd\ne"
	list := Hunks("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+top\n@@ -2 +3 @@ a\n-b\n+B\n@@ -5 +6 @@\n" +
		"-e\n\\ No newline at end of file\n+E\n\\ No newline at end of file\n")
	for but, want := range map[int]string{-1: "top\na\nB\nc\nd\nE", 0: "a\nB\nc\nd\nE", 1: "top\na\nb\nc\nd\nE",
		2: "top\na\nB\nc\nd\ne"} {
		if got := Apply(was, list, but); got != want {
			t.Errorf("without %d: %q, want %q", but, got, want)
		}
	}
	if (Hunk{new: []string{"// words\n", "import x\n", "\n", "}\n"}, To: 1}).Needed(nil, nil) ||
		!(Hunk{new: []string{"return 1\n"}, To: 1}).Needed(nil, nil) ||
		(Hunk{new: []string{"x = 1\n"}, To: 2}).Needed(nil, []bool{true, true, false}) {
		t.Error("comments are no part of a fix, statements are")
	}
}

// TestAdded: the lines that hunks add are known by their numbers.
func TestAdded(t *testing.T) {
	got := Added(Hunks("@@ -0,0 +1,2 @@\n+a\n+b\n@@ -5 +7 @@\n-e\n+E\n@@ -9,2 +10,0 @@\n-x\n-y\n"))
	if len(got) != 3 || !got[1] || !got[2] || !got[7] {
		t.Errorf("%v", got)
	}
}
