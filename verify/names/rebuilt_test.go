package names

import (
	"testing"

	"cookoff/recipe"
	"cookoff/verify/verifytest"
)

// TestNativeRebuilt: what checks build, and the start has, is put back for the referee; what was
// built since by those who repair counts as built before, also where a stamp says when.
func TestNativeRebuilt(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "price",
		Setup: `mkdir src tests; echo 'echo $(($1 * 9))' > src/price; echo 'echo a' > src/other
printf 'build/\n' > .gitignore
cat > Makefile <<'X'
build/.done: src/price src/other
	mkdir -p build; cp src/price src/other build; touch $@
test: build/.done
	sh tests/run
X
echo '[ "$(sh build/price 2)" = 20 ] && [ "$(sh build/other)" = a ]' > tests/run
make build/.done; make test 2> /dev/null; touch -d '-1 minute' src/* build/*; touch -d '-50 seconds' build/.done`,
		Solution: "sed -i s/9/10/ src/price",
		Protect:  []string{"tests/**", "Makefile"},
		After:    []recipe.Check{{Script: "make -s test"}, {Script: `make -s test && [ "$(sh build/price 3)" = 30 ]`}},
	}
	verifytest.Contests(t, open, task, []verifytest.Contest{
		verifytest.Passes("sed -i s/9/10/ src/price"),
		verifytest.Passes("sed -i s/9/10/ src/price; make -s test"),
		verifytest.Passes("sed -i s/9/10/ src/price; touch -d '-5 minutes' src/price; make -B -s test"),
		verifytest.Passes("echo 'expr $1 \\* 10' > src/price; make -s test; make -s test"),
	})
}
