package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sharedTree is a tree of a commit, with a repository of its own.
func sharedTree(t *testing.T, r *Repo, rev string) *Tree {
	t.Helper()
	tree, err := r.Checkout(t.Context(), commit(t, r, rev), filepath.Join(t.TempDir(), "x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tree.Close)
	if err := tree.Repository(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestShared: trees that share are as those that do not, have unchanged files and packs
// in common, and the repository of each holds nothing of another commit.
func TestShared(t *testing.T) {
	const many = `git config --remove-section filter.evil; git config --unset core.fsmonitor
mkdir m; for i in $(seq 400); do echo $i > m/$i; done; cp m/8 m/twin
git add .; git commit -qm many; echo LATEST > m/7; git commit -qam last`
	dir := repository(t, threeCommits+many)
	const look = `git fsck --full --strict 2>/dev/null; git log --all --format=%T; git status --short
git cat-file --batch-all-objects --batch-check | sort | cut -d' ' -f 1,2 | grep -v commit
find . -path ./.git -prune -o \( -type f -printf '%m %T@ %p\n' -o -type l -printf '%p %l\n' \) | sort
find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 cat`
	r, alone := opened(t, dir), opened(t, dir)
	r.shared = sharedIn(filepath.Join(t.TempDir(), "bases"))
	if r.shared == nil {
		t.Fatal("nothing is shared")
	}
	trees := map[string]*Tree{}
	for _, rev := range []string{"main", "main~1", "main~3"} { // the newest first, as mining does
		trees[rev] = sharedTree(t, r, rev)
		if got, want := sh(t, trees[rev].Dir, look), sh(t, sharedTree(t, alone, rev).Dir, look); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", rev, got, want)
		}
	}
	same := func(rel string) bool {
		one, err := os.Stat(filepath.Join(trees["main"].Dir, rel))
		two, err2 := os.Stat(filepath.Join(trees["main~1"].Dir, rel))
		return err == nil && err2 == nil && os.SameFile(one, two)
	}
	if !same("m/8") || !same("run.sh") || same("m/7") {
		t.Error("a file is not shared that did not change, or one that did")
	}
	if out := sh(t, trees["main"].Dir, `[ m/8 -ef m/twin ] && echo one || echo two`); out != "two\n" {
		t.Error("two files of a world are one")
	}
	packs, err := filepath.Glob(filepath.Join(trees["main"].Dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) < 2 {
		t.Fatal(packs, err)
	}
	differ := 0
	for _, p := range packs {
		if rel, _ := filepath.Rel(trees["main"].Dir, p); !same(rel) {
			differ++
		}
	}
	if differ != 1 {
		t.Errorf("%d of %d packs differ, though one file does", differ, len(packs))
	}
	latest := `git cat-file --batch-all-objects --batch | grep -a LATEST || echo nothing`
	if out := sh(t, trees["main~1"].Dir, latest); out != "nothing\n" {
		t.Error("the repository of a commit holds what came later")
	}
}

// TestSharedIsNotBelieved: what was changed in the directory that trees share, or was
// written there before the machine went down, is made anew; content that is not what its
// name says gets nowhere.
func TestSharedIsNotBelieved(t *testing.T) {
	dir, store := repository(t, threeCommits), filepath.Join(t.TempDir(), "bases")
	r := opened(t, dir)
	r.shared = sharedIn(store)
	id := strings.TrimSpace(sh(t, dir, "git rev-parse main:a"))
	own := filepath.Join(store, "files", id[:2], id[2:])
	text := func() string {
		got, err := os.ReadFile(filepath.Join(sharedTree(t, r, "main").Dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	text()
	for _, spoil := range []string{"echo WRONG > " + own, "rm " + own, "chmod 755 " + own, "rm -r " + store + "/files",
		"rm -r " + store + "/packs"} {
		sh(t, dir, spoil)
		if got := text(); got != "LATER\n" {
			t.Errorf("after %s the file is %q", spoil, got)
		}
	}
	sh(t, dir, "echo other > "+store+"/boot; printf wrong > "+own)
	if r.shared = sharedIn(store); text() != "LATER\n" {
		t.Error("what lay there before the machine went down is believed")
	}
	sh(t, dir, "rm "+own+"; git cat-file blob main:n > /dev/null; f=.git/objects/"+id[:2]+"/"+id[2:]+
		"; chmod u+w $f; n=$(git rev-parse main:n); cp .git/objects/$(echo $n | cut -c 1-2)/$(echo $n | cut -c 3-) $f")
	_, err := r.Checkout(t.Context(), commit(t, r, "main"), filepath.Join(t.TempDir(), "x"), nil)
	if err == nil || !strings.Contains(err.Error(), "damaged") && !strings.Contains(err.Error(), "can't be read") {
		t.Errorf("a repository whose content is another's: %v", err)
	}
}

// TestSharedLeavesTheRepositoryAlone: making packs writes nothing into the repository, not even for a moment: it may
// be read-only, or lie on another file system than what is shared.
func TestSharedLeavesTheRepositoryAlone(t *testing.T) {
	dir := repository(t, threeCommits)
	long := time.Unix(1_000_000_000, 0)
	packs := filepath.Join(dir, ".git", "objects", "pack")
	if err := os.Chtimes(packs, long, long); err != nil {
		t.Fatal(err)
	}
	r := opened(t, dir)
	r.shared = sharedIn(filepath.Join(t.TempDir(), "bases"))
	sharedTree(t, r, "main")
	st, err := os.Stat(packs)
	if err != nil || !st.ModTime().Equal(long) {
		t.Errorf("something was written to %s, %v: %v", packs, st.ModTime(), err)
	}
	left, err := filepath.Glob(filepath.Join(r.shared.dir, "new-*"))
	if err != nil || left != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
