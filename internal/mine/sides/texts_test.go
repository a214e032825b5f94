package sides

import (
	"slices"
	"testing"
)

// TestTexts: what code takes in from elsewhere is no text that tests ask for; the project's own modules are.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		path, was, now string
		want           []string
	}{
		{"a.go", "package a\n", "package a\n\nimport \"unicode/utf8\"\n\nvar x = \"no such line\" + utf8.A\n",
			[]string{"no such line"}},
		{"a.go", "package a\n", "package a\n\nimport (\n\tu \"unicode/utf8\"\n)\n\nvar s = \"a\" +\n\t\"no such line\"\n",
			[]string{"a", "no such line"}},
		{"a.js", "", "import { isIP } from 'node:net'\nimport './own.js'\nconst fs = require(\"fs/promises\")\n" +
			"throw Error('no such line')\n", []string{"./own.js", "no such line"}},
		{"a.rb", "", "require 'json'\nraise 'no such line'\n", []string{"no such line"}},
		{"a.py", "", "from json import loads\nx = 'no such line'\n", []string{"no such line"}},
		{"a.json", "{\n", "{\n\"yen\": 0\n", []string{"\"yen\": 0"}},
	} {
		if got := Texts([]Pair{{Path: c.path, Was: c.was, Now: c.now}}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.now, got, c.want)
		}
	}
}
