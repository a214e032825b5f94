package verify_test

import (
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// A repository whose price.txt and tool.sh are not as committed, beside a
// stray file.
const damaged = `git init -q -b main . && git config user.name a && git config user.email a@b && mkdir sub
printf 'price 100\n' > price.txt; printf '#!/bin/sh\n' > tool.sh; chmod 755 tool.sh
echo s > sub/s; echo '*.log' > .gitignore; git add . && git commit -qm one
printf 'price 999\n' > price.txt; chmod 644 tool.sh; echo x > stray
`

// sameContent is what most checks ask.
const sameContent = "git diff --quiet HEAD -- price.txt"

// forgedObject puts what is in price.txt under the name of what was committed.
const forgedObject = `o=$(git rev-parse HEAD:price.txt); w=$(git hash-object -w price.txt)
p=.git/objects/${o:0:2}/${o:2}; chmod u+w "$p"; cat ".git/objects/${w:0:2}/${w:2}" > "$p"`

// forgedPack does it with a pack, whose index has the name.
const forgedPack = `o=$(git rev-parse HEAD:price.txt); w=$(git hash-object -w price.txt)
rm -f ".git/objects/${o:0:2}/${o:2}"
p=.git/objects/pack/pack-$(git pack-objects -q .git/objects/pack/pack <<< "$w")
rm -f ".git/objects/${w:0:2}/${w:2}"; chmod u+w "$p".*
bytes() { printf "$(sed 's/../\\x&/g')"; }
{ printf '\377tOc\0\0\0\2'
  for ((i = 0; i < 256; i++)); do printf '\0\0\0'; if ((i < 16#${o:0:2})); then printf '\0'; else printf '\1'; fi; done
  bytes <<< "$o"; tail -c +1053 "$p.idx" | head -c -20; } > i
sha1sum < i | cut -c1-40 | bytes >> i; cat i > "$p.idx"; rm i`

// sumOfIndex mends the checksum of a changed index.
const sumOfIndex = `printf "$(head -c -20 .git/index | sha1sum | cut -c1-40 | sed 's/../\\x&/g')" |
	put $(($(stat -c %s .git/index) - 20))`

// TestNativeGit plays contestants that make git claim what is not so. Each
// gets through where the judge takes the repository's word.
func TestNativeGit(t *testing.T) {
	open := verifytest.Kernel(t)
	check := func(name, after, commands, why string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			for _, defended := range []bool{false, true} {
				c, err := verify.NewCase(&recipe.Recipe{},
					recipe.Task{Title: "x", Setup: damaged, Before: "! { " + after + "; }",
						After: verifytest.One(after)})
				if err != nil {
					t.Fatal(err)
				}
				open := open
				c = verify.WithFoot(c, nil) // which sees most of them, too
				if !defended {
					verify.BelieveGit(c)
					open = verifytest.Sealing(open) // whose files keep what the index remembers of them
				}
				got := verifytest.PlayCase(t, open, c, commands, verify.Loop{})
				if held := got.Status == trial.Pass; held == defended {
					t.Errorf("defended %v: %+v", defended, got)
				}
				if defended && !strings.Contains(got.Detail, why) {
					t.Errorf("%q, want %q", got.Detail, why)
				}
			}
		})
	}
	text, status, mode, stray := `test -z "$(git diff -- price.txt)"`, `test -z "$(git status --porcelain -- price.txt)"`,
		`test -z "$(git diff -- tool.sh)"`, `test -z "$(git status --porcelain -- stray)"`
	check("assume-unchanged", sameContent, "git update-index --assume-unchanged price.txt",
		`assume-unchanged of "price.txt"`)
	check("skip-worktree", status, "git update-index --skip-worktree price.txt", `skip-worktree of "price.txt"`)
	check("both flags", status,
		"git update-index --skip-worktree price.txt; git update-index --assume-unchanged price.txt",
		`assume-unchanged of "price.txt", skip-worktree`)
	check("deleted and skipped", status, "git update-index --skip-worktree price.txt; rm price.txt", "skip-worktree")
	check("forged index", sameContent,
		`touch -d "1 hour ago" price.txt; git add price.txt; o=$(git rev-parse HEAD:price.txt); w=$(git rev-parse :price.txt)
put() { dd of=.git/index conv=notrunc bs=1 seek="$1" 2> /dev/null; }
at=$(LC_ALL=C grep -obUaP "$(sed 's/../\\x&/g' <<< "$w")" .git/index | cut -d: -f1)
printf "$(sed 's/../\\x&/g' <<< "$o")" | put "$at"
`+sumOfIndex, "")
	check("filter", sameContent,
		"git config filter.f.clean 'echo price 100'; git config filter.f.required true; echo 'price.txt filter=f' > "+
			".git/info/attributes; touch price.txt", "filter.f.clean")
	check("filter of an included file", sameContent,
		"printf '[filter \"f\"]\\n clean = echo price 100\\n' > .git/more; git config include.path more; echo "+
			"'price.txt filter=f' > .gitattributes; touch price.txt", "filter.f.clean")
	check("external diff", text, "git config diff.external true", "diff.external")
	check("diff driver", text, "git config diff.d.command true; echo '*.txt diff=d' > .git/info/attributes",
		"diff.d.command")
	check("textconv", text, "git config diff.d.textconv 'echo same;:'; echo '*.txt diff=d' > .git/info/attributes",
		"diff.d.textconv")
	check("file mode", mode, "git config core.fileMode false", "core.filemode")
	check("relative", `cd sub && test -z "$(git diff)"`, "git config diff.relative true", "diff.relative")
	check("untracked", stray, "git config status.showUntrackedFiles no", "status.showuntrackedfiles")
	check("ignored at home", stray, "mkdir -p ~/.config/git; echo stray > ~/.config/git/ignore", "~/.config/git/ignore")
	check("ignored at a home elsewhere", stray, "mkdir -p ~/.c/git; ln -s .c ~/.config; echo stray > ~/.c/git/ignore",
		"")
	check("other worktree", sameContent, "mkdir ~/w; git config core.worktree ~/w; git checkout -q -f HEAD",
		"core.worktree")
	check("other worktree in settings of its own", sameContent,
		"mkdir ~/w; git config extensions.worktreeConfig true; git config --worktree core.worktree ~/w; git checkout "+
			"-q -f HEAD", "core.worktree")
	check("forged object", sameContent, forgedObject, "an object is not what its name says")
	check("forged object, settings that stop fsck", sameContent, "git config fsck.skipList /gone; "+forgedObject,
		"an object is not what its name says")
	check("forged object, in a place that does not count", sameContent,
		"mkdir -p ~/.cache; mv .git ~/.cache/r; echo gitdir: ~/.cache/r > .git; "+strings.ReplaceAll(forgedObject,
			".git/", "$HOME/.cache/r/"), "an object is not what its name says")
	check("forged object in a pack", sameContent, forgedPack, "an object is not what its name says")
	check("flags in an index that nobody may write", sameContent,
		"git update-index --skip-worktree price.txt; chmod 400 .git/index", `skip-worktree of "price.txt"`)
	check("flags in an index of impossible paths", sameContent,
		`touch price.txt+b; git add price.txt+b; git update-index --skip-worktree price.txt
put() { dd of=.git/index conv=notrunc bs=1 seek="$1" 2> /dev/null; }
printf / | put "$(LC_ALL=C grep -obUaF +b .git/index | head -n 1 | cut -d: -f1)"; `+sumOfIndex, "skip-worktree")
	check("hook", "git status > /dev/null; "+sameContent,
		"touch sub/s; mkdir h; git config core.hooksPath h; printf '#!/bin/sh\\necho price 100 > price.txt\\n' > "+
			"h/post-index-change; chmod +x h/post-index-change", "hook post-index-change")
	check("replaced tree", sameContent,
		`git add price.txt; t=$(git write-tree); git replace "$(git rev-parse 'HEAD^{tree}')" "$t"`, "")
	check("grafts", `test "$(git rev-list --count HEAD)" = 2`,
		`echo "$(git rev-parse HEAD) $(git commit-tree -m x 'HEAD^{tree}')" > .git/info/grafts`, "")
}

