package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// reaches is what programs say that reach for a network which is not there.
var reaches = pattern.New(`(?i)no such host|network is unreachable|name or service not known|` +
	`temporary failure in name resolution|getaddrinfo|\b(ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|could not resolve host|` +
	`dial tcp: lookup|NameResolutionError|failed to lookup address`)

// ofTerminal is what programs say that want the terminal of who runs them, which no trial has.
var ofTerminal = pattern.New(`/dev/tty['"]?: (?:no such device|ENXIO)|No such device or address: '/dev/tty'|` +
	`ENXIO: no such device or address, open '/dev/tty'`)

// mostLeftOut is how many tests a command that is proposed leaves out.
const mostLeftOut = 5

// wants names what tests failed for want of that no trial has, by the output; "": that is not known to be why.
func wants(output string) string {
	switch {
	case reaches.MatchString(output):
		return "a network"
	case ofTerminal.MatchString(output):
		return "a terminal"
	}
	return ""
}

// Without gives the command that leaves out the one test which failed for want of a network or a terminal; "": how is
// not known, that is not known to be why, or others failed, too, whose reason may be another.
func Without(test, output string, failed []string) string {
	if wants(output) == "" || slices.ContainsFunc(failed, func(f string) bool { return whole(f) != whole(failed[0]) }) {
		return ""
	}
	return without(test, failed)
}

// whole is the name of a test of Go's or pytest's without that of a case of it.
func whole(name string) string {
	if _, _, ofPytest := strings.Cut(name, "::"); ofPytest {
		name, _, _ = strings.Cut(name, "[")
		return name
	}
	of, name, _ := strings.Cut(name, " ") // the package comes first
	name, _, _ = strings.Cut(name, "/")
	return of + " " + name
}

// LeaveOut says what to do where tests failed for want of a network or a terminal, by the output and
// the tests that failed; "": that is not known to be why.
func LeaveOut(test, output string, failed []string) string {
	what := wants(output)
	if what == "" {
		return ""
	}
	hint := "the output speaks of " + what + ", and trials have none: no model could mend that"
	if without := without(test, failed); without != "" {
		return hint + "; leave such tests out: --test-command " + quoted1(without)
	}
	return hint + "; name a command that leaves such tests out (--test-command)"
}

// without is the command that leaves out tests; "": how is not known.
func without(test string, failed []string) string {
	if len(failed) == 0 || len(failed) > mostLeftOut {
		return ""
	}
	switch words := strings.Fields(test); {
	case len(words) > 1 && words[0] == "go" && words[1] == "test":
		var names []string
		for _, f := range failed {
			_, name, _ := strings.Cut(f, " ") // the package comes first
			top, _, _ := strings.Cut(name, "/")
			if top == "" {
				return ""
			}
			if top = regexp.QuoteMeta(top); !slices.Contains(names, top) {
				names = append(names, top)
			}
		}
		return "go test -skip " + quoted1("^("+strings.Join(names, "|")+")$") + strings.TrimPrefix(test, "go test")
	case strings.HasSuffix(test, "pytest"):
		for _, f := range failed {
			test += " --deselect " + quoted1(f)
		}
		return test
	}
	return ""
}

// quoted1 quotes a word for a shell; "" where that can't be done.
func quoted1(word string) string {
	q, err := shell.Quote([]string{word})
	if err != nil {
		return ""
	}
	return q
}
