package mine

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/internal/history"
	"cookoff/internal/mine/ground"
	"cookoff/internal/mine/refusal"
	"cookoff/sandbox"
)

// histories has a commit of each kind that a history may hold, by its subject.
const histories = `
git init -q -b main . && git config user.name a && git config user.email a@b
c() { git add -A; git commit -q --no-verify --allow-empty-message -m "$1"; }
fix() { echo "$1" >> a.py; echo "$1" >> test_a.py; }
fix 0; c root
git checkout -qb topic; fix topic1; c 'first of a branch'; fix topic2; c 'second of a branch'
git checkout -q main; echo w > README.md; c words
git merge -q --no-ff -m 'Merge branch topic' topic
git mv a.py b.py; sed -i s/0/1/ test_a.py; c renamed
git revert --no-edit HEAD >/dev/null; git mv b.py a.py 2>/dev/null || true
printf 'a\r\n' >> a.py; printf 'b\r\n' >> test_a.py; c crlf
fix empty; c ''
git init -q sub; (cd sub; git config user.name a; git config user.email a@b; git commit -q --allow-empty -m 1)
git -c advice.addEmbeddedRepo=false add sub; fix sub; c submodule
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n' > big.bin; fix lfs; c lfs
fix need; echo 'x==1' > requirements.txt; c needs
git rm -q test_a.py; echo gone >> a.py; c 'tests gone'
printf x > "$(printf 'n\nl.py')"; printf x > -rf.py; printf x > "$(printf 'bad\377.py')"; fix odd; c 'odd names'
mkdir tests; printf x > "$(printf 'tests/bad\377')"; fix odd2; c 'odd names of tests'
blob=$(echo x | git hash-object -w --stdin)
tree=$({ git ls-tree HEAD; printf "100644 blob $blob\t%0300d\n100644 blob $blob\ttest_b.py\n" 1; } | git mktree)
git update-ref HEAD "$(git commit-tree "$tree" -p HEAD -m 'a long name')"
tree=$({ git ls-tree HEAD~1; printf "100644 blob $blob\tb.py\n100644 blob $blob\ttest_b.py\n"; } | git mktree)
git update-ref HEAD "$(git commit-tree "$tree" -p HEAD -m 'short names again')"
tree=$({ git ls-tree HEAD; printf "100644 blob $blob\tc.py\n100644 blob $blob\ttest_c.py\n"; } | git mktree)
git update-ref HEAD "$(git commit-tree "$tree" -p HEAD -m undated)"
git cat-file commit HEAD | sed '/^committer/s/[0-9]* \([+-][0-9]*\)$/99999999999999999999 \1/' > .git/odd
git update-ref refs/heads/main "$(git hash-object -t commit -w --literally .git/odd)"
`

// madeHistories makes the repository.
func madeHistories(t *testing.T) string { return made(t, histories) }

