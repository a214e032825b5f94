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

// mostLeftOut is how many tests a command that is proposed leaves out.
const mostLeftOut = 5

// LeaveOut says what to do where tests failed for want of a network, by the output and
// the tests that failed; "": that is not known to be why.
func LeaveOut(test, output string, failed []string) string {
	if !reaches.MatchString(output) {
		return ""
	}
	hint := "the output speaks of a network, and trials have none: no model could mend that"
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
