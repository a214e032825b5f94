package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cookoff/internal/daily"
)

// cutCommand is a command that is ended at changes of files that it makes.
type cutCommand struct {
	args    []string
	before  string         // a shell script that makes ready what it works on, in an empty project
	again   string         // what is made ready anew for each end; "": the project and the home as they were then
	signals map[string]int // how many of its changes are tried, by the signal
	partly  bool           // what it has found so far may stay
	slow    bool           // each time is a run or a search: it plays one day in six
}

// endings are how a command ends that was ended by a signal.
var endings = map[string]string{"SIGKILL": "signal: killed", "SIGINT": "exit status 130", "SIGTERM": "exit status 143"}

// TestCommandsKilled ends commands as they are about to change a file, by each signal: no process and no mount is
// left, clean works and leaves no file with a temporary name, and the same command does then what it does where
// nobody ended it. A part of the changes is tried, and all with COOKOFF_CHAOS=all.
func TestCommandsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("ends dozens of commands")
	}
	c := newChaos(t)
	for name, cut := range map[string]cutCommand{
		"convert": {args: []string{"convert", "old.md", "-o", "new.recipe.md"},
			before:  "printf '# Old\\nversion: 1\\n## Models\\n- baseline/noop\\n## Tasks\\n### One\\nDo it.\\n' > old.md",
			signals: map[string]int{"SIGKILL": 99}},
		"clean": {args: []string{"clean"},
			again: "mkdir -p $TMPDIR/cookoff-files-dead/a/b && echo x > $TMPDIR/cookoff-files-dead/a/b/c && " +
				"chmod 500 $TMPDIR/cookoff-files-dead/a/b && mkdir -p $XDG_CACHE_HOME/cookoff/temporary half && " +
				"echo x > half/x && echo \"\\\"$PWD/half\\\"\" > $XDG_CACHE_HOME/cookoff/temporary/list && " +
				"touch -d '40 days ago' $XDG_CACHE_HOME/cookoff/temporary/list && chmod 700 $XDG_CACHE_HOME/cookoff/temporary",
			signals: map[string]int{"SIGKILL": 99, "SIGTERM": 4}},
		"admission": {args: []string{"run", "-q", "--models", "baseline/oracle"},
			signals: map[string]int{"SIGKILL": 3, "SIGTERM": 1, "SIGINT": 1}, slow: true},
		"judge": {args: []string{"judge"}, before: "cookoff run -q --models baseline/oracle",
			signals: map[string]int{"SIGKILL": 3, "SIGTERM": 1, "SIGINT": 1}, slow: true},
		"lint": {args: []string{"lint", "--cheat"}, signals: map[string]int{"SIGKILL": 1}, slow: true},
		"mine": {args: []string{"mine", "--test", "python3 -m unittest"}, before: historyOfOne, partly: true,
			signals: map[string]int{"SIGKILL": 3, "SIGTERM": 1, "SIGINT": 1}, slow: true},
	} {
		t.Run(name, func(t *testing.T) {
			if cut.slow {
				daily.Skip(t, 6, "a minute of runs and searches")
			}
			here := *c
			here.T = t
			if name == "mine" {
				needs(t, "git", "python3")
			}
			here.cutEverywhere(here.at(name), cut)
		})
	}
}

// historyOfOne is a history with one commit that becomes a task, and one that does not.
const historyOfOne = `rm recipe.md; git init -q -b main . && git config user.name a && git config user.email a@b
c() { git add -A; git commit -q -m "$1"; }
printf 'def add(a, b):\n    return a - b\n' > adds.py
printf 'import unittest\nimport adds\n\n\nclass T(unittest.TestCase):\n    def test_none(self):\n' > test_adds.py
printf '        self.assertEqual(adds.add(1, 0), 1)\n' >> test_adds.py; c first
sed -i 's/a - b/a + b/' adds.py
printf '\n    def test_two(self):\n        self.assertEqual(adds.add(1, 2), 3)\n' >> test_adds.py; c 'Sums are sums, no differences'
echo more > README; c 'A note'
`

