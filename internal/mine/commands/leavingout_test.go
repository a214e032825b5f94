package commands

import "testing"

func TestHasty(t *testing.T) {
	for _, c := range [][3]string{
		{"go test ./a", "go test", "go test -failfast ./a"},
		{"cd m && go test ./a", "go test", "cd m && go test ./a"},
		{"python3 -m pytest tests/test_a.py", "pytest", "python3 -m pytest tests/test_a.py -x"},
		{"python3 -m unittest", "unittest", "python3 -m unittest -f"},
		{"python3 manage.py test", "manage.py test", "python3 manage.py test --failfast"},
		{"pytest && ruff check", "pytest", "pytest && ruff check"},
		{"npm test", "mocha", "npm test"},
	} {
		if got := Hasty(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %s", c[0], got)
		}
	}
}

func TestLeavingOut(t *testing.T) {
	check := func(command, runner, want string, names ...string) {
		t.Helper()
		got, ok := LeavingOut(command, runner, names, []string{"kept", "kept (2)", "a"})
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v, want %q", command, got, ok, want)
		}
	}
	check("go test ./a", "go test", "go test -skip '^(TestA|TestB)$' ./a", "p TestB/x", "p TestA", "p TestB")
	check("go test -skip X ./a", "go test", "", "p TestA")
	check("cd a && go test ./b", "go test", "cd a && go test -skip '^(TestA)$' ./b", "p TestA")
	check("make && go test ./b", "go test", "", "p TestA")
	check("pytest a.py", "pytest", "pytest a.py --deselect 'a.py::test_x[1 2]'", "a.py::test_x[1 2]")
	check("pytest a.py", "pytest", `pytest a.py --deselect "a.py::test_x['\$(id)']" --deselect 'a.py::test_x[ü \xfc "é"]'`,
		"a.py::test_x['$(id)']", `a.py::test_x[ü \xfc "é"]`)
	check("pytest a.py", "pytest", "", "a.py")
	check("node --test", "node --test", "", "a")
	check("node --test t/a.test.js", NodeSkips, `node --test "--test-skip-pattern=^(b \\(c\\)|it's)\$" t/a.test.js`,
		"it's", "b (c)", "it's")
	check("npm test", NodeSkips, "", "a")
	check("node --test", NodeNames, "node --test '--test-name-pattern=^(?!(a|b|<root>)$).'", "b", "a")
	check("npm test", "mocha", "npm test -- --grep '^(#*Array #*indexOf #*\\$)$' --invert", "Array indexOf $")
	check("CI=1 npm test", "jest", `CI=1 npm test -- -t '^(?!\s*(a\|b)\s*$)'`, "a|b")
	check("node_modules/.bin/vitest run", "vitest", `node_modules/.bin/vitest run -t '^(?!\s*(a)\s*$)'`, "a")
	check("yarn test", "jest", `yarn test -t '^(?!\s*(a|b)\s*$)'`, "b", "a")
	check("mocha --grep x", "mocha", "", "a")
	check("npm run all", "mocha", "", "a")
	check("npm test && npm run more", "mocha", "", "a")
	check("npm test", "jest", "", "two\nlines")
	check("bats test", "bats", `bats test --filter '^(kept|kept \(2\))$'`, "a")
	check("npm test", "bats", `npm test -- --filter '^(kept|kept \(2\))$'`, "a")
	check("bats -f x test", "bats", "", "a")
	check("make test", "bats", "", "a")
	check("ctest --test-dir build", "ctest", `ctest --test-dir build -E '^(a\.b|c)$'`, "c", "a.b")
	check("ctest -E x", "ctest", "", "c")
	check("vendor/bin/phpunit", "phpunit",
		`vendor/bin/phpunit --filter '~^(?!(Tests[.\\]PriceTest::testA with data set #0)$)~'`,
		"Tests.PriceTest testA with data set #0")
	check("phpunit --filter x", "phpunit", "", "T t")
	check("bundle exec rspec", "ruby", `bundle exec rspec --example-matches '^(?!(Price\s+adds)$)'`, "Price adds")
	check("rspec -e x", "ruby", "", "Price adds")
	check("ruby -Ilib test/a_test.rb", "ruby", `ruby -Ilib test/a_test.rb --exclude '/^(T#test_a)$/'`, "T#test_a")
	check("ruby -e x", "ruby", "", "T#test_a")
	check("rake test", "ruby", `rake test "TESTOPTS=--exclude='/^(T#test_a)\$/'"`, "T#test_a")
	check("make test", "what is printed", "", "a")
	check("cargo test --all-features -p x", "cargo test", "cargo test --all-features -p x -- --exact --skip a::b --skip c", "a::b", "c")
	check("cargo test", "cargo test", "", "src/lib.rs - e (line 1)")
	check("cargo test name", "cargo test", "", "a")
	check("cargo test -- --nocapture", "cargo test", "", "a")
}

// TestOnly: tests are asked for by name where that can be told.
func TestOnly(t *testing.T) {
	check := func(command, runner, want string, names ...string) {
		t.Helper()
		if got, ok := Only(command, runner, names); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v, want %q", command, got, ok, want)
		}
	}
	check("go test -count=1 ./a", "go test", "go test -run '^(TestA|TestB)$' -count=1 ./a", "p TestB/x",
		"p TestA", "p TestB")
	check("go test -run X ./a", "go test", "", "p TestA")
	check("go test -skip '^(TestC)$' ./a", "go test", "", "p TestA")
	check(".venv/bin/python -m pytest", "pytest", ".venv/bin/python -m pytest 't/test_a.py::test_a[1 2]'",
		"t/test_a.py::test_a[1 2]")
	check("pytest -q t/test_a.py t/test_b.py", "pytest", "pytest -q t/test_a.py::test_a", "t/test_a.py::test_a")
	check("pytest tests", "pytest", "", "t/test_a.py::test_a")
	check("pytest --deselect t/test_a.py::test_b", "pytest", "", "t/test_a.py::test_a")
	check("python3 -m unittest", "unittest", "python3 -m unittest t.A.test_a", "t.A.test_a")
	check("python3 -m unittest discover -s t", "unittest", "", "t.A.test_a")
	check("python3 manage.py test", "manage.py test", "python3 manage.py test cart.tests.T.test_a", "cart.tests.T.test_a")
	check("npm test", "vitest", "npm test -- -t '^(sums of \\(two\\))$'", "sums of (two)")
	check("CI=1 node_modules/.bin/mocha", "mocha", "CI=1 node_modules/.bin/mocha --grep '^(a b|c)$'", "a b", "c")
	check("make test", "TAP", "", "a")
	check("pytest", "pytest", "", make([]string, mostNamed+1)...)
}