// What is honestly done to a repository changes no verdict.
func TestNativeGitHonest(t *testing.T) {
	open := verifytest.Kernel(t)
	check := func(name, setup, after, commands string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			if got := verifytest.Play(t, open, recipe.Recipe{}, recipe.Task{Title: "x", Setup: damaged + setup,
				After: verifytest.One(after)},
				commands); got.Status != trial.Pass {
				t.Errorf("%+v", got)
			}
		})
	}
	clean := sameContent +
		` && test -z "$(git status --porcelain -- price.txt)" && git diff-files --quiet -- price.txt` +
		` && git diff-index --quiet HEAD -- price.txt`
	check("checkout", "", clean, "git checkout -q price.txt")
	check("by hand", "", "git update-index -q --refresh; "+clean, "printf 'price 100\\n' > price.txt")
	check("stash", "", clean, "git stash push -q -- price.txt")
	check("commit", "", clean, "git commit -qam x")
	check("gc", "", clean, "git checkout -q price.txt; git gc -q --prune=now; git repack -adq")
	check("a branch and a worktree", "", clean+" && git -C ~/w diff --quiet",
		"git checkout -q price.txt; git worktree add -q -b w ~/w")
	check("settings", "", clean,
		"git config core.autocrlf input; git checkout -q price.txt; git config core.untrackedCache true; git "+
			"update-index --untracked-cache --split-index")
	check("index version 4", "", clean, "git checkout -q price.txt; git update-index --index-version 4")
	check("only meant to be added", "",
		`git diff --cached --quiet -- stray && test "$(git status --porcelain -- stray)" = " A stray"`,
		"git add -N stray")
	check("excluded", "", `test -z "$(git status --porcelain -- stray)" && git check-ignore -q stray`,
		"echo stray >> .git/info/exclude")
	check("attributes", "", "git diff --quiet -- crlf && git check-attr text crlf | grep -q set",
		"printf 'a\\r\\n' > crlf; echo 'crlf text' > .git/info/attributes; git add crlf; git commit -qm crlf -- crlf")
	check("flag as at the start", "git update-index --skip-worktree price.txt",
		`test -z "$(git status --porcelain -- price.txt)"`, "echo t > sub/t; git add sub")
	check("flag taken away", "git update-index --assume-unchanged price.txt",
		`test "$(git status --porcelain -- price.txt)" = " M price.txt"`,
		"git update-index --no-assume-unchanged price.txt")
	check("a check of flags", "", "git ls-files -v -- price.txt | grep -q '^S' && git diff --quiet -- price.txt",
		"git update-index --skip-worktree price.txt")
	check("a check of a setting", "", `test "$(git config core.fileMode)" = false && git diff --quiet -- tool.sh`,
		"git config core.fileMode false")
	check("a check of a filter", "", `git config filter.f.clean | grep -q cat && git diff --quiet -- sub/s`,
		"git config filter.f.clean cat; echo 'sub/s filter=f' > .git/info/attributes; touch sub/s")
	check("the start's filter",
		"git config filter.f.clean 'echo price 100'; echo 'price.txt filter=f' > .git/info/attributes; touch price.txt",
		"git diff --quiet -- price.txt", "touch price.txt sub/t")
	check("sparse", "git checkout -q price.txt tool.sh; git sparse-checkout set --no-cone '/*.txt'",
		"git diff --quiet HEAD && test ! -e sub && "+clean, "git add --sparse stray; git commit -qm stray")
	check("conflict", "", "git ls-files -u | grep -q price.txt && ! git diff --quiet",
		"git checkout -q -b a; git commit -qam a; git checkout -q main; printf 'price 7\\n' > price.txt; git commit "+
			"-qam b; git merge -q a > /dev/null")
	check("a lock is left", "", sameContent, "git checkout -q price.txt; touch .git/index.lock")
	check("no repository any more", "", "! git rev-parse -q 2> /dev/null", "rm -rf .git")
	check("damaged before",
		"p=.git/objects/$(git rev-parse HEAD:sub/s | sed 's,^..,&/,'); git hash-object -w stray > /dev/null; chmod "+
			"u+w $p; cat .git/objects/$(git hash-object stray | sed 's,^..,&/,') > $p", sameContent,
		"git checkout -q price.txt; git commit -qam x --allow-empty")
}

