package mine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"cookoff/internal/cli"
	"cookoff/internal/diagnose"
	"cookoff/internal/files"
	"cookoff/internal/mine"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/propose"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
)

// mark stands in recipes that mine wrote, which it may write anew.
const mark = "<!-- written by cookoff mine"

// replaceable refuses a file that somebody else wrote.
func (m *mining) replaceable(file string) error {
	if st, err := os.Lstat(file); err == nil && !st.Mode().IsRegular() {
		return cli.Usage("%s is there, and no file\n  hint: --output names another", m.Rel(file))
	}
	if err := cli.CanWrite("", file); err != nil {
		return err
	}
	old, err := os.ReadFile(file)
	if err != nil || m.force || bytes.Contains(old, []byte(mark)) {
		return nil
	}
	return cli.Usage("%s is there already, and mine did not write it\n"+
		"  hint: --force overwrites it, --output names another file", m.Rel(file))
}

// conclude writes the recipe and prints what became of the commits.
func (m *mining) conclude(ctx context.Context, o *mine.Options, res *mine.Result) error {
	tasks := res.Tasks()
	kept := false
	if res.Stopped {
		kept = m.larger(tasks)
	}
	written := len(tasks) > 0 && !kept
	if written {
		if err := m.write(o, res, tasks); err != nil {
			return err
		}
	}
	if err := m.report(res, len(tasks), written); err != nil {
		return err
	}
	for _, o := range res.Overlaps {
		m.Say("warning: %s and %s have %s in common: their tasks are not independent of each other", text.Line(o.One),
			text.Line(o.Other), text.Count(o.Commits, "commit"))
	}
	rel := m.Rel(m.output)
	switch {
	case res.Stopped:
		m.stopped(res, kept)
		return cli.Fail(cli.ExitInterrupted, nil)
	case res.Total == 0:
		return cli.Fail(cli.ExitGate, fmt.Errorf("no commit fits --since and --path"))
	case len(tasks) == 0:
		more := advice(res) + below(o.Dir)
		if more == "" {
			more = "\n  hint: -v says why of each; cookoff plant makes tasks of faults in today's code, without a history"
		}
		return cli.Fail(cli.ExitGate, fmt.Errorf("no commit became a task%s", more))
	}
	m.unread(res)
	m.Say("wrote %s and the tests that judge, in %s\n  hint: cookoff run %[1]s --models PROVIDER/MODEL,baseline/noop",
		rel, m.Rel(o.Files))
	return nil
}

// below says which projects lie in directories of a repository, each of which can be mined alone; "": none does.
func below(dir string) string {
	var dirs []string
	for _, c := range propose.Below(dir) {
		if d := c.Dir; own(c.From) && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	if len(dirs) == 0 {
		return ""
	}
	return fmt.Sprintf("\n  hint: projects of their own lie in %s: cd %s && cookoff mine",
		text.Line(strings.Join(dirs, ", ")), text.Line(dirs[0]))
}

// own reports whether what proposes a test command says that a project is there; tests alone don't.
func own(from string) bool { return path.Ext(from) != ".py" || path.Base(from) == "setup.py" }

// stopped says of an interrupted search how it goes on, and what is there until then.
func (m *mining) stopped(res *mine.Result, kept bool) {
	same := "the same command"
	if m.again {
		same = "the same command without --again"
	}
	switch seen := len(res.Found) + res.Waiting; {
	case seen == res.Total && m.describe != "":
		m.Say("stopped while %s described the tasks: %s goes on from there", text.Line(m.describe), same)
	default:
		m.Say("stopped after %d of %s: %s goes on from there", seen, text.Count(res.Total, "commit"), same)
	}
	if res.Waiting > 0 {
		m.Say("%s left out until then: nobody has looked yet whether the answer stands elsewhere in their worlds",
			text.Count(res.Waiting, "task"))
	}
	if kept {
		m.Say("%s stays as an earlier search wrote it: it has other tasks, too", m.Rel(m.output))
	}
}

// unread says what of tasks' worlds was not looked through.
func (m *mining) unread(res *mine.Result) {
	var parts []string
	for _, f := range res.Found {
		if f.Task != nil {
			parts = append(parts, f.Task.Unread...)
		}
	}
	slices.Sort(parts)
	for _, p := range slices.Compact(parts) {
		m.Say("warning: not looked through for the fixes, for want of time: %s\n"+
			"  hint: cookoff lint --leaks looks into each task's world",
			text.Line(p))
	}
}

// larger reports whether the recipe of an earlier search has tasks that are not among these.
func (m *mining) larger(tasks []recipe.Task) bool {
	old, err := os.ReadFile(m.output)
	if err != nil || !bytes.Contains(old, []byte(mark)) {
		return false
	}
	r, err := recipe.ParseContent(old)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool {
		return !slices.ContainsFunc(tasks, func(now recipe.Task) bool { return now.Title == t.Title })
	})
}