// made makes a repository by a script.
func made(t *testing.T, script string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	cmd := exec.Command("bash", "-e", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// TestHistories: every commit of a history is decided, each by its own reason, in the
// same way by one and by several; candidates come as far as this machine lets them.
func TestHistories(t *testing.T) {
	dir := madeHistories(t)
	want := map[string]refusal.Reason{"undated": refusal.Unprepared, "short names again": refusal.OddPath, "a long name": refusal.OddPath,
		"odd names of tests": refusal.OddPath, "odd names": refusal.Unprepared, "needs": refusal.Unprepared, "lfs": refusal.Pointer, "submodule": refusal.Submodule,
		"tests gone": refusal.NotBoth, "": refusal.Unprepared, "crlf": refusal.Unprepared, `Revert "renamed"`: refusal.Unprepared, "renamed": refusal.Unprepared,
		"Merge branch topic": refusal.Unprepared, "words": refusal.NotBoth, "root": refusal.NoParent}
	for _, jobs := range []int{1, 4} {
		o := Options{Dir: dir, Test: "python3 -m unittest", Jobs: jobs, Files: filepath.Join(dir, "m.files")}
		res, err := Mine(t.Context(), o, bare{t}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Found) != len(want) {
			t.Errorf("%d jobs: %d commits, want %d: those of a merged branch are none", jobs, len(res.Found), len(want))
		}
		for _, f := range res.Found {
			if f.Reason != want[f.Subject] {
				t.Errorf("%d jobs: %q: %s (%s), want %s", jobs, f.Subject, f.Reason, f.Detail, want[f.Subject])
			}
		}
	}
}

// TestTwoCommits: tests and code in two commits that follow one another are a candidate,
// in either order; a merge, or what stands between them, is none.
func TestTwoCommits(t *testing.T) {
	dir := made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
c() { git add -A; git commit -q -m "$1"; }
echo 0 | tee a.py > test_a.py; c root
echo 1 >> test_a.py; c 'a test that fails'
echo 1 >> a.py; c 'the sum is wrong'
echo w > README.md; c words
echo 2 >> a.py; c 'the mean is wrong'
echo 2 >> test_a.py; c 'test the mean'
echo w >> README.md; c more
echo 3 >> test_a.py; c 'a test'
echo w >> README.md; c between
echo 3 >> a.py; c 'code'
mkdir x y; echo 1 > x/test_b.py; c 'other tests'
echo 1 > y/other.py; c 'other code'
echo other >> x/test_b.py; c 'tests that name it'
`)
	want := map[string]bool{"the sum is wrong": true, "test the mean": true, "tests that name it": true}
	o := Options{Dir: dir, Test: "x", Files: filepath.Join(dir, "m.files")}
	res, err := Mine(t.Context(), o, bare{t}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Found {
		if f.Candidate != want[f.Subject] {
			t.Errorf("%q: candidate %v (%s)", f.Subject, f.Candidate, f.Reason)
		}
	}
	m := &finder{entries: map[string]history.Entry{}, changes: changesOf(nil)}
	if m.repo, err = history.Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	log, err := m.repo.Log(t.Context(), history.LogQuery{From: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log {
		m.entries[e.ID] = e
	}
	c, err := m.look(t.Context(), log[7])
	if err != nil || c.message != "the mean is wrong" || c.commits != 2 || len(c.fix) != 1 || len(c.tests) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestSpread: several commits that follow one another are a candidate where together they
// are tests and the code that these have to do with.
func TestSpread(t *testing.T) {
	dir := made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
c() { git add -A; git commit -q -m "$1"; }
echo 0 | tee a.py b.py c.py > test_a.py; echo 'q = "a"' >> test_a.py; c root
echo 1 >> test_a.py; c 'a test that fails'
echo 1 >> a.py; c 'half of it'
echo 2 >> a.py; c 'all of it'
echo w > README.md; c words
echo 3 >> a.py; c 'one thing'
echo 4 >> a.py; c 'another thing'
echo 5 >> test_a.py; c 'their test'
echo w >> README.md; c more
echo 6 >> a.py; echo 6 >> test_a.py; c 'wrong sum (#7)'
echo 7 >> a.py; c 'what the review found (#7)'
echo w >> README.md; c rest
echo 8 >> a.py; echo 8 >> test_a.py; c 'wrong mean (#8)'
echo 9 >> a.py; c 'another issue (#9)'
echo w >> README.md; c rest2
echo 'x = ("b", 1)' >> a.py; c 'without a test'
sed -i "s/\"/'/g; s/, 1/,1/" a.py test_a.py; c 'new quotes'
echo 12 >> test_a.py; c 'the test for it'
echo w >> README.md; c rest3
echo 9 >> a.py; echo 9 >> test_a.py; c 'wrong top'
echo 10 >> a.py; c 'fixup! wrong top'
git checkout -q -b topic HEAD~3
echo 11 >> a.py; c 'in a branch'; echo w >> README.md; c '- its words'; echo 11 >> test_a.py; c 'and its test'
git checkout -q main
`)
	want := map[string]int{"half of it": 2, "all of it": 3, "their test": 3, "what the review found (#7)": 2,
		"wrong sum (#7)": 1, "wrong mean (#8)": 1, "new quotes": 1,
		"the test for it": 3, "wrong top": 1, "fixup! wrong top": 2}
	m := &finder{entries: map[string]history.Entry{}, changes: changesOf(nil)}
	var err error
	if m.repo, err = history.Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	log, err := m.repo.Log(t.Context(), history.LogQuery{From: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log {
		m.entries[e.ID] = e
	}
	for _, e := range log {
		n := 0
		c, err := m.look(t.Context(), e)
		if err == nil {
			n = c.commits
		}
		if n != want[e.Message] {
			t.Errorf("%q: %d commits, want %d (%v)", e.Message, n, want[e.Message], err)
		}
		if e.Message == "the test for it" && c.message != "without a test" {
			t.Errorf("%q: what says how code looks says nothing of what was wrong", c.message)
		}
		if e.Message == "all of it" && (c.message != "half of it\n\nall of it" || len(c.almost) != 1) {
			t.Errorf("%q: %q, %v", e.Message, c.message, c.almost)
		}
	}

	o := Options{Dir: dir, Test: "x", Files: filepath.Join(dir, "m.files"), Ranges: []string{"main..topic", "main...topic"}}
	res, err := Mine(t.Context(), o, bare{t}, nil)
	if err != nil || len(res.Found) != 1 || !res.Found[0].Candidate || res.Found[0].Subject != "in a branch" {
		t.Errorf("a range: %+v, %v", res, err)
	}
	o.Ranges = []string{"main~2..main", "main~4..main~1", "main~7..main~5"}
	res, err = Mine(t.Context(), o, bare{t}, nil)
	if err != nil || len(res.Found) != 3 || !slices.Equal(res.Overlaps, []Overlap{{"main~2..main", "main~4..main~1", 1}}) {
		t.Errorf("ranges that overlap: %+v, %v", res, err)
	}
	for bad, why := range map[string]string{"main": "is no range", "..x": "is no range", "main..nothing": "nothing",
		"topic..main~5": "has nothing that"} {
		o.Ranges = []string{bad}
		_, err := Mine(t.Context(), o, bare{t}, nil)
		if no, ok := errors.AsType[*RangeError](err); !ok || !strings.Contains(no.Error(), why) {
			t.Errorf("%s: %v, want %s", bad, err, why)
		}
	}
}

// TestChanges: what git says of many commits at once is what it says of each, merges,
// odd paths and empty commits included.
func TestChanges(t *testing.T) {
	repo, err := history.Open(t.Context(), madeHistories(t))
	if err != nil {
		t.Fatal(err)
	}
	log, err := repo.Log(t.Context(), history.LogQuery{From: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	c := changesOf(log)
	steps, known := 0, 0
	for _, e := range log {
		if len(e.Parents) == 0 {
			continue
		}
		s := history.Step{From: e.Parents[0], To: e.ID}
		got, err := c.of(t.Context(), repo, s)
		want, wantErr := repo.Changes(t.Context(), s)
		if !slices.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v %v, want %v %v", e.Message, got, err, want, wantErr)
		}
		steps++
		if _, is := c.known[s]; is {
			known++
		}
	}
	if known < steps-1 { // one is empty
		t.Errorf("%d of %d commits were asked for one by one", steps-known, steps)
	}
}

// TestInterrupted: what was decided is kept, and the next search begins behind it.
func TestInterrupted(t *testing.T) {
	dir := madeHistories(t)
	ctx, stop := context.WithCancel(t.Context())
	o := Options{Dir: dir, Test: "x", Files: filepath.Join(dir, "m.files"), Record: filepath.Join(t.TempDir(), "r", "found")}
	res, err := Mine(ctx, o, bare{t}, func(p Progress) {
		if p.Seen == 5 && p.Found != nil {
			stop()
		}
	})
	if err != nil || !res.Stopped || len(res.Found) != 5 {
		t.Fatalf("%v, %+v", err, res)
	}
	if res, err = Mine(t.Context(), o, bare{t}, nil); err != nil || res.Stopped || res.Known != 5 || len(res.Found) != res.Total {
		t.Errorf("%v: known %d of %d", err, res.Known, res.Total)
	}
}

// TestInterruptedCandidate: of a candidate that was tried when somebody interrupted the search nothing
// is kept: what failed then failed for that.
func TestInterruptedCandidate(t *testing.T) {
	dir := made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
echo 0 | tee a.py > test_a.py; git add -A; git commit -qm root
echo 1 | tee -a a.py >> test_a.py; git commit -qam 'a candidate'`)
	ctx, stop := context.WithCancel(t.Context())
	o := Options{Dir: dir, Test: "x", Files: filepath.Join(dir, "m.files"), Record: filepath.Join(t.TempDir(), "found")}
	res, err := Mine(ctx, o, bare{t}, func(p Progress) {
		if p.Now != "" {
			stop()
		}
	})
	if err != nil || !res.Stopped || len(res.Found) != 0 {
		t.Errorf("%+v, %v", res, err)
	}
	if res, err = Mine(t.Context(), o, bare{t}, nil); err != nil || res.Found[0].Reason != refusal.Unprepared {
		t.Errorf("once more: %+v, %v", res, err)
	}
}

// stopping is a machine on which somebody interrupts the search as soon as a sandbox is opened.
type stopping struct {
	bare
	stop func()
}

func (s stopping) Open(ctx context.Context, _ sandbox.Spec) (sandbox.Sandbox, error) {
	s.stop()
	return nil, ctx.Err()
}

// TestWaiting: a task whose world nobody has looked through is none yet where the search is
// interrupted, and its files stay; what lies there of commits that are no tasks goes at the end
// of a search, not before.
func TestWaiting(t *testing.T) {
	dir := made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
c() { git add -A; git commit -q -m "$1"; }
echo 0 | tee a.py > test_a.py; c root
echo 1 | tee -a a.py >> test_a.py; c 'no task'
echo 2 | tee -a a.py >> test_a.py; c 'a task'`)
	o := Options{Dir: dir, Test: "x", Files: filepath.Join(dir, "m.files"), Record: filepath.Join(t.TempDir(), "found")}
	res, err := Mine(t.Context(), o, bare{t}, nil)
	if err != nil || len(res.Found) != 3 {
		t.Fatal(err, res)
	}
	repo, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	m := &miner{Options: o, finder: &finder{repo: repo}}
	if m.ground, err = ground.Open(o.Files); err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Found[:2] {
		if err := m.ground.Lay(judgesDir(f.Commit, ""), []sandbox.Item{{Path: "test_a.py", Mode: 0o644}}); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := m.recorded()
	if err != nil {
		t.Fatal(err)
	}
	task, none := res.Found[0], res.Found[1]
	at := judgesDir(task.Commit, "")
	task.Task, task.Reason = &Task{Files: at, Sum: m.ground.Sum(at), Secret: []string{"x"}}, ""
	if err := rec.add(&task); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	res, err = Mine(ctx, o, stopping{bare{t}, stop}, nil)
	if err != nil || !res.Stopped || res.Waiting != 1 || len(res.Tasks()) != 0 || len(res.Found) != 0 {
		t.Errorf("%+v, %v", res, err)
	}
	for _, f := range []Found{task, none} {
		if m.ground.Sum(judgesDir(f.Commit, "")) == "" {
			t.Errorf("%s: its files were taken away by a search that was interrupted", f.Subject)
		}
	}
	task.Task.Searched = true
	if err := rec.add(&task); err != nil {
		t.Fatal(err)
	}
	res, err = Mine(t.Context(), o, bare{t}, nil)
	if err != nil || res.Stopped || len(res.Tasks()) != 1 || m.ground.Sum(judgesDir(none.Commit, "")) != "" ||
		m.ground.Sum(at) == "" {
		t.Errorf("%+v, %v", res, err)
	}
	task.Task.Searched, task.Task.Prepared = false, filepath.Join(dir, "gone")
	if err := rec.add(&task); err != nil {
		t.Fatal(err)
	}
	if res, err = Mine(t.Context(), o, bare{t}, nil); err != nil || len(res.Tasks()) != 0 || res.Found[0].Reason != refusal.Unprepared {
		t.Errorf("what its world had is gone: %+v, %v", res, err)
	}
}

// TestShallow: of a shallow clone the commits that are there are decided.
func TestShallow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "clone")
	out, err := exec.Command("git", "clone", "-q", "--depth", "3", "--no-checkout", "file://"+madeHistories(t), dir).CombinedOutput()
	if err != nil {
		t.Skipf("git makes no clone of it: %s", out)
	}
	res, err := Mine(t.Context(), Options{Dir: dir, Test: "x", Files: filepath.Join(dir, "m.files")}, bare{t}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Found[len(res.Found)-1]; len(res.Found) != 3 || got.Reason != refusal.NoParent {
		t.Errorf("%d commits, the last: %s", len(res.Found), got.Reason)
	}
}

// bare is a machine on which nothing can be made ready.
type bare struct{ t *testing.T }

func (b bare) Open(context.Context, sandbox.Spec) (sandbox.Sandbox, error) {
	b.t.Error("a sandbox was opened")
	return nil, errors.New("none here")
}

func (bare) Prepare(context.Context, string, string) (string, error) {
	return "", errors.New("npm ci: no such package")
}

func (b bare) Prove(context.Context, string) (refusal.Reason, string, error) {
	b.t.Error("a task was proven")
	return "", "", nil
}
