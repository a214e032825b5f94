package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/printed"
	"cookoff/verify/tree"
)

// maxIndex bounds the index of a repository in bytes: 100,000 files and more.
const maxIndex = 15 << 20

// Correction is what keeps git in a check from taking the contestant's word for
// what is in the files.
type Correction struct {
	settings map[string]string // that a check hears instead of a repository's own
	files    []sandbox.Item    // that each check's sandbox gets: indexes made anew
	passed   []string          // what is not believed, for a report
	// unflagged are the files that git looks at though its index says not to.
	unflagged []string
	forged    string // why no answer of git can be believed
	cut       string // why that can't be told
}

// Verdict is that on the repositories themselves; nil: they are sound.
func (g *Correction) Verdict() *trial.Verdict {
	switch {
	case g == nil:
	case g.forged != "":
		return &trial.Verdict{Check: "git control", Kind: trial.KindControl, Status: trial.NotHeld, Detail: g.forged}
	case g.cut != "":
		return &trial.Verdict{Check: "git control", Kind: trial.KindControl, Status: trial.Undecided, Detail: g.cut}
	}
	return nil
}

// Env is that of a check: base, or with settings that the check does not name.
func (g *Correction) Env(base []string, script string) []string {
	if g == nil || len(g.settings) == 0 {
		return base
	}
	heard := maps.Clone(g.settings)
	maps.DeleteFunc(heard, func(key, _ string) bool { return tree.Names(script, key) })
	return slices.Concat(base, env(heard))
}

// Files are what each check's world gets: indexes made anew.
func (g *Correction) Files() []sandbox.Item {
	if g == nil {
		return nil
	}
	return g.files
}

// Unflagged are the files that git looks at though its index says not to.
func (g *Correction) Unflagged() []string {
	if g == nil {
		return nil
	}
	return g.unflagged
}

// Unbelieved gives what git is not believed where a script asks it: settings and files, at
// most three.
func (g *Correction) Unbelieved(script string) []string {
	if g == nil || !gitWord.MatchString(script) {
		return nil
	}
	return g.passed[:min(len(g.passed), 3)]
}

// State is a final state whose repositories are looked through.
type State struct {
	World        sandbox.Sandbox // over the state, where git alone runs
	Start, Final sandbox.Manifest
	Changes      []tree.Change    // between the two
	Repos        map[string]*Repo // of the start
	Flags        bool             // flags of the index are what a check looks at
}