// write writes the recipe.
func (m *mining) write(o *mine.Options, res *mine.Result, tasks []recipe.Task) error {
	doc := o.Document(tasks, m.models).MarshalMarkdown()
	head := fmt.Sprintf("%s from %.12s: %s of %s -->\n", mark, res.Head.ID, text.Count(len(tasks), "task"),
		text.Count(len(res.Found), "commit"))
	doc = strings.Replace(doc, "\n## Models\n", "\n"+head+"\n## Models\n", 1)
	if _, err := recipe.ParseContent([]byte(doc)); err != nil {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("the recipe can't be read back: %w", err))
	}
	return m.save(doc)
}

// save writes the recipe, never through a link of the project: one may have come
// meanwhile.
func (m *mining) save(doc string) error {
	if err := files.NoLinks(m.top, m.output); err != nil {
		return cli.Usage("%w", err)
	}
	return cli.Written(files.WriteFile(m.output, []byte(doc)))
}

// row is a line of the table, and of the JSON.
type row struct {
	Reason refusal.Reason `json:"reason"`
	N      int            `json:"commits"`
}

// doc is what --json prints.
type doc struct {
	Commits    int     `json:"commits"`
	Seen       int     `json:"seen"`
	Candidates int     `json:"candidates"`
	Admitted   int     `json:"admitted"`
	Refused    []row   `json:"refused"`
	Seconds    float64 `json:"seconds"`
	Recipe     string  `json:"recipe,omitempty"`
	Stopped    bool    `json:"stopped,omitempty"`
	// tasks that are left out: their worlds were not looked through yet
	Waiting int          `json:"waiting,omitempty"`
	Found   []mine.Found `json:"found"`
}

// report prints the table, or JSON.
func (m *mining) report(res *mine.Result, admitted int, written bool) error {
	d := doc{Commits: res.Total, Seen: len(res.Found) + res.Waiting, Candidates: res.Candidates() + res.Waiting,
		Admitted: admitted,
		Refused:  []row{}, Seconds: res.Duration.Seconds(), Stopped: res.Stopped, Waiting: res.Waiting,
		Found: res.Found}
	if written {
		d.Recipe = m.Rel(m.output)
	}
	counts := res.Refused()
	for _, r := range refusal.Reasons() {
		if counts[r] > 0 {
			d.Refused = append(d.Refused, row{r, counts[r]})
		}
	}
	if m.json {
		return m.PrintJSON(d)
	}
	t := table.New(m.Out)
	t.Row("commits", "", "")
	t.Row("seen", fmt.Sprint(d.Seen), fmt.Sprintf("of %d, in %s", d.Commits,
		text.Clock(res.Duration.Round(time.Second))))
	t.Row("candidates", fmt.Sprint(d.Candidates), "change tests and code")
	t.Row("admitted", fmt.Sprint(d.Admitted), "")
	for _, r := range d.Refused {
		t.Row("refused", fmt.Sprint(r.N), string(r.Reason))
	}
	if d.Waiting > 0 {
		t.Row("waiting", fmt.Sprint(d.Waiting), "their worlds are not looked through yet")
	}
	return cli.Written(t.Flush())
}

// newest says what the newest commit that was refused for a reason showed of it.
func newest(res *mine.Result, why refusal.Reason) string {
	for _, f := range res.Found {
		if f.Task == nil && f.Reason == why && f.Detail != "" {
			return fmt.Sprintf("\n  %.10s: %s", f.Commit, text.Line(f.Detail))
		}
	}
	return ""
}

// advice says what helps where nothing became a task.
func advice(res *mine.Result) string {
	counts := res.Refused()
	if res.Candidates() == 0 && 2*counts[refusal.NotBoth] > res.Total {
		return "\n  hint: a commit that changes tests and code is one to try; tests are known by their names (a_test.go, " +
			"test_a.py, a.test.js, what lies below test, tests, __tests__ …); cookoff plant makes tasks of faults in today's code"
	}
	for _, a := range []struct {
		why  refusal.Reason
		hint string
	}{
		{refusal.FixedFails, "the tests fail here even with the fix in: " +
			"does --test work in a world without a network? --prepare gets what it needs"},
		{refusal.FixedBuild, "the project can't be built here: --prepare gets what it needs"},
		{refusal.NoneRuns, "the test command chooses none of the tests, or they are left out here: --test names another"},
		{refusal.Forgiving, "what stands around the tests hides how they end (a pipe in a script, || true, ; …): " +
			"--test names the command that runs them"},
		{refusal.Nameless, "the tests must be known by name: " +
			"go test, pytest, unittest, node --test, jest, vitest, mocha, ava, tap, cargo test, prove, ctest, bats, minitest, " +
			"RSpec, PHPUnit, what prints TAP, or JUnit XML by a flag"},
		{refusal.Endless, "--timeout gives a run of the tests longer, --test names a command that ends"},
		{refusal.Unprepared, "--prepare names the command that gets what it needs"},
		{refusal.Hidden, "--underspecified takes them"},
	} {
		if 2*counts[a.why] > res.Candidates() {
			said := newest(res, a.why)
			return said + "\n  hint: " + cmp.Or(diagnose.Lacks(said), a.hint)
		}
	}
	if said := newest(res, refusal.Unproven); strings.Contains(said, "not for the referee") {
		return said + "\n  hint: the referee takes nothing from a home, and programs of the machine before others of their " +
			"name: have --prepare write into the project, and --test call its programs by their path (.venv/bin/pytest)"
	}
	return ""
}
