package history

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository is a repository that a script made.
func repository(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	sh(t, dir, "git init -q -b main .\n"+script)
	return dir
}

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=core.fsync", "GIT_CONFIG_VALUE_0=none", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v: %s", script, err, out)
	}
	return string(out)
}

// history has three commits, and a filter and hooks that would leave a trace.
const threeCommits = `
mkdir -p d/e; printf '#!/bin/sh\n' > run.sh; chmod +x run.sh
echo one > a; echo gone > d/e/f; ln -s a link; printf 'x\r\n' > crlf
echo '* filter=evil text=auto' > .gitattributes
git add .; git commit -qm 'first words'
echo two > a; rm -r d; echo file > d; echo new > n; git add .; git commit -qm second
echo LATER > a; git add .; git commit -qm third; git tag late
git config filter.evil.smudge 'touch "$PWD/../ran"; cat'
git config filter.evil.clean 'touch "$PWD/../ran"; cat'
git config core.fsmonitor 'touch /tmp/ran'
`

func opened(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func commit(t *testing.T, r *Repo, rev string) Commit {
	t.Helper()
	c, err := r.Commit(t.Context(), rev)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestMove: a tree that moves is as one that is checked out, whatever was made of it.
func TestMove(t *testing.T) {
	dir := repository(t, threeCommits)
	r := opened(t, dir)
	want := map[string]string{}
	for _, rev := range []string{"main~2", "main~1"} {
		tree, err := r.Checkout(t.Context(), commit(t, r, rev), filepath.Join(t.TempDir(), "x"), nil)
		if err != nil {
			t.Fatal(err)
		}
		want[rev] = sh(t, tree.Dir, `find . -type f -printf '%m %T@ %p\n' -o -printf '%y %p %l\n' | sort; cat a`)
		tree.Close()
	}
	if !strings.Contains(want["main~2"], "l ./link a") || !strings.Contains(want["main~2"], "755 1000000000") ||
		!strings.HasSuffix(want["main~2"], "one\n") {
		t.Errorf("the first commit is\n%s", want["main~2"])
	}
	tree, err := r.Checkout(t.Context(), commit(t, r, "late"), filepath.Join(t.TempDir(), "x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, rev := range []string{"main~2", "main~1", "main~2"} {
		if err := tree.Move(t.Context(), commit(t, r, rev)); err != nil {
			t.Fatal(err)
		}
		got := sh(t, tree.Dir, `find . -type f -printf '%m %T@ %p\n' -o -printf '%y %p %l\n' | sort; cat a`)
		if got != want[rev] {
			t.Errorf("moved to %s, it is\n%s\nwant\n%s", rev, got, want[rev])
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "ran")); err == nil {
		t.Error("a filter of the repository ran")
	}
}

// TestRepository: a tree's own repository has one commit, is clean, and holds nothing
// of another, nor what is hidden.
func TestRepository(t *testing.T) {
	r := opened(t, repository(t, threeCommits))
	tree, err := r.Checkout(t.Context(), commit(t, r, "main~1"), filepath.Join(t.TempDir(), "x"),
		func(p string) bool { return p == "crlf" })
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if err := tree.Repository(t.Context(), func(p string) bool { return p == "n" }); err != nil {
		t.Fatal(err)
	}
	got := sh(t, tree.Dir, `git log --all --format='%s %an'; git status --short; git reflog; git fsck --full --strict
git cat-file --batch-all-objects --batch-check='%(objecttype)' | sort | uniq -c | tr -s ' '
git cat-file --batch-all-objects --batch | grep -a -e LATER -e new -e gone || echo nothing`)
	want := "base base\n?? n\n 5 blob\n 1 commit\n 1 tree\nnothing\n"
	if tidy := strings.ReplaceAll(got, "Checking object directories: done.\n", ""); tidy != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPrefix: seen from a directory, a commit is that directory.
func TestPrefix(t *testing.T) {
	dir := repository(t, threeCommits+"mkdir sub; echo s > sub/s; git add .; git -c core.fsmonitor=false commit -qm sub\n")
	r := opened(t, filepath.Join(dir, "sub"))
	files, err := r.Files(t.Context(), commit(t, r, "HEAD"))
	if err != nil || len(files) != 1 || files[0].Path != "s" || files[0].Size != 2 {
		t.Errorf("got %v, %v", files, err)
	}
	if names, err := r.Names(t.Context(), commit(t, r, "HEAD")); err != nil || !slices.Equal(names, []string{"s"}) {
		t.Errorf("got %v, %v", names, err)
	}
	if _, err := r.Files(t.Context(), commit(t, r, "late")); err == nil || !strings.Contains(err.Error(),
		`has no directory "sub"`) {
		t.Errorf("got %v", err)
	}
}

// TestRefused: what a repository lacks is told apart.
func TestRefused(t *testing.T) {
	dir := repository(t, threeCommits)
	r := opened(t, dir)
	for _, rev := range []string{"", "-x", "--all", "a..b", "HEAD:a", "main^{tree}", "x y", "@{-1}"} {
		if _, err := r.Commit(t.Context(), rev); err == nil || !strings.Contains(err.Error(), "names no commit") {
			t.Errorf("%q: %v", rev, err)
		}
	}
	missing, ok := errors.AsType[*MissingError](second(r.Commit(t.Context(), "nothere")))
	if !ok || missing.Shallow {
		t.Errorf("got %v", missing)
	}
	if _, err := r.Commit(t.Context(), sh(t, dir, "git rev-parse HEAD:a | tr -d '\\n'")); err == nil {
		t.Error("a blob is taken for a commit")
	}
	shallow := filepath.Join(t.TempDir(), "s")
	sh(t, "/", "git clone -q --depth 1 file://"+dir+" "+shallow)
	if m, ok := errors.AsType[*MissingError](second(opened(t, shallow).Commit(t.Context(),
		commit(t, r, "main~1").ID))); !ok || !m.Shallow {
		t.Errorf("a shallow clone: %v", m)
	}
	partial := filepath.Join(t.TempDir(), "p")
	sh(t, dir, "git config uploadpack.allowFilter true")
	sh(t, "/", "git clone -q --no-checkout --filter=blob:none file://"+dir+" "+partial)
	p := opened(t, partial)
	if _, err := p.Files(t.Context(), commit(t, p, "HEAD")); !isIncomplete(err) {
		t.Errorf("a partial clone: %v", err)
	}
	if _, err := Open(t.Context(), t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("no repository: %v", err)
	}
}

func second[A, B any](_ A, b B) B { return b }

func isIncomplete(err error) bool {
	_, ok := errors.AsType[*IncompleteError](err)
	return ok
}

// TestPaths: a commit made by hand leads nowhere.
func TestPaths(t *testing.T) {
	dir := repository(t, "echo x > a; git add .; git commit -qm a")
	for _, name := range []string{"../out", "a/../../out", ".git/config", ".GIT/hooks/x", "/etc/x"} {
		if sane(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
	id := sh(t, dir, `blob=$(git hash-object -w a)
tree=$(printf '100644 blob %s\thooks' $blob | git mktree); tree=$(printf '040000 tree %s\t.git' $tree | git mktree)
git commit-tree -m evil $tree | tr -d '\n'`)
	r := opened(t, dir)
	if _, err := r.Checkout(t.Context(), commit(t, r, id), filepath.Join(t.TempDir(), "x"), nil); err == nil ||
		!strings.Contains(err.Error(), "belongs to git itself") {
		t.Errorf("got %v", err)
	}
	for _, err := range []error{second(r.Files(t.Context(), commit(t, r, id))),
		second(r.Changes(t.Context(), Step{commit(t, r, "HEAD").ID, id}))} {
		if odd, ok := errors.AsType[*PathError](err); !ok || odd.Path != ".git/hooks" {
			t.Errorf("got %v", err)
		}
	}
	bare := filepath.Join(t.TempDir(), "b")
	sh(t, "/", "git init -q --bare "+bare)
	if _, err := Open(t.Context(), bare); !errors.Is(err, ErrBare) {
		t.Errorf("a bare repository: %v", err)
	}
}

// TestChanged: what was changed since the last commit, without running a filter.
func TestChanged(t *testing.T) {
	dir := repository(t, threeCommits)
	r := opened(t, dir)
	see := func(want ...string) {
		t.Helper()
		got, err := r.WorkTree(dir).Changed(context.Background(), 3)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	see()
	sh(t, dir, "touch a n; echo untracked > u")
	see()
	sh(t, dir, "printf 'later\\n' > a; rm n")
	see("a", "n")
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "ran")); err == nil {
		t.Error("a filter of the repository ran")
	}
}

// TestPointers: files of Git LFS and submodules are named.
func TestPointers(t *testing.T) {
	dir := repository(t, `echo '*.bin filter=lfs' > .gitattributes
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n' > a.bin; echo x > b.bin
git add .; git update-index --add --cacheinfo 160000,0123456789012345678901234567890123456789,sub; git commit -qm a`)
	r := opened(t, dir)
	files, err := r.Files(t.Context(), commit(t, r, "HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	pointers, err := r.Pointers(t.Context(), files)
	if err != nil || !slices.Equal(pointers, []string{"a.bin"}) || !slices.Equal(Submodules(files), []string{"sub"}) {
		t.Errorf("got %q, %q, %v", pointers, Submodules(files), err)
	}
}

// A repository that leads to another one by links, or borrows its objects, is not whole.
func TestWhole(t *testing.T) {
	dir := repository(t, "echo x > a; git add .; git commit -qm one")
	if err := whole(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	linked := t.TempDir()
	sh(t, linked,
		"mkdir sub; echo 'ref: refs/heads/main' > sub/HEAD; printf '[core]\n\tbare = true\n' > sub/config; ln -s "+
			dir+"/.git/objects sub/objects; ln -s "+dir+"/.git/refs sub/refs")
	if err := whole(filepath.Join(linked, "sub")); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("%v", err)
	}
	if _, err := Open(context.Background(), filepath.Join(linked, "sub")); err == nil {
		t.Error("a repository that only looks like one is taken for one")
	}
	// hooks that lie in the project, or anywhere
	for _, script := range []string{"ln -s ../../check .git/hooks/pre-commit",
		"rm -rf .git/hooks; ln -s ../tools .git/hooks"} {
		if err := whole(filepath.Join(repository(t, script), ".git")); err != nil {
			t.Errorf("%s: %v", script, err)
		}
	}
	borrowed := repository(t, "echo "+dir+"/.git/objects > .git/objects/info/alternates")
	if err := whole(filepath.Join(borrowed, ".git")); err == nil || !strings.Contains(err.Error(), "borrows") {
		t.Errorf("%v", err)
	}
}

// TestHolding: files of a commit that have a line, below the directory from which the
// repository is seen; none is no error, nor are odd names and what looks like an option.
func TestHolding(t *testing.T) {
	dir := repository(t,
		`mkdir -p sub/vendor; echo 'return the answer' > sub/vendor/x.py; echo 'return the answer' > top.py
printf 'a\0return the answer' > sub/bin; echo ' -x return the answer' > "sub/$(printf 'o\nd')"
git add .; git commit -qm one; echo 'return the answer' > sub/later; git add .; git commit -qm two`)
	r := opened(t, dir)
	id := commit(t, r, "HEAD~1").ID
	for _, c := range []struct {
		dir, line string
		want      []string
	}{
		{dir, "return the answer", []string{"sub/o\nd", "sub/vendor/x.py", "top.py"}},
		{dir, "nothing", nil},
		{dir, "-x return", []string{"sub/o\nd"}},
		{filepath.Join(dir, "sub"), "return the answer", []string{"o\nd", "vendor/x.py"}},
	} {
		got, err := opened(t, c.dir).Holding(t.Context(), id, []string{"not there", c.line})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s in %s: %q, %v", c.line, c.dir, got, err)
		}
	}
	if _, err := r.Holding(t.Context(), strings.Repeat("0", 40), []string{"x"}); err == nil {
		t.Error("a commit that is not there holds nothing")
	}
}