// Telling git not to look is a trap, also where a check names the file.
func TestNativeGitFlags(t *testing.T) {
	task := recipe.Task{Title: "x", Setup: damaged, Before: "! " + sameContent, After: verifytest.One(sameContent)}
	for _, flag := range []string{"--assume-unchanged", "--skip-worktree"} {
		if got := verifytest.Play(t, verifytest.Kernel(t), recipe.Recipe{}, task,
			"git update-index "+flag+" price.txt"); got.Cause != trial.CauseTrap {
			t.Errorf("%s: %+v", flag, got)
		}
	}
}

// A task about what git takes a repository's word for says so.
func TestNativeGitAgent(t *testing.T) {
	task := recipe.Task{Title: "x", Setup: damaged, After: verifytest.One(sameContent), VerifyEnv: "agent"}
	if got := verifytest.Play(t, verifytest.Kernel(t), recipe.Recipe{}, task,
		"git update-index --skip-worktree price.txt"); got.Status != trial.Pass {
		t.Errorf("%+v", got)
	}
}

// The author of a task whose solution is not believed is told what to write.
func TestNativeGitAdmit(t *testing.T) {
	task := recipe.Task{Title: "x", Setup: damaged, Before: "! " + sameContent, After: verifytest.One(sameContent),
		Solution: "git update-index --skip-worktree price.txt"}
	c, err := verify.NewCase(&recipe.Recipe{}, task)
	if err != nil {
		t.Fatal(err)
	}
	const want = "after the solution: after: holds for the user and the stranger, and not for the referee: " +
		`exit status 1 (git is not believed: skip-worktree of "price.txt"); ` +
		"a task about that says verify_env: agent"
	if ex, err := c.Admit(t.Context(), verifytest.Kernel(t), nil); err != nil || ex == nil || ex.Why != want {
		t.Errorf("%+v %v", ex, err)
	}
}

// Checks that don't ask git don't pay for it.
func TestGitNotAsked(t *testing.T) {
	for script, want := range map[string]bool{"grep -q 100 digits": false, "cd a && git diff --quiet": true,
		"/usr/bin/git status": true} {
		if c, err := verify.NewCase(&recipe.Recipe{},
			recipe.Task{Title: "x", Setup: "true", After: verifytest.One(script)}); err != nil ||
			verify.AsksGit(c) != want {
			t.Errorf("%q: want %v; %v", script, want, err)
		}
	}
}
