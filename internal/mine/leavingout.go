package mine

import (
	"slices"
	"strings"

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
			if !pytestName.MatchString(n) {
				return "", false
			}
			command += " --deselect '" + n + "'"
		}
		return command, true
	}
	return "", false
}

var (
	goName     = pattern.New(`^\w+$`)
	pytestName = pattern.New(`^[\w./:\[\], =-]+$`)
)