// cutEverywhere ends a command at changes of files.
func (c *chaos) cutEverywhere(d *chaos, cut cutCommand) {
	c.Helper()
	p := filepath.Join(d.root, "p")
	d.home = filepath.Join(d.root, "home")
	write(c.T, filepath.Join(p, "recipe.md"), tiny(c.T))
	d.shell(cut.before)
	kept := map[string]string{}
	for _, dir := range []string{p, d.home} {
		kept[dir] = filepath.Join(d.root, "kept-"+filepath.Base(dir))
		d.shell(fmt.Sprintf("mkdir -p %s && cp -a %[1]s %s", dir, kept[dir]))
	}
	reset := func() {
		for dir, from := range kept {
			d.shell(fmt.Sprintf("cd / && chmod -R u+rwX %s && rm -rf %[1]s && cp -a %s %[1]s", dir, from))
		}
		d.shell(cut.again)
	}
	reset()
	before := listed(c.T, p)
	counted := filepath.Join(d.root, "counted")
	cmd, out := d.start("0 SIGKILL "+counted, "cookoff-cut-call", cut.args...)
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() == untraced {
		c.Skip("no process may trace another here")
	}
	code, whole := cmd.ProcessState.ExitCode(), listed(c.T, p)
	text, err := os.ReadFile(counted)
	changes, _ := strconv.Atoi(string(text))
	if err != nil || changes < 3 || code < 0 || code > 1 {
		c.Fatalf("%d changes of files, %s:\n%s", changes, cmd.ProcessState, out)
	}
	d.nothingLives()
	for signal, n := range cut.signals {
		for _, at := range sampled(min(n, changes-1), changes-1) {
			reset()
			where := fmt.Sprintf("%s at change %d of %d", signal, at, changes)
			cmd, out := d.start(fmt.Sprint(at, " ", signal), "cookoff-cut-call", cut.args...)
			_ = cmd.Wait()
			if got := cmd.ProcessState.String(); got != endings[signal] && cmd.ProcessState.ExitCode() != code {
				c.Errorf("%s: it ended with %s:\n%s", where, got, out)
			}
			d.nothingLives()
			cleaned := ""
			if signal == "SIGKILL" {
				cleaned = d.says(0, "clean")
			}
			left := d.temporaries()
			if got := listed(c.T, p); !cut.partly && got != before && got != whole {
				c.Errorf("%s: want what was there or what it makes:\n%s", where, got)
			} else if cut.partly {
				left = append(left, d.unrecorded()...)
			}
			if len(left) > 0 {
				c.Errorf("%s: these are left: %q; clean said:\n%s", where, left, cleaned)
			}
			if listed(c.T, p) == whole && slices.Contains(cut.args, "-o") {
				continue // it does not write what is there
			}
			said := d.says(code, cut.args...)
			if got := listed(c.T, p); got != whole {
				c.Errorf("%s: the same command made\n%s\nwant\n%s\nit said\n%s", where, got, whole, said)
			}
			if c.Failed() {
				c.FailNow()
			}
		}
	}
}

// needs skips a test where a program is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("no %s on this machine", p)
		}
	}
}

// shell runs a script in the project.
func (c *chaos) shell(script string) {
	c.Helper()
	if script == "" {
		return
	}
	cmd, out := c.start("", "sh", "-c", script)
	if err := cmd.Wait(); err != nil && !strings.HasPrefix(script, "cookoff") {
		c.Fatalf("%v:\n%s", err, out)
	}
}

// says carries a command out, and wants its exit code.
func (c *chaos) says(code int, args ...string) string {
	c.Helper()
	cmd, out := c.start("", "cookoff", args...)
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != code {
		c.Fatalf("%v: %s, want %d:\n%s", args, cmd.ProcessState, code, out)
	}
	c.nothingLives()
	return out.String()
}

// temporaries are the files that have temporary names.
func (c *chaos) temporaries() (left []string) {
	c.Helper()
	for _, dir := range []string{filepath.Join(c.home, "cache", "cookoff"), filepath.Join(c.root, "tmp"),
		filepath.Join(c.root, "p")} {
		err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			rel, _ := filepath.Rel(c.root, at)
			switch name := filepath.Base(at); {
			case rel == fmt.Sprintf("tmp/cookoff-%d", os.Geteuid()): // what all sandboxes of a user are in
			case strings.HasPrefix(rel, "tmp/"), strings.HasPrefix(name, "new-"), strings.HasPrefix(name, ".new-"),
				strings.HasSuffix(name, ".new"), strings.HasSuffix(name, ".proof.md"),
				strings.Contains(rel, "cookoff/temporary/") && !e.IsDir():
				left = append(left, rel)
			}
			return err
		})
		if err != nil {
			c.Fatal(err)
		}
	}
	return left
}

// unrecorded are the directories of judges' files of which mine's record knows nothing.
func (c *chaos) unrecorded() (left []string) {
	c.Helper()
	var record []byte
	files, _ := filepath.Glob(filepath.Join(c.home, "cache", "cookoff", "mined", "*", "found.jsonl"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			c.Fatal(err)
		}
		record = append(record, text...)
	}
	dirs, _ := filepath.Glob(filepath.Join(c.root, "p", "mined.files", "*"))
	for _, dir := range dirs {
		if !bytes.Contains(record, fmt.Appendf(nil, `"files":"%s"`, filepath.Base(dir))) {
			left = append(left, dir)
		}
	}
	return left
}