// Look looks through the repositories of a final state. Nil: it has none. Errors
// are the sandbox's.
func Look(ctx context.Context, st State) (*Correction, error) {
	now, err := Describe(ctx, st.World, st.Final)
	if err != nil || len(now) == 0 {
		return nil, err
	}
	g := &Correction{settings: map[string]string{}}
	dirs := reposIn(st.Final)
	for _, dir := range dirs {
		maps.Copy(g.settings, believed(st.Repos[dir], now[dir]))
		if now[dir].cut && (st.Repos[dir] == nil || !st.Repos[dir].cut) {
			g.forged = "a repository has more settings, or files that git does not look at, than can be looked through"
		}
	}
	for _, key := range slices.Sorted(maps.Keys(g.settings)) {
		g.passed = append(g.passed, text.Visible(key))
	}
	g.home(st.Start, st.Final, now)
	for _, dir := range dirs {
		l := look{Correction: g, sb: st.World, dir: dir, start: st.Repos[dir], now: now[dir], all: st.Flags,
			before: st.Start, final: st.Final, diff: st.Changes}
		if err := l.through(ctx); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// home leaves out what git reads in HOME even where it reads no settings
// there, unless it is as at the start or a repository names another.
func (g *Correction) home(start, final sandbox.Manifest, now map[string]*Repo) {
	for key, file := range map[string]string{"core.excludesfile": "~/.config/git/ignore",
		"core.attributesfile": "~/.config/git/attributes"} {
		was, had := tree.Lookup(start, file)
		is, has := tree.Lookup(final, file)
		own := slices.ContainsFunc(slices.Collect(maps.Values(now)), func(r *Repo) bool { return r.config[key] != "" })
		if own || had && has && tree.Differs(was, is) == "" {
			continue
		}
		if g.settings[key] = "/dev/null"; has {
			g.passed = append(g.passed, file)
		}
	}
	slices.Sort(g.passed)
}

// look is a look through one repository.
type look struct {
	*Correction
	sb         sandbox.Sandbox
	dir        string
	start, now *Repo // start is nil for a new one
	all        bool  // flags of the index are what a check looks at
	before     sandbox.Manifest
	final      sandbox.Manifest
	diff       []tree.Change // between the two
}

func (l *look) ask(ctx context.Context, script string) (string, error) {
	return askGit(ctx, l.sb, l.dir, script, gitEnv(l.settings))
}

// partsOf prints where a repository keeps itself, its objects and its index.
const partsOf = `for p in "$(git rev-parse --git-dir)" "$(git rev-parse --git-path objects)" \
  "$(git rev-parse --git-path index)"; do
	case $p in '') exit 1 ;; /*) printf '%s\0' "$p" ;; *) printf '%s\0' "$PWD/$p" ;; esac
done`

func (l *look) through(ctx context.Context) error {
	out, err := l.ask(ctx, partsOf)
	parts := strings.Split(out, "\x00")
	if err != nil || len(parts) < 3 {
		return err // no repository, or none that git reads
	}
	if err := l.takeRoot(ctx, parts[0]); err != nil {
		return err
	}
	if err := l.objects(ctx, parts[1]); err != nil {
		return err
	}
	if err := l.hook(ctx); err != nil {
		return err
	}
	return l.index(ctx, parts[2])
}

// hookOf prints where the one hook lies that git runs when it is only asked,
// if there is one.
const hookOf = `h=$(git rev-parse --git-path hooks/post-index-change) &&
  [ -x "$h" ] && printf '#!/bin/sh\n' > /tmp/hook &&
  case $h in /*) printf %s "$h" ;; *) printf %s "$PWD/$h" ;; esac`

// hook takes away a new hook by which "git status" would mend what the check
// asks next.
func (l *look) hook(ctx context.Context) error {
	vars := env(l.settings) // without gitEnv's place of hooks
	file, err := askGit(ctx, l.sb, l.dir, hookOf, append(vars, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"))
	if err != nil || file == "" || !l.changed(tree.Within(file), tree.Within(file)) {
		return err
	}
	l.passed = append(l.passed, "hook post-index-change")
	return l.put(ctx, tree.Within(file), "/tmp/hook")
}

// takeRoot takes the files of a repository that has come to say that they are
// elsewhere for what lies beside it.
func (l *look) takeRoot(ctx context.Context, gitDir string) error {
	if l.now.rooted || l.now.config["core.worktree"] == "" || l.start != nil && !l.start.rooted {
		return nil
	}
	l.passed = append(l.passed, "core.worktree")
	for _, name := range []string{"config", "config.worktree"} {
		file := path.Join(gitDir, name)
		q, err := syntax.Quote(file, syntax.LangBash)
		if err != nil {
			return nil
		}
		out, err := l.ask(ctx, "git config --file "+q+" --unset-all core.worktree && echo changed")
		if err != nil {
			return err
		}
		if out == "" {
			continue
		}
		if err := l.put(ctx, tree.Within(file), file); err != nil {
			return err
		}
	}
	if out, err := l.ask(ctx, rootOf); err != nil || out == "" {
		l.forged = "a repository says that its files are elsewhere, and can't be told otherwise"
		return err
	}
	return nil
}

// newIndex makes an index of what is in one: the same files under the same names of
// content, without flags, and without what it remembers of dates and sizes, so
// that git looks at the files themselves.
const newIndex = `rm -rf /tmp/repo && mkdir /tmp/repo &&
	git ls-files --stage -z > /tmp/repo/files && [ -s /tmp/repo/files ] || exit 3
git diff --no-ext-diff --ignore-submodules=all --diff-filter=A --name-only -z > /tmp/repo/meant
export GIT_INDEX_FILE=/tmp/repo/index
git update-index -z --index-info < /tmp/repo/files || exit 1
if [ -s /tmp/repo/meant ]; then
	git update-index --force-remove -z --stdin < /tmp/repo/meant &&
	git add -N -f --pathspec-from-file=/tmp/repo/meant --pathspec-file-nul
fi
`

// refreshed ends with what anew began.
const refreshed = "git update-index -q --unmerged --refresh > /dev/null\nwc -c < /tmp/repo/index"

// index makes an index anew in which git looks at every file, those aside that
// it was told at the start not to look at.
func (l *look) index(ctx context.Context, place string) error {
	file := tree.Within(place)
	if !l.changed(file, path.Join(path.Dir(file), "sharedindex")) {
		return nil // what it says of files is from before the contestant
	}
	script := newIndex + refreshed + "\n"
	for _, f := range []struct{ tags, option string }{{"hs", "--assume-unchanged"}, {"sS", "--skip-worktree"}} {
		for part := range slices.Chunk(l.kept(f.tags, f.option), 500) {
			script += "git update-index " + f.option + " -- " + strings.Join(part, " ") + " || exit 1\n"
		}
	}
	res, err := l.sb.Exec(ctx, sandbox.Cmd{Script: script, Dir: tree.Inside(l.dir), Env: gitEnv(l.settings)})
	if err != nil || res.Exit == 3 {
		return err // no index, or none that git can read
	}
	var size int64
	if _, bad := fmt.Sscan(string(res.Stdout), &size); bad != nil || !res.OK() {
		l.forged = fmt.Sprintf("%q can't be made anew: %s", file, printed.Ended(res))
		return nil
	}
	if was, _ := tree.Lookup(l.before, file); was.Size > maxIndex {
		return nil
	}
	if size > maxIndex {
		l.forged = fmt.Sprintf("%q has become too large to be looked through: %d bytes", file, size)
		return nil
	}
	return l.put(ctx, file, "/tmp/repo/index")
}

// kept gives the files whose flag stays in the index.
func (l *look) kept(tags, option string) (quoted []string) {
	for _, p := range slices.Sorted(maps.Keys(l.now.flags)) {
		switch {
		case !strings.Contains(tags, l.now.flags[p]):
		case l.all || l.start != nil && l.start.flags[p] != "" && strings.Contains(tags, l.start.flags[p]):
			if q, err := syntax.Quote(p, syntax.LangBash); err == nil {
				quoted = append(quoted, q)
			}
		default:
			l.passed = append(l.passed, fmt.Sprintf("%s of %q", option[2:], p))
			l.unflagged = append(l.unflagged, p)
		}
	}
	return quoted
}

// put has each check find a file as it is in the sandbox at from.
func (l *look) put(ctx context.Context, file, from string) error {
	it := sandbox.Item{Path: file, Mode: 0o644}
	for {
		ch, err := l.sb.FS().Read(ctx, from, int64(len(it.Data)), 1<<20)
		if err != nil {
			return err
		}
		if it.Data = append(it.Data, ch.Data...); len(ch.Data) == 0 || int64(len(it.Data)) >= ch.Size {
			break
		}
	}
	it.Size = int64(len(it.Data))
	err := l.sb.FS().Unpack(ctx, []sandbox.Item{it}) // also where nobody may write
	if err == nil {
		l.files = append(l.files, it)
		return nil
	}
	if _, refused := errors.AsType[*sandbox.FileError](err); refused {
		l.forged = fmt.Sprintf("%q can't be looked through: %v", file, err)
		return nil
	}
	return err
}

var (
	looseObject = pattern.New(`^[0-9a-f]{2}(/|$)`)
	misnamed    = pattern.New(`(?m)^error: [0-9a-f]+: hash-path mismatch, found at: (.+)$`)
	misplaced   = pattern.New(`(?m)^error: packed [0-9a-f]+ from (.+) is corrupt$`)
)

// soundness has a repository without settings of its own look through objects.
// Status 128 is git's own failure; less says what was found.
const soundness = `rm -rf /tmp/sound
git init -q --bare --object-format="$(git rev-parse --show-object-format)" /tmp/sound || exit 1
GIT_DIR=/tmp/sound GIT_OBJECT_DIRECTORY=%s git fsck --no-progress --no-dangling %s > /tmp/found 2>&1; s=$?
grep '^error: .*\(mismatch\|corrupt\)' /tmp/found; [ $s -lt 128 ] || { grep -v '^error: ' /tmp/found >&2; exit 1; }`

// objects looks whether the objects that are new or changed are what their
// names say. Git does not, when it compares a file with one.
func (l *look) objects(ctx context.Context, place string) error {
	flag, dir := "", tree.Within(place)+"/"
	for _, c := range l.diff {
		if rest, in := strings.CutPrefix(c.Path, dir); in {
			if flag = max(flag, "--no-full"); !looseObject.MatchString(rest) {
				flag = "--full" // packs, and where else objects are
			}
		}
	}
	if tree.Untracked(dir + "x") {
		flag = "--full"
	}
	if flag == "" {
		return nil
	}
	q, err := syntax.Quote(place, syntax.LangBash)
	if err != nil {
		return nil
	}
	res, err := l.sb.Exec(ctx, sandbox.Cmd{Dir: tree.Inside(l.dir), Env: gitEnv(l.settings),
		Script: fmt.Sprintf(soundness, q, flag)})
	switch {
	case err != nil:
		return err
	case res.Reason != "":
		l.cut = "looking through the objects of a repository: stopped: " + res.Reason
		return nil
	case !res.OK():
		l.forged = "the objects of a repository can't be looked through: " + printed.Ended(res)
		return nil
	}
	text := string(res.Stdout)
	for _, m := range slices.Concat(misnamed.FindAllStringSubmatch(text, -1),
		misplaced.FindAllStringSubmatch(text, -1)) {
		if file := l.at(m[1]); l.changed(file, file) {
			l.forged = fmt.Sprintf("an object is not what its name says: %q", file)
		}
	}
	return nil
}

// changed reports whether a file is not as it was at the start, or one is
// whose path begins with prefix.
func (l *look) changed(file, prefix string) bool {
	was, had := tree.Lookup(l.before, file)
	is, has := tree.Lookup(l.final, file)
	return !had || !has || tree.Differs(was, is) != "" || slices.ContainsFunc(l.diff,
		func(c tree.Change) bool { return strings.HasPrefix(c.Path, prefix) })
}

// at is the path of what git names in its directory.
func (l *look) at(file string) string {
	switch rest, home := strings.CutPrefix(l.dir, "~"); {
	case path.IsAbs(file):
		return tree.Within(file)
	case home:
		return tree.Within(path.Join(sandbox.HomeDir, rest, file))
	}
	return tree.Within(path.Join(sandbox.WorkDir, l.dir, file))
}
