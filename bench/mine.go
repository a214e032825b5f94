package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// mining measures mine on a history of fixes, beside the tests run by hand in a working tree of
// each: five times, which is what a task takes at the least, and as often as mine runs them,
// for what it finds out beside that.
func mining(b *bench) error {
	fixes, err := b.number(0, 3)
	if err != nil {
		return err
	}
	project := filepath.Join(b.dir, "p")
	if err := historyOf(project, fixes); err != nil {
		return err
	}
	cache := "XDG_CACHE_HOME=" + filepath.Join(b.dir, "cache")
	test := []string{"python3", "-m", "unittest", benchTests}
	out := filepath.Join(b.dir, "found.json")
	before, err := byHand(project, filepath.Join(b.dir, "before"), test)
	if err != nil {
		return err
	}
	stop, counted := make(chan struct{}), make(chan int)
	go func() { counted <- countRuns(stop) }()
	mined, err := command(project, "sh", "-c", b.cookoff+" mine --prepare none --json --test '"+strings.Join(test, " ")+
		"' > "+out).env(cache).took()
	close(stop)
	runs := <-counted
	if err != nil {
		return err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	var found struct{ Admitted int }
	if err := json.Unmarshal(text, &found); err != nil || found.Admitted != fixes {
		return fmt.Errorf("%d of %d fixes became tasks: %w", found.Admitted, fixes, err)
	}
	after, err := byHand(project, filepath.Join(b.dir, "after"), test)
	if err != nil {
		return err
	}
	one := before.and(after)
	five, alike := one.hand(5*fixes, fixes), one.hand(runs, fixes)
	fmt.Printf("%d fixes, tests run %d times\n"+
		"mine       %v\nby hand    %v: five runs of each fix; mine takes %s of that\n"+
		"as often   %v: mine takes %s of that\n", fixes, runs, mined, five, mined.over(five), alike, mined.over(alike))
	return nil
}

// benchTests is the module of the tests: no other process names it.
const benchTests = "test_of_cookoffs_bench"

// historyOf makes a repository in which each of the last commits mends a function, and tests it.
// Each run of the tests works for a second.
func historyOf(dir string, fixes int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	git := func(args ...string) error {
		return command(dir, "git", append([]string{"-c", "user.name=b", "-c", "user.email=b@b"}, args...)...).run()
	}
	if err := git("init", "-q"); err != nil {
		return err
	}
	tests := "import time\nimport unittest\n\nimport calc\n\n\nclass T(unittest.TestCase):\n" +
		"    def test_long(self):\n" +
		"        n = 0\n        while n < 12_000_000:\n            n += 1\n"
	for at := range fixes + 1 {
		code := ""
		for i := range fixes {
			body := "    return a - 1\n"
			if i < at {
				body = fmt.Sprintf("    if a < %d:\n        return %d\n    return a + %d\n", i, i, i)
			}
			code += fmt.Sprintf("def f%d(a):\n%s\n\n", i, body)
		}
		if at > 0 {
			i := strconv.Itoa(at - 1)
			tests += strings.ReplaceAll("\n    def test_N(self):\n        self.assertEqual(calc.fN(N), N + N)\n"+
				"        self.assertEqual(calc.fN(N - 1), N)\n", "N", i)
		}
		for name, text := range map[string]string{"calc.py": code, benchTests + ".py": tests} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
		if err := git("add", "-A"); err != nil {
			return err
		}
		if err := git("commit", "-qm", fmt.Sprintf("Function %d gives too little", at-1)); err != nil {
			return err
		}
	}
	return nil
}

// manual is what a working tree and one run of its tests take.
type manual struct{ tree, run cost }

func (m manual) hand(runs, trees int) cost {
	n, k := time.Duration(runs), time.Duration(trees)
	return cost{m.run.cpu*n + m.tree.cpu*k, m.run.wall*n + m.tree.wall*k}
}

// and is the mean of what was measured before and after: what else the machine does changes how long a run takes.
func (m manual) and(n manual) manual {
	half := func(a, b cost) cost { return cost{(a.cpu + b.cpu) / 2, (a.wall + b.wall) / 2} }
	return manual{half(m.tree, n.tree), half(m.run, n.run)}
}

func byHand(project, tree string, test []string) (m manual, err error) {
	if m.tree, err = command(project, "git", "worktree", "add", "-q", tree, "HEAD").took(); err != nil {
		return m, err
	}
	m.run, err = again(5, func() cmd { return command(tree, test[0], test[1:]...) })
	return m, err
}

// countRuns counts the processes of Python that run tests, until it is stopped: each lasts for
// longer than it looks away.
func countRuns(stop <-chan struct{}) int {
	seen := map[string]bool{}
	for {
		list, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is well-formed
		for _, at := range list {
			text, err := os.ReadFile(at)
			program, words, _ := strings.Cut(string(text), "\x00")
			if err == nil && filepath.Base(program) == "python3" && strings.Contains(words, benchTests) {
				seen[began(filepath.Dir(at))] = true
			}
		}
		select {
		case <-stop:
			return len(seen)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// began says which process it is, also where its number is taken by another later.
func began(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return dir
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	if f := strings.Fields(rest); len(f) > 19 {
		return dir + " " + f[19]
	}
	return dir
}
