package mine

import (
	"cookoff/internal/cli"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/shell"
)

// nothingProposes is the error where nothing says how the project is tested: what lies below may.
func nothingProposes(command, dir string) error {
	const why = "nothing here says how the project is tested"
	below := propose.Below(dir)
	if len(below) == 0 {
		return cli.Usage(why+"\n  hint: cookoff %s --test 'COMMAND'", command)
	}
	first := below[0]
	test, ok := "COMMAND", false
	if all, together := propose.Together(below); together {
		test, ok = all.Text, true
	} else if quoted, err := shell.Quote([]string{"cd", first.Dir}); err == nil {
		test, ok = quoted+" && "+first.Text, true
	}
	if quoted, err := shell.Quote([]string{test}); ok && err == nil {
		test = quoted
	}
	return cli.Usage(why+", but %s proposes %s\n  hint: cookoff %s in %s, or here: cookoff %s --test %s",
		text.Line(first.From), text.Line(first.Text), command, text.Line(first.Dir), command, text.Line(test))
}
