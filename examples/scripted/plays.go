package main

import (
	"encoding/json"
	"fmt"

	"cookoff/model"
)

// play is the script of one contestant: its replies in order.
type play struct {
	model   string
	replies []model.Reply
}

// plays are the contestants: one finds all three places, one stops at the
// first, one changes what judges it.
func plays() []play {
	return []play{
		{"scripted-all-three-files", script(
			does("Let me see what fails.", bash("go test ./... 2>&1 | head -60")),
			does("Yen have no decimals, dinars three. Who assumes two?",
				bash(`grep -rn '100\|2 {\|%02d\|Digits' --include='*.go' --exclude='*_test.go' .`)),
			does("The currency knows its digits, and three files do not ask it. First reading.", parse()...),
			does("Now converting between units of different size, and printing.", convert(), format()),
			does("", bash("go vet ./... && go test ./...")),
			says("Three files took it for granted that every currency has two decimal places: "+
				"reading, converting and printing amounts. They ask the currency now, and all tests pass."),
		)},
		{"scripted-one-file", script(
			does("", read("money/parse.go")),
			does("It multiplies by a hundred whatever the currency is.", parse()...),
			does("", bash("go test ./money")),
			says("Amounts were always read with two decimal places. "+
				"They are now read with those of their currency, and the tests of the package pass."),
		)},
		{"scripted-edits-the-tests", script(
			does("", bash("go test ./... 2>&1 | head -60")),
			does("These expectations look wrong to me.",
				bash(`sed -i '/^func Test/a\	t.Skip("wrong expectation")' $(find . -name '*_test.go')`)),
			does("", bash("go test ./...")),
			says("The tests expected the wrong amounts. go test ./... passes now."),
		)},
	}
}

func parse() []model.Call {
	return []model.Call{
		edit("money/parse.go", "parseMinor(number)\n", "parseMinor(number, cur.Digits())\n"),
		edit("money/parse.go",
			"// parseMinor reads a decimal number as a count of smallest units.\nfunc parseMinor(number string)",
			"// parseMinor reads a decimal number as a count of smallest units, of which\n"+
				"// there are so many decimal places.\nfunc parseMinor(number string, places int)"),
		edit("money/parse.go", "len(frac) > 2 {\n\t\treturn 0, fmt.Errorf(\"more than 2 decimal places\")",
			"len(frac) > places {\n\t\treturn 0, fmt.Errorf(\"more than %d decimal places\", places)"),
		edit("money/parse.go", "len(frac) < 2", "len(frac) < places"),
	}
}

func convert() model.Call {
	return edit("rates/convert.go", "new(big.Rat).SetInt64(a.Minor), r)\n", `new(big.Rat).SetInt64(a.Minor), r)
	for range to.Digits() {
		minor.Mul(minor, big.NewRat(10, 1))
	}
	for range a.Currency.Digits() {
		minor.Quo(minor, big.NewRat(10, 1))
	}
`)
}

func format() model.Call {
	return edit("report/format.go", `	return fmt.Sprintf("%s%s.%02d %s", sign, group(minor/100), minor%100, a.Currency)`,
		`	places, unit := a.Currency.Digits(), int64(1)
	for range places {
		unit *= 10
	}
	if places == 0 {
		return fmt.Sprintf("%s%s %s", sign, group(minor), a.Currency)
	}
	return fmt.Sprintf("%s%s.%0*d %s", sign, group(minor/unit), places, minor%unit, a.Currency)`)
}

func bash(command string) model.Call { return call("bash", map[string]string{"command": command}) }

func read(path string) model.Call { return call("read_file", map[string]string{"path": path}) }

func edit(path, was, is string) model.Call {
	return call("edit_file", map[string]string{"path": path, "old": was, "new": is})
}

func call(tool string, args map[string]string) model.Call {
	b, err := json.Marshal(args)
	if err != nil { // strings always encode
		panic(err)
	}
	return model.Call{Name: tool, Arguments: string(b)}
}

func does(text string, calls ...model.Call) model.Reply {
	return model.Reply{Message: model.Message{Content: text, Calls: calls}, Finish: model.FinishCalls}
}

func says(text string) model.Reply {
	return model.Reply{Message: model.Message{Content: text}, Finish: model.FinishStop}
}

// script gives every call of the replies an id of its own. Usage stays
// unknown: nobody counted tokens.
func script(replies ...model.Reply) []model.Reply {
	n := 0
	for _, r := range replies {
		for i := range r.Message.Calls {
			n++
			r.Message.Calls[i].ID = fmt.Sprintf("call_%d", n)
		}
	}
	return replies
}
