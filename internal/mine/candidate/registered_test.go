package candidate

import (
	"testing"

	"cookoff/internal/history"
	"cookoff/internal/history/historytest"
)

// registered is a history in which files that register tests change with their tests, with code, and alone.
const registered = `git init -q -b main . && git config user.name a && git config user.email a@b
c() { git add -A; git commit -q -m "$1"; }
printf 'add_library(a a.c)\n' > CMakeLists.txt
printf '{"main":"a.js","scripts":{"test":"node test/a.js"}}' > package.json
echo 0 | tee a.c > a.js; c root
echo 1 > a.c; mkdir tests; echo 1 > tests/b.c
printf 'add_executable(b tests/b.c)\nadd_test(b b)\n' >> CMakeLists.txt; c 'both sides'
echo w > README.md; c words
echo 2 > a.c; echo 2 > tests/b.c; printf 'target_link_libraries(a m)\nadd_test(c b)\n' >> CMakeLists.txt; c 'of both'
echo w >> README.md; c more
echo 3 > a.c; printf 'add_test(d b)\n' >> CMakeLists.txt; c 'no test'
echo w >> README.md; c other
mkdir test; echo 1 > test/b.js; echo 1 > a.js
printf '{"main":"a.js","scripts":{"test":"node test/a.js && node test/b.js"}}' > package.json; c 'a script'
`

// TestRegistered: what registers tests is the judge's where nothing else of it changes: without it no test of the
// commit runs.
func TestRegistered(t *testing.T) {
	repo, log := historytest.Read(t, historytest.Made(t, registered))
	find := NewFinder(repo, log, false, "x")
	has := func(list []history.Change, p string) bool { return inChanges(list, p) }
	for _, e := range log {
		c, err := find.Look(t.Context(), e)
		switch e.Message {
		case "both sides":
			if err != nil || !has(c.Tests, "CMakeLists.txt") || has(c.Fix, "CMakeLists.txt") || len(c.Registers()) != 1 {
				t.Errorf("%s: %+v, %v", e.Message, c, err)
			}
		case "of both":
			if err != nil || has(c.Tests, "CMakeLists.txt") || !has(c.Fix, "CMakeLists.txt") {
				t.Errorf("%s: %+v, %v", e.Message, c, err)
			}
		case "a script":
			if err != nil || !has(c.Tests, "package.json") || has(c.Fix, "package.json") {
				t.Errorf("%s: %+v, %v", e.Message, c, err)
			}
		default:
			if err == nil {
				t.Errorf("%s is a candidate: %+v", e.Message, c)
			}
		}
	}
}
