package partly

import "testing"

// TestPython: what is not there is not imported; what else is, and the numbers of lines, stay.
func TestPython(t *testing.T) {
	for text, want := range map[string]string{
		"from a import new, old\nx\n":                                  "from a import old\nx\n",
		"from a import (\n    old,  # new\n    new as n,\n)\nx\n":      "from a import old\n\n\n\nx\n",
		"def f():\n    from .a import new\n    new()\n":                "def f():\n    pass\n    new()\n",
		"from a import b as new\nfrom a import renew, news\n":          "",
		"from a.new import one, two\nimport new2\n":                    "pass\nimport new2\n",
		"from a import old, \\\n    new\nfrom b import *\nx = 'new'\n": "from a import old\n\nfrom b import *\nx = 'new'\n",
		"from a import old  # and new\n":                               "",
	} {
		got := Python(map[string]string{"test_a.py": text}, []string{"new", "other"})["test_a.py"]
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if !Undefined("E   NameError: name 'new' is not defined") || Undefined("E   KeyError: 'new'") {
		t.Error("what is not defined")
	}
}
