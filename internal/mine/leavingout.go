package mine

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
)

// leavingOut gives a test command that does not run some tests.
func leavingOut(command, runner string, names []string) (string, bool) {
	switch runner {
	case "go test":
		var fns []string
		for _, n := range names {
			_, fn, _ := strings.Cut(n, " ")
			fn, _, _ = strings.Cut(fn, "/")
			if fns = append(fns, fn); !goName.MatchString(fn) {
				return "", false
			}
		}
		slices.Sort(fns)
		before, rest, ok := strings.Cut(command, "go test")
		ok = ok && !strings.Contains(rest, "-skip")
		return before + "go test -skip '^(" + strings.Join(slices.Compact(fns), "|") + ")$'" + rest,
			ok && (before == "" || strings.HasPrefix(before, "cd ") && strings.HasSuffix(before, " && "))
	case "pytest":
		for _, n := range names {
			quoted, err := syntax.Quote(n, syntax.LangBash) // ids hold whatever the values of parameters are
			if err != nil || !strings.Contains(n, "::") {
				return "", false
			}
			command += " --deselect " + quoted
		}
		return command, true
	}
	return "", false
}

var goName = pattern.New(`^\w+$`)

// hasty gives a test command that ends with the first test that fails, where its runner can.
func hasty(command, runner string) string {
	if wordsOf(command) == nil {
		return command
	}
	switch before, rest, is := strings.Cut(command, "go test"); {
	case runner == "go test" && is && !strings.Contains(command, "-failfast"):
		return before + "go test -failfast" + rest
	case runner == "pytest" && !strings.Contains(command, " -- "):
		return command + " -x"
	case runner == "unittest" && strings.HasSuffix(command, " -m unittest"):
		return command + " -f"
	}
	return command
}
