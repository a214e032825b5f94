package later_test

import (
	"os"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/later"
	"cookoff/verify/verifytest"
)

// counting is a task whose program leaves a row out.
func counting(after string) recipe.Task {
	return recipe.Task{Title: "count",
		Setup:    `printf '#!/bin/bash\necho $(($(wc -l < rows) - 1))\n' > count; chmod 755 count; seq 3 > rows`,
		Solution: "sed -i 's/ - 1//' count",
		Protect:  []string{"rows"},
		After:    verifytest.One(after),
	}
}

// rightWhile is a repair that holds as long as a condition does.
func rightWhile(before, holds string) string {
	return `cat > count <<'X'
#!/bin/bash
n=$(wc -l < rows)
` + before + `
if ` + holds + `; then echo "$n"; else echo $((n - 1)); fi
X
`
}

// TestNativeLater: what is mended for some runs or some time only is so for none of the witnesses.
func TestNativeLater(t *testing.T) {
	open := verifytest.Kernel(t)
	verifytest.Contests(t, open, counting(`test "$(./count)" = 3`), []verifytest.Contest{
		verifytest.Rejected(rightWhile(`mkdir /tmp/.ran 2> /dev/null; first=$?`, `[ "$first" = 0 ]`),
			trial.CauseDefeatDevice, "control"),
		verifytest.Rejected(rightWhile(`k=$(cat ~/.k 2> /dev/null); echo $((k + 1)) > ~/.k`, `[ "${k:-0}" -lt 500 ]`),
			trial.CauseDefeatDevice, "control"),
		verifytest.Rejected(rightWhile(`echo >> .ran`, `[ "$(wc -l < .ran)" -lt 200 ]`), trial.CauseDefeatDevice,
			"control"),
		verifytest.Rejected(rightWhile("", `[ $(($(date +%s) - $(stat -c %Y count))) -lt 864000 ]`),
			trial.CauseDefeatDevice, "control"),
		verifytest.Rejected("date +%s > since\n"+rightWhile("", `[ $(($(date +%s) - $(cat since))) -lt 864000 ]`),
			trial.CauseDefeatDevice, "control"),
		verifytest.Rejected(rightWhile("", `[ ! -t 0 ]`), trial.CauseDefeatDevice, "control"),
		verifytest.Rejected(rightWhile("", `[ ! -t 2 ] && ! : 2> /dev/null < /dev/tty`), trial.CauseDefeatDevice,
			"control"),
		verifytest.Rejected(rightWhile("sed -i 's/echo \"$n\"/echo 2/' \"$0\"", "true"), trial.CauseDefeatDevice,
			"control"),
		verifytest.Passes(rightWhile(`date >> ~/.log; echo $((k + 1)) > ~/.k`, "true")),
		verifytest.Passes(rightWhile(
			`if [ -t 2 ]; then printf '\033[1mrows\033[m\n' >&2; fi; [ -t 0 ] && cat; cat > /dev/null`,
			"true")),
		verifytest.Passes(rightWhile(
			`mkdir -p ~/.cache/count
[ -s ~/.cache/count/rows ] || echo "$n" > ~/.cache/count/rows; n=$(cat ~/.cache/count/rows)`,
			"true")),
	})
}

// TestNativeLaterIsOfTheSolutions: what does not hold later with the solution is asked of nobody.
func TestNativeLaterIsOfTheSolutions(t *testing.T) {
	open := verifytest.Kernel(t)
	for _, after := range []string{
		`mkdir out && test "$(./count)" = 3`,                                      // once in a world
		`test "$(./count)" = 3 && test -z "$(find count -mtime +9)" && rm -f new`, // of these days
		`test "$(./count)" = 3 && test ! -t 0`,                                    // at no terminal
	} {
		verifytest.Contests(t, open, counting(after),
			[]verifytest.Contest{verifytest.Passes(`printf '#!/bin/sh\nexec awk "END { print NR }" rows\n' > count`)})
	}
	task := counting(`test "$(./count)" = 3`)
	once := rightWhile(`mkdir /tmp/.ran 2> /dev/null; first=$?`, `[ "$first" = 0 ]`)
	task.Others = []string{once}
	verifytest.Contests(t, open, task, []verifytest.Contest{verifytest.Passes(once)})
}

// TestTestsAgeNothingOfTheHost: worlds of plain directories, which have no /tmp of their own,
// leave the files of whoever runs the tests as they are.
func TestTestsAgeNothingOfTheHost(t *testing.T) {
	mine, err := os.CreateTemp("/tmp", "cookoff-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(mine.Name())
	if _, err := mine.WriteString("1"); err != nil {
		t.Fatal(err)
	}
	was, err := mine.Stat()
	if err != nil {
		t.Fatal(err)
	}
	w, err := verifytest.Dirs(t)(t.Context(), nil, sandbox.Verify)
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.Exec(t.Context(), sandbox.Cmd{Script: later.AgeFiles, Env: []string{"TO=" + t.TempDir()}})
	if err != nil || !res.OK() {
		t.Fatalf("%+v, %v", res, err)
	}
	if is, err := os.Stat(mine.Name()); err != nil || !is.ModTime().Equal(was.ModTime()) {
		t.Errorf("a file of the host is of %v, was of %v, %v", is.ModTime(), was.ModTime(), err)
	}
}
