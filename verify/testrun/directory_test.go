package testrun

import (
	"strings"
	"testing"
)

func TestMovesInTheProject(t *testing.T) {
	const back = ". /tmp/v > /dev/null 2>&1; set +eu; cd /work/a || exit; A=b "
	for command, want := range map[string]string{
		"make -C b test":           "a/b: . /tmp/v > /dev/null 2>&1; set +eu; cd /work/a || exit; cd /work/a/b || exit; A=b ",
		"make -C ../c test":        "c: . /tmp/v > /dev/null 2>&1; set +eu; cd /work/a || exit; cd /work/c || exit; A=b ",
		"make -C /work test":       ": . /tmp/v > /dev/null 2>&1; set +eu; cd /work/a || exit; cd /work || exit; A=b ",
		"make -C /work/b -C c all": "b/c: . /tmp/v > /dev/null 2>&1; set +eu; cd /work/a || exit; cd /work/b || exit; cd /work/b/c || exit; A=b ",
		"make -C ../.. test":       "outside",
		"make -C /workshop test":   "outside",
		"make test":                "a: " + back,
	} {
		s := standing{argv: strings.Fields(command), dir: "a", root: "/work", back: back}
		got := "outside"
		if s.moves() {
			got = s.dir + ": " + s.back
		}
		if got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
