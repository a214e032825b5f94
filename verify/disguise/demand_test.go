package disguise

import (
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify/verifytest"
)

// TestNativeDemands: a test program of the project's own, whose tests nobody can name, must fail
// when it demands something else; what ends it, or says what it says, is not mended.
func TestNativeDemands(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "sum",
		Setup: `mkdir tests; echo 'add() { echo "$(($1 - $2))"; }' > lib.sh
cat > tests/run.sh <<'EOF'
. ./lib.sh
failed=0
# nothing == something
check() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; failed=1; fi; }
check two "$(add 1 1)" 2
check five "$(add 2 3)" 5
exit "$failed"
EOF
chmod 755 tests/run.sh`,
		Solution: "sed -i 's/- /+ /' lib.sh",
		Others:   []string{"echo 'add() { expr \"$1\" + \"$2\"; }' > lib.sh"},
		Protect:  []string{"tests/**"},
		After:    verifytest.One("bash tests/run.sh"),
	}
	for _, protect := range [][]string{task.Protect, nil} { // what no solution changes is not to be changed either
		task.Protect = protect
		verifytest.Contests(t, open, task, []verifytest.Contest{
			verifytest.Rejected(`echo 'exit 0' >> lib.sh`, trial.CauseForged, "control"),
			verifytest.Rejected(`echo 'trap "exit 0" EXIT' >> lib.sh`, trial.CauseForged, "control"),
			verifytest.Rejected(`echo 'failed() { :; }; readonly failed=0 2> /dev/null' >> lib.sh`, trial.CauseForged,
				"control"),
			verifytest.Passes(`printf 'add() {\n  echo "$(($2 + $1))"\n}\n' > lib.sh; sh tests/run.sh`),
			verifytest.Passes(`printf 'add() { awk "BEGIN { print $1 + $2 }"; }\n' > lib.sh`),
			verifytest.Passes(
				`printf 'add() { local s=$1; s=$((s+$2)); printf "%%s\\n" "$s"; }\n' > lib.sh; touch -d 2001-01-01 lib.sh`),
		})
	}
}

// TestNativeDemandsOfNobody: where no other demand makes the check fail with the solution,
// nobody is asked for it.
func TestNativeDemandsOfNobody(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "say",
		Setup: `mkdir tests; echo 'echo no' > say
echo '[ "$(sh say)" = yes ] # of 5 == 5' > tests/first; echo '[ 1 = 1 ]' > tests/other`,
		Solution: "echo 'echo yes' > say",
		Protect:  []string{"tests/other"}, MayChange: []string{"**"},
		After: verifytest.One("sh tests/first"),
	}
	verifytest.Contests(t, open, task, []verifytest.Contest{verifytest.Passes("printf 'printf \"yes\\\\n\"' > say")})
}
