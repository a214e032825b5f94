package mine

import "testing"

// TestStrict: a pipe's status is that of all its parts.
func TestStrict(t *testing.T) {
	for command, want := range map[string]string{
		"pytest -q":                           "pytest -q",
		"pytest || make check":                "pytest || make check",
		"pytest -k 'a|b'":                     "pytest -k 'a|b'",
		"pytest | cat":                        "set -o pipefail; pytest | cat",
		"cd x && pytest |& tee log":           "set -o pipefail; cd x && pytest |& tee log",
		"set -o pipefail; pytest | cat":       "set -o pipefail; pytest | cat",
		"pytest | cat; exit ${PIPESTATUS[0]}": "pytest | cat; exit ${PIPESTATUS[0]}",
		"pytest | (":                          "pytest | (",
	} {
		if got := Strict(command); got != want {
			t.Errorf("%s becomes %s, want %s", command, got, want)
		}
	}
}
