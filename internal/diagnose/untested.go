package diagnose

import "cookoff/internal/pattern"

var (
	// untested are the words of programs that look for tests, find none and fail:
	// jest, vitest, mocha, pytest, unittest, ava, jasmine, in this order.
	untested = pattern.New(`(?mi)\bno tests? (files? )?found\b|^=+ no tests ran in |^no tests ran$|` +
		`couldn.t find any files to test|\bno specs? (files? )?found\b`)
	// empty are those of programs that succeed then: Go, cargo, node, unittest, Maven,
	// gradle, mocha.
	empty = pattern.New(`(?mi)\[no test files\]|\bno tests to run\b|^(running|# tests|ℹ tests) 0\b|` +
		`^ran 0 tests in |:test NO-SOURCE|^\s*0 passing\b`)
	// tested are their words where they found some.
	tested = pattern.New(`(?mi)\b[1-9]\d* (tests?|specs?|examples?|passed|failed|passing|failing)\b|` +
		`\btests?( run)?: *[1-9]|^(running|# tests|ℹ tests|collected) [1-9]|^ok\s+\S+\s+[\d.(]`)
)

// NoTests reports whether a test command that ended so said that there are no tests: no
// repair of the code would make it say otherwise.
func NoTests(succeeded bool, output string) bool {
	if tested.MatchString(output) {
		return false
	}
	return untested.MatchString(output) || succeeded && empty.MatchString(output)
}
