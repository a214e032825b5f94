package cheat

import (
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"cookoff/internal/daily"
	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
)

// exits are projects of testdata/exits.txtar, by the language that the names of cheats end in.
var exits = []struct {
	language, tool string
	where          []string // a command that prints where the tool is, if it is not the system's
	test, weak     string   // what runs the tests; the same, and nothing is known of them
	solution       string
	protect        []string // what decides
}{
	{language: "C", tool: "cc", test: "make -s test", solution: "sed -i 's/n > 10/n >= 10/' src/price.c",
		protect: []string{"test/**", "Makefile"}},
	{language: "Java", tool: "javac", test: "make -s test", solution: "sed -i 's/n > 10/n >= 10/' src/Price.java",
		protect: []string{"test/**", "Makefile"}},
	{language: "shell", tool: "sh", test: "sh test/price_test.sh", solution: "sed -i 's/-gt 10/-ge 10/' lib/price.sh",
		protect: []string{"test/**"}},
	{language: "Perl", tool: "perl", test: "perl t/price.t", solution: "sed -i 's/n > 10/n >= 10/' lib/Price.pm",
		protect: []string{"t/**"}},
	{language: "Python", tool: "python3", where: []string{"python3", "-c", "import sys; print(sys.prefix)"},
		test: "python3 tests/check.py", solution: "sed -i 's/n > 10/n >= 10/' price.py", protect: []string{"tests/**"}},
	{language: "Node", tool: "node", test: "node test/price.js", solution: "sed -i 's/n > 10/n >= 10/' price.js",
		protect: []string{"test/**"}},
	{language: "TypeScript", tool: "node", test: "node tools/compile.js && node test/price.js",
		solution: "sed -i 's/n > 10/n >= 10/' src/price.ts", protect: []string{"test/**", "tools/**"}},
	{language: "Rust", tool: "cargo", where: []string{"rustc", "--print", "sysroot"}, test: "cargo test --offline",
		weak: "cargo test -q --offline", solution: "sed -i 's/n > 10/n >= 10/' src/lib.rs",
		protect: []string{"tests/**", "Cargo.toml"}},
}

// TestExits: programs that end the process of their tests with success are accepted by no
// task whose tests are protected, and are named where those of a task are not.
func TestExits(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/exits.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range exits {
		t.Run(p.language, func(t *testing.T) {
			daily.Skip(t, 3, "some ten worlds")
			if _, err := exec.LookPath(p.tool); err != nil {
				t.Skip(err)
			}
			open := kernelOf(t, toolAt(t, p.where))
			task := recipe.Task{Title: "price", Setup: "git init -q -b main; printf 'build/\\ntarget/\\n' > .gitignore\n",
				Solution: p.solution, Protect: p.protect}
			for _, f := range ar.Files {
				if name, ok := strings.CutPrefix(f.Name, p.language+"/"); ok {
					task.Setup += fmt.Sprintf("mkdir -p %s; cat > %s <<'EOF'\n%sEOF\n", path.Dir(name), name, f.Data)
				}
			}
			for _, protected := range []bool{true, false} {
				task.After = one(p.test)
				if !protected {
					task.Protect = nil
					if p.weak != "" {
						task.After = one(p.weak)
					}
				}
				c, err := verify.NewCase(&recipe.Recipe{}, task)
				if err != nil {
					t.Fatal(err)
				}
				how := Tries{Keep: func(_, name string) bool {
					return strings.HasPrefix(name, "exit") && strings.HasSuffix(name, " in "+p.language) &&
						name != "exit in Python" // it is a trap as well
				}}
				got, err := Cheats(t.Context(), c, open, how)
				if err != nil || got.Exclude != nil {
					t.Fatal(err, got.Exclude)
				}
				if len(got.Made) < 2 {
					t.Fatalf("%d cheats", len(got.Made))
				}
				passed := 0 // where nothing protects the tests, what no solution changes may still tell
				for _, a := range got.Made {
					if a.Status != trial.Pass {
						continue
					}
					if passed++; protected {
						t.Errorf("%s: %s", a.Name, a.Sentence())
					}
				}
				if named := got.Wrong(trial.Fail); len(named) != passed || slices.ContainsFunc(named,
					func(a Attempt) bool { return a.Close == "" }) {
					t.Errorf("tests protected: %v, named: %v", protected, named)
				}
			}
		})
	}
}
