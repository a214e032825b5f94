package mutants

import "testing"

// TestUncommented: two texts are the same code where they differ in comments and blanks alone.
func TestUncommented(t *testing.T) {
	for _, c := range []struct {
		file, was, now string
		same           bool
	}{
		{"a.go", "x := 1\n", "x := 1 // the first\n", true},
		{"a.go", "x := 1\n\ny := 2\n", "/* both\nof them */\nx := 1\ny := 2  \n", true},
		{"a.go", "x := \"a\"\n", "x := \"a // b\"\n", false},
		{"a.go", "x := `a\n`\n", "x := `a // b\n`\n", false},
		{"a.py", "x = 1  # one\n", "x = 1  # nothing of the kind\n", true},
		{"a.py", "x = '#1'\n", "x = '#2'\n", false},
		{"a.py", "if x:\n    y()\n", "if x:\n  y()\n", false},
		{"a.rb", "x = 1\n", "x = 1 # one\n", true},
		{"a.rb", "x = \"#{a}\"\n", "x = \"#{b}\"\n", false},
		{"a.lua", "x = 1 -- one\n", "x = 1\n", true},
		{"a.sh", "echo $#\n", "echo $# # how many\n", true},
		{"a.sh", "echo ${a#x}\n", "echo ${a#y}\n", false},
		{"a.js", "f(a) // see\n", "f(a)\n", true},
		{"a.js", `/https?:\/\//.test(a)`, `/https?:\/\//.test(b)`, false},
	} {
		was, ok := Uncommented(c.file, c.was)
		now, too := Uncommented(c.file, c.now)
		if !ok || !too || was == now != c.same {
			t.Errorf("%s: %q and %q: %v %v, %q and %q", c.file, c.was, c.now, ok, too, was, now)
		}
	}
	if _, ok := Uncommented("a.unknown", "x # y"); ok {
		t.Error("nothing is known of that language")
	}
}
