package outcome

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	// rubyHead begins what minitest and RSpec (a number) and test-unit (a rule, then a word) print of a failing test.
	rubyHead = pattern.New(`^\s+\d+\) |^(Failure|Error): `)
	// rubyEnd follows on the last of them.
	rubyEnd = pattern.New(`^(\d+ (runs|tests|examples?), |Finished in |Failed examples:|={20,}$)`)
	// rubySource is a line of the test's source, as test-unit and RSpec show it, or one of a stack.
	rubySource = pattern.New(`^\s+(=> )?\d+: |^\s+# \S+:\d+:in |^\s+\S+:\d+:in |^\S+:\d+:in |^\s+Failure/Error: `)
)

// rubyExcerpt keeps of each failing test its name and what is said of it. Tests that are not shown are no part of it.
func rubyExcerpt(text string, names []string) (out []string) {
	all := slices.DeleteFunc(strings.Split(text, "\n"), rubySource.MatchString)
	begun := false
	for i, l := range all {
		switch {
		case rubyHead.MatchString(l):
			begun = rubyNamed(l, names) || i+1 < len(all) && rubyNamed(all[i+1], names)
		case rubyEnd.MatchString(l):
			begun = false
		}
		if begun {
			out = append(out, strings.TrimRight(l, " \t\r"))
		}
	}
	return out
}

// rubyNamed reports whether a line holds one of the names: as "TestA#test_b", "test_b(TestA)" or words.
func rubyNamed(line string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		class, method, is := strings.Cut(name, "#")
		return strings.Contains(line+"\n", " "+name+"\n") || strings.HasPrefix(line, name+" [") ||
			strings.HasPrefix(line, name+":") || is && strings.Contains(line, " "+method+"("+class+")")
	})
}
