// Package historytest makes repositories for tests.
package historytest

import (
	"os/exec"
	"testing"

	"cookoff/internal/history"
)

// kinds has a commit of each kind that a history may hold, by its subject.
const kinds = `
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

// Kinds makes a repository whose history has a commit of each kind that a history may hold.
func Kinds(t *testing.T) string { return Made(t, kinds) }

// Made makes a repository by a script of bash's, and gives its directory. A test on a machine without git is skipped.
func Made(t *testing.T, script string) string {
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

// Read opens a repository, and gives its commits, newest first.
func Read(t *testing.T, dir string) (*history.Repo, []history.Entry) {
	t.Helper()
	repo, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	log, err := repo.Log(t.Context(), history.LogQuery{From: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	return repo, log
}
