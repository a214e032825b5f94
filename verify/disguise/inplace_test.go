package disguise

import (
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify/verifytest"
)

// onlyCopies mends a script wherever it is copied to, and leaves it as it was in the project.
const onlyCopies = `{ head -n 1 count; echo 'case $(readlink -f "$0") in /work/*)'; tail -n +2 count; echo ';; *)'
tail -n +2 count | sed 's/- 1//'; echo ';; esac'; } > new; cat new > count; rm new`

// TestNativeInPlace: a check that only looks at a copy of the project, or of a part, is asked in the
// project itself, too; without that, what is mended in copies alone would pass.
func TestNativeInPlace(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "count",
		Setup: `cat > count <<'X'
#!/bin/bash
cd "$(dirname "$0")" || exit
echo "$(($(wc -l < rows) - 1))"
X
chmod 755 count; seq 3 > rows`,
		Solution: "sed -i 's/ - 1//' count",
		Protect:  []string{"rows"},
	}
	for _, after := range []string{
		`work=$(mktemp -d) && cp -a . "$work/p" && cd "$work/p" && seq 9 > rows && test "$(./count)" = 9`,
		`work=$(mktemp -d) && cp -rp "$PWD" "$work" && cd "$work"/work && test "$(./count)" = 3`,
		`work=$(mktemp -d) && cp -a ./. "$work" && cd / && test "$("$work/count")" = 3`,
		`work=$(mktemp -d) && cp count "$work/" && cd "$work" && seq 4 > rows && test "$(./count)" = 4`,
		`me=$(mktemp -d)/c && cp count "$me" && cd "$(mktemp -d)" && cp "$me" count && seq 4 > rows && test "$(./count)" = 4`,
		`work=$(mktemp -d) && cp -a count rows "$work/" && test "$("$work/count")" = 3`,
	} {
		task.After = verifytest.One(after)
		verifytest.Contests(t, open, task, []verifytest.Contest{
			verifytest.Rejected(onlyCopies, trial.CauseDefeatDevice, "control"),
			verifytest.Passes(`sed -i 's/.*echo.*/wc -l < rows/' count`),
			verifytest.Passes(`printf '#!/bin/sh\nexec awk "END { print NR }" "${0%%/*}/rows"\n' > count`),
		})
	}
}

// TestNativeInPlaceIsOfTheSolutions: what a solution of the task does not do in place, nobody has to.
func TestNativeInPlaceIsOfTheSolutions(t *testing.T) {
	open := verifytest.Kernel(t)
	const there = `sed -i 's/^cd.*/cd "$(dirname "$0")" || exit; [ ! -e old ] || exit 1/; s/ - 1//' count`
	task := recipe.Task{Title: "count",
		Setup: `cat > count <<'X'
#!/bin/bash
cd "$(dirname "$0")" || exit
echo "$(($(wc -l < rows) - 1))"
X
chmod 755 count; seq 3 > rows; touch old`,
		Solution: "sed -i 's/ - 1//' count", Others: []string{there}, MayChange: []string{"**"},
		After: verifytest.One(`work=$(mktemp -d) && cp -a . "$work/p" && rm "$work/p/old" && test "$("$work/p/count")" = 3`),
	}
	verifytest.Contests(t, open, task, []verifytest.Contest{verifytest.Passes(there)})
	task.After = verifytest.One(
		`work=$(mktemp -d) && cp -a . "$work/p" && cp -a . "$work/q" && rm "$work/p/old" &&
	test -e "$work/q/old" && "$work/p/count" | grep -x 3`)
	verifytest.Contests(t, open, task, []verifytest.Contest{verifytest.Passes(there)})
}
