package mine

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/internal/history"
	"cookoff/internal/history/historytest"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/ground"
	"cookoff/internal/mine/refusal"
	"cookoff/sandbox"
)

// TestHistories: every commit of a history is decided, each by its own reason, in the
// same way by one and by several; candidates come as far as this machine lets them.
func TestHistories(t *testing.T) {
	dir := historytest.Kinds(t)
	want := map[string]refusal.Reason{"undated": refusal.Unprepared, "short names again": refusal.OddPath,
		"a long name":        refusal.OddPath,
		"odd names of tests": refusal.OddPath, "odd names": refusal.Unprepared, "needs": refusal.Unprepared,
		"lfs": refusal.Unprepared, "submodule": refusal.Unprepared,
		"tests gone": refusal.NotBoth, "": refusal.Unprepared, "crlf": refusal.Unprepared,
		`Revert "renamed"`: refusal.Unprepared, "renamed": refusal.Unprepared,
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
	dir := historytest.Made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
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
	repo, log := historytest.Read(t, dir)
	c, err := candidate.NewFinder(repo, log, false, "x").Look(t.Context(), log[7])
	if err != nil || c.FullMessage != "the mean is wrong" || c.Commits != 2 || len(c.Fix) != 1 || len(c.Tests) != 1 {
		t.Errorf("%+v, %v", c, err)
	}

	o.Ranges = []string{"HEAD~2..HEAD", "HEAD~1..HEAD"}
	res, err = Mine(t.Context(), o, bare{t}, nil)
	if err != nil || len(res.Found) != 2 || !res.Found[0].Candidate || res.Found[0].From == "" ||
		!slices.Equal(res.Overlaps, []candidate.Overlap{
			{One: "HEAD~2..HEAD", Other: "HEAD~1..HEAD", Commits: 1}}) {
		t.Errorf("ranges: %+v, %v", res, err)
	}
	o.Ranges = []string{"HEAD"}
	if _, err := Mine(t.Context(), o, bare{t}, nil); err == nil || !strings.Contains(err.Error(), "is no range") {
		t.Errorf("what is no range: %v", err)
	}
}

// TestInterrupted: what was decided is kept, and the next search begins behind it.
func TestInterrupted(t *testing.T) {
	dir := historytest.Kinds(t)
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
	dir := historytest.Made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
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
	dir := historytest.Made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
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
	m := &miner{Options: o, repo: repo}
	if m.ground, err = ground.Open(o.Files); err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Found[:2] {
		laid(t, m, judgesDir(f.Commit, ""), []sandbox.Item{{Path: "test_a.py", Mode: 0o644}})
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
	res, err = Mine(t.Context(), o, bare{t}, nil)
	if err != nil || len(res.Tasks()) != 0 || res.Found[0].Reason != refusal.Unprepared {
		t.Errorf("what its world had is gone: %+v, %v", res, err)
	}
}

// TestShallow: of a shallow clone the commits that are there are decided.
func TestShallow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "clone")
	from := "file://" + historytest.Kinds(t)
	out, err := exec.Command("git", "clone", "-q", "--depth", "3", "--no-checkout", from, dir).CombinedOutput()
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

func (bare) Prepare(context.Context, string, string) (string, bool, error) {
	return "", false, errors.New("npm ci: no such package")
}

func (b bare) Prove(context.Context, string) (refusal.Reason, string, error) {
	b.t.Error("a task was proven")
	return "", "", nil
}
