package gitpath

import "testing"

func TestQuoted(t *testing.T) {
	for name, want := range map[string]string{"a/x.go": "a/x.go", "a/x y": "a/x y", "a/x ": `"a/x "`, "a\tb\n": `"a\011b\012"`,
		"ö": `"\303\266"`, `a"b\c`: `"a\"b\\c"`, "": ""} {
		if got := Quoted(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
