package mine

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/internal/history"
	"cookoff/internal/history/historytest"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/patches"
	"cookoff/internal/mine/refusal"
)

// rustHistory has fixes whose tests stand in the files of their code.
const rustHistory = `git init -q -b main . && git config user.name a && git config user.email a@b
c() { git add -A; git commit -q -m "$1"; }
mkdir -p src/bin; printf '[package]\nname = "p"\nversion = "0.1.0"\n' > Cargo.toml
printf 'pub fn a() -> i32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\n' > src/lib.rs
printf 'pub fn a() -> i32 { 1 }\n' > src/x.rs; cp src/lib.rs src/y.rs; cp src/lib.rs src/bin/z.rs; touch src/y_tests.rs; c root
sed -i 's/{ 1 }/{ 2 }/; s/fn b() {}/fn b() { assert_eq!(super::a(), 2) }/' src/lib.rs; c 'within the module'
sed -i 's/{ 1 }/{ 2 }/' src/x.rs; printf '\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn d() {}\n}\n' >> src/x.rs; c 'a new module'
sed -i 's/fn b() {}/fn b() { assert_eq!(super::a(), 1) }/' src/lib.rs; sed -i 's/() {}/() { assert!(true) }/' src/x.rs; c 'only tests'
sed -i 's/{ 1 }/{ 2 }/; s/fn b() {}/#[test]\n    fn c() {}/' src/y.rs; c 'its name is taken'
sed -i 's/{ 1 }/{ 2 }/; s/fn b() {}/#[test]\n    fn c() {}/' src/bin/z.rs; c 'a program of its own'
sed -i 's/{ 2 }/{ 3 }/; s/, 2)/, 3)/' src/lib.rs; sed -i 's/assert!(true)/assert!(1 == 1)/' src/x.rs
printf '[dependencies]\nq = "1"\n' >> Cargo.toml; c 'with a dependency'
`

// TestTakenApart: tests of Rust in the files of code get files of their own, before and after,
// and what is left of the code is the fix.
func TestTakenApart(t *testing.T) {
	dir := historytest.Made(t, rustHistory)
	repo, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	repo = repo.Derived(t.TempDir())
	head, err := repo.Commit(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	log, err := repo.Log(t.Context(), history.LogQuery{From: head.ID})
	if err != nil {
		t.Fatal(err)
	}
	m := candidate.NewFinder(repo, log, false, "")
	want := map[string]string{"within the module": "src/lib.rs | src/lib_tests.rs", "a new module": "src/x.rs | src/x_tests.rs",
		"only tests": string(refusal.NotBoth), "its name is taken": string(refusal.InOneFile),
		"a program of its own": string(refusal.InOneFile),
		"with a dependency":    "src/lib.rs | src/lib_tests.rs src/x_tests.rs"}
	for _, e := range log[:len(log)-1] {
		c, err := m.Look(t.Context(), e)
		got := ""
		if err != nil {
			got = string(err.(*refusal.Error).Reason)
		} else {
			got = strings.Join(paths(c.Fix), " ") + " | " + strings.Join(paths(c.Tests), " ")
			unchanged(t, dir, repo, c)
		}
		if subject := lines.First(e.Message); got != want[subject] {
			t.Errorf("%s: %s, want %s", subject, got, want[subject])
		}
	}
}

// unchanged demands that the setup of a task and its solution can be applied one after the
// other, and that nothing was written into the repository.
func unchanged(t *testing.T, dir string, repo *history.Repo, c *candidate.Candidate) {
	t.Helper()
	w := &writer{attempt: &attempt{repo: repo, c: c}}
	make := w.outOfCode
	if len(c.Needs) > 0 {
		make = w.backwards
	}
	setup, err := make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	patch, err := repo.Patch(t.Context(), c.Parent, c.Now(), 3, paths(c.Fix))
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(t.TempDir(), "w")
	cmd := exec.Command("bash", "-ec", "git clone -q . "+work+"; ! git cat-file -e "+c.Now()+" 2>/dev/null; cd "+work+
		"; git checkout -q "+c.Base()+"\n"+setup+"\n"+patches.Script(patch)+
		"\ntest -z \"$(git ls-files -o)\"; grep -q 'mod tests;' "+
		c.Fix[0].Path)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", c.Message, err, out)
	}
}
