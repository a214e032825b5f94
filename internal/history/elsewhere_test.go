package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestElsewhere: what of a project's repository a copy of the project lacks is told by where git looks for it.
func TestElsewhere(t *testing.T) {
	dir := t.TempDir()
	sh(t, dir, `
git init -q -b main plain; cd plain; echo a > a; git add .; git commit -qm one; echo b > a; git commit -qam two
git config uploadpack.allowFilter true; git worktree add -q ../worktree; cd ..
git clone -q --shared plain shared; git clone -q --shared plain repacked
git -C repacked repack -qad; rm repacked/.git/objects/info/alternates
git clone -q --filter=blob:none "file://$PWD/plain" partial
git clone -q --filter=blob:none "file://$PWD/plain" whole; git -C whole fetch -q --refetch --no-filter
git clone -q plain moved; mv moved/.git moved.git; ln -s ../moved.git moved/.git
git clone -q plain named; mv named/.git named/.hidden; echo 'gitdir: .hidden' > named/.git
git clone -q plain said; git -C said config core.worktree "$PWD/said"
git clone -q plain here; git -C here config core.worktree ..
git clone -q plain sub; git -C sub -c protocol.file.allow=always submodule add -q "$PWD/plain" in
git clone -q --bare plain bare; git -C bare worktree add -q ../linked
mkdir stranger; echo "gitdir: $PWD/plain/.git" > stranger/.git; cp -r worktree copied
mkdir lost; echo "gitdir: $PWD/nowhere" > lost/.git
cp -r shared borrower; mv borrower/.git borrowed.git; ln -s ../borrowed.git borrower/.git
mkdir none`)
	for name, want := range map[string]string{
		"plain": "", "repacked": "", "whole": "", "named": "", "here": "", "none": "", "sub": "", "sub/..": "",
		"worktree": "", "sub/in": "", "linked": "",
		"moved":    "its .git is a link to ../moved.git",
		"stranger": "its .git is a file that names " + dir + "/plain/.git",
		"copied":   "its .git is a file that names " + dir + "/plain/.git/worktrees/worktree",
		"lost":     "its .git is a file that names " + dir + "/nowhere",
		"borrower": "its .git is a link to ../borrowed.git",
		"shared":   "its .git borrows objects of " + dir + "/plain/.git/objects (objects/info/alternates)",
		"said":     "its .git says that the files lie at " + dir + "/said (core.worktree)",
		"partial": "it is a partial clone, and lacks files of its last commits, " +
			"which git fetches when it needs them",
	} {
		a, err := Elsewhere(t.Context(), filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a == nil {
			a = &Apart{}
		}
		if a.Msg != want || (a.Next == "") != (want == "") {
			t.Errorf("%s: %q, next %q, want %q", name, a.Msg, a.Next, want)
		}
	}
}

// TestSparseCheckoutIsNoChange: what git was told to leave out was removed by nobody.
func TestSparseCheckoutIsNoChange(t *testing.T) {
	dir := repository(t, `mkdir in out; echo a > in/a; echo b > out/b; git add .; git commit -qm one
git sparse-checkout set in`)
	changed := func(want string) {
		t.Helper()
		got, err := opened(t, dir).WorkTree(dir).Changed(t.Context(), 9)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("changed: %q, %v; want %q", got, err, want)
		}
	}
	changed("")
	if err := os.Remove(filepath.Join(dir, "in/a")); err != nil {
		t.Fatal(err)
	}
	changed("in/a")
	sh(t, dir, "echo c > in/a; mkdir out; echo d > out/b")
	changed("in/a out/b")
}
