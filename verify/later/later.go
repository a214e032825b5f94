// Package later asks whether what was mended is so the next time: checks are asked again in the
// world where all of them ran, as if time had passed, or as if they had been asked often.
package later

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/footprint/questions"
	"cookoff/verify/lessons"
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

// How checks are asked again in the world where all of them ran, the strictest first.
const (
	typed = "typed" // as aged, at a terminal at which nobody types
	aged  = "aged"  // as if more than a year had passed, with temporary files elsewhere, from another shell
	again = "again" // at once
)

// longAgain is what asking again may take at admission; what takes longer is not asked again.
const longAgain = 30 * time.Second

// Ask judges whether what was mended is so the next time: in the world where a witness asked
// all checks of a task, they are asked again, as if time had passed; and where a program counts how
// often it ran, as if that had been often. A check is asked so where it holds so with the solution:
// where p learns, that is learned, and nothing judged. start are the files of the staged state.
// Nil: it is, or nobody knows. Errors are the sandbox's.
func Ask(ctx context.Context, set *checks.Set, start sandbox.Manifest, p witness.Place) (*trial.Verdict, error) {
	l := &round{Set: set, start: start, p: p}
	was, err := l.p.From.Behind(ctx)
	if was == nil || err != nil {
		return nil, err
	}
	if l.p.Learns {
		return nil, l.learn(ctx)
	}
	v, err := l.twice(ctx)
	if v == nil || err != nil {
		return nil, err
	}
	v.Check, v.Kind, v.Cause = v.Check+" control", trial.KindControl, trial.CauseDefeatDevice
	v.Detail = "it holds at first, and later in the same world it does not: " + v.Detail
	return v, nil
}

// twice gives the verdict on a check that does not hold later, in two worlds. Nil: all do.
func (l *round) twice(ctx context.Context) (*trial.Verdict, error) {
	v, err := l.ask(ctx)
	if v == nil || err != nil {
		return nil, err
	}
	if l.p.Unlearns {
		l.p.Tests.Set(lesson(v.Check), 0, &lessons.Tests{})
		return nil, nil
	}
	v, err = l.begin(ctx)
	if v == nil && err == nil {
		return l.ask(ctx)
	}
	if err != nil {
		return nil, err
	}
	return l.begin(ctx) // what ran before is in the way already
}

// round asks the checks of a task again in one world.
type round struct {
	*checks.Set
	start sandbox.Manifest // the staged state
	p     witness.Place
	how   string
	back  []sandbox.Item // what is taken away before each round
}

// lesson is what the way to ask a check again is kept under.
func lesson(check string) string { return "later " + check }

// withSolution is the occasion of files that checks write with the solution, too.
const withSolution = "checks, with the solution"

// Below is that of directories below which they do: what is learned under it, lessons.Store tells
// of each directory.
const Below = "below, with the solution"

// namedQuestion is a question and the check that it asks.
type namedQuestion struct {
	check string
	ask   witness.Question
}

// questions are the checks that the stranger was asked.
func (l *round) questions() (list []namedQuestion) {
	for _, s := range slices.Concat(l.Guard, l.TestScripts()) {
		if !s.Live {
			list = append(list, namedQuestion{s.Name, func(ctx context.Context, p witness.Place) (trial.Verdict, error) {
				return p.Script(ctx, s)
			}})
		}
	}
	for _, bl := range l.Blocks {
		if !bl.Live {
			list = append(list, namedQuestion{bl.Name, func(ctx context.Context, p witness.Place) (trial.Verdict, error) {
				return p.Block(ctx, bl)
			}})
		}
	}
	return list
}

// begin asks all checks in a world in which nothing ran, one after another. Nil: those hold
// that do with the solution.
func (l *round) begin(ctx context.Context) (*trial.Verdict, error) {
	if err := l.p.From.Renew(); err != nil {
		return nil, err
	}
	var failed *trial.Verdict
	for _, q := range l.questions() {
		v, err := q.ask(ctx, l.p)
		if err != nil {
			return nil, err
		}
		if how, _ := l.way(q.check); failed == nil && v.Status == trial.NotHeld && how != "" {
			failed = &v
		}
	}
	return failed, nil
}

// way is how a check is asked later, "" where it is not, and whether that may be often.
func (l *round) way(check string) (how string, often bool) {
	if k := l.p.Tests.Of(lesson(check), 0); k != nil {
		return k.Later, k.Often
	}
	return "", false
}

// learn finds the strictest way in which the checks hold with the solution.
func (l *round) learn(ctx context.Context) error {
	now, err := l.p.From.Behind(ctx)
	if err != nil {
		return err
	}
	for _, d := range tree.Differences(l.p.From.Final, now) {
		l.p.Tests.Wrote(withSolution, d.Path, true)
		l.p.Tests.Wrote(withSolution, path.Dir(d.Path)+"/", true)
		for dir := path.Dir(d.Path); dir != path.Dir(dir) && dir != "~"; dir = path.Dir(dir) {
			l.p.Tests.Wrote(Below, dir, true)
		}
		if dir := kept(d.Path); dir != "" {
			l.p.Tests.Wrote(withSolution, dir, true)
		}
	}
	all, best, bestHow := l.questions(), []string(nil), ""
	for _, how := range []string{typed, aged, again} {
		began := time.Now()
		hold, err := l.holding(ctx, how, all)
		if err != nil {
			return err
		}
		if time.Since(began) < longAgain && len(hold) > len(best) {
			best, bestHow = hold, how
		}
		if len(hold) == len(all) {
			break
		}
	}
	l.how = bestHow
	lasting := slices.DeleteFunc(slices.Clone(all), func(q namedQuestion) bool {
		return !slices.Contains(best, q.check)
	})
	steady, err := l.steady(ctx, lasting)
	if err != nil {
		return err
	}
	for _, q := range all {
		k := &lessons.Tests{Often: slices.Contains(steady, q.check)}
		if slices.Contains(best, q.check) {
			k.Later = bestHow
		}
		l.p.Tests.Set(lesson(q.check), 0, k)
	}
	return nil
}

// holding gives the checks that hold when they are asked again in the world where all of them held: where there is
// none, or another way was tried in it, in another, in which they are asked first.
func (l *round) holding(ctx context.Context, how string, all []namedQuestion) (list []string, err error) {
	first := names(all)
	if l.how != "" || !l.p.From.HasRunAll() {
		if err := l.p.From.Renew(); err != nil {
			return nil, err
		}
		if first, err = held(ctx, all, l.p); err != nil {
			return nil, err
		}
	}
	l.how = how
	if err := l.age(ctx); err != nil {
		return nil, err
	}
	second, err := held(ctx, all, l.place())
	return slices.DeleteFunc(second, func(c string) bool { return !slices.Contains(first, c) }), err
}

// held asks checks one after another, and gives those that hold.
func held(ctx context.Context, all []namedQuestion, p witness.Place) (list []string, err error) {
	for _, q := range all {
		v, err := q.ask(ctx, p)
		if err != nil {
			return nil, err
		}
		if v.Status == trial.Held {
			list = append(list, q.check)
		}
	}
	return list, nil
}

// names are those of the checks.
func names(all []namedQuestion) (list []string) {
	for _, q := range all {
		list = append(list, q.check)
	}
	return list
}

// ask asks the checks again, and once more where that shows that something counts them. Nil:
// they hold.
func (l *round) ask(ctx context.Context) (*trial.Verdict, error) {
	var list, oftener []namedQuestion
	for _, q := range l.questions() {
		how, often := l.way(q.check)
		if how != "" {
			l.how, list = how, append(list, q)
		}
		if often {
			oftener = append(oftener, q)
		}
	}
	if list == nil {
		return nil, nil
	}
	if !l.changedProgram() {
		l.how = again
	}
	if err := l.age(ctx); err != nil {
		return nil, err
	}
	before, err := l.counts(ctx)
	if err != nil {
		return nil, err
	}
	for n := range 2 {
		if n > 0 {
			if err := l.restore(ctx); err != nil {
				return nil, err
			}
		}
		for _, q := range list {
			v, err := q.ask(ctx, l.place())
			if err != nil || v.Status == trial.NotHeld {
				return &v, err
			}
		}
		now, err := l.counts(ctx)
		if err != nil {
			return nil, err
		}
		counted, err := l.count(ctx, before, now)
		if err != nil {
			return nil, err
		}
		if !counted {
			if l.rests(before, now) {
				return nil, nil
			}
			break
		}
		before = now
	}
	return l.often(ctx, oftener, mostRounds)
}

// place is where the checks are asked again: later, from a shell of a terminal's, deep within others.
func (l *round) place() witness.Place {
	p := l.p
	p.Typed = l.how == typed
	if l.how != again {
		p.Env = append(slices.Clone(p.Env), "TMPDIR="+temporary, "TERM=xterm-256color", "SHLVL=9")
	}
	return p
}

// temporary is where temporary files lie later.
const temporary = sandbox.HomeDir + "/.local/state/session"

// mostAged bounds the files that are made older.
const mostAged = 500

// ageFiles reads names of files that are as they were more than a year ago from now on; a
// number in them that is a time of these days is one of then. What lies in /tmp is as old.
const ageFiles = `PATH=/usr/bin:/bin; shopt -s nullglob dotglob; mkdir -p "$TO"; year=34560000 now=$(date +%s)
old() {
  local v
  [ -f "$1" ] && [ ! -L "$1" ] || return
  IFS= read -rd '' -n 40 v < "$1" 2> /dev/null; v=${v%$'\n'}
  case $v in *[!0-9]* | '') ;; [1-9]?????????)
    if [ "$v" -gt $((now - 3000000)) ] && [ "$v" -lt $((now + 3000000)) ]; then echo $((v - year)) > "$1"; fi ;;
  esac
  touch -c -r "$1" -d "-$year seconds" "$1"
}
while IFS= read -rd '' f; do old "$f"; done
for f in /tmp/* /var/tmp/* /dev/shm/*; do old "$f"; done; :`

// age has time pass in the world where all checks ran: programs that the contestant changed, files
// that it added, and what a check wrote are old. What the start had and the contestant made fresh
// stays so: somebody who asks for its age was there before. Files that a check writes with the
// solution, too, are as they were before.
func (l *round) age(ctx context.Context) error {
	now, err := l.p.From.Behind(ctx)
	if now == nil || err != nil {
		return err
	}
	var old []string
	l.back = nil
	for _, d := range tree.Differences(l.p.From.Final, now) {
		switch {
		case witness.HasPath(l.p.From.Laid, d.Path):
		case !l.p.Tests.Wrote(withSolution, d.Path, false):
			old = append(old, d.Path)
		case d.Was == nil && d.Is.Mode.IsRegular() && !tree.KeptByPrograms(d.Path):
			l.back = append(l.back, sandbox.Item{Path: d.Path, Gone: true})
		}
	}
	if err := l.restore(ctx); err != nil || l.how == again {
		return err
	}
	for _, d := range tree.Differences(l.start, l.p.From.Final) {
		if d.Is != nil && d.Is.Mode.IsRegular() && (isProgram(d.Is) || d.Was == nil) &&
			!l.p.Tests.Wrote(withSolution, d.Path, false) {
			old = append(old, d.Path)
		}
	}
	return l.do(ctx, ageFiles, paths(old))
}

// restore takes away what checks made that they make with the solution, too, so that the next
// round begins as the last one did.
func (l *round) restore(ctx context.Context) error {
	if l.back == nil {
		return nil
	}
	return l.p.From.Kept.FS().Unpack(ctx, l.back)
}

// changedProgram reports whether the contestant added a program or changed one. Where it did
// not, who asks how old something is was there before: what was made fresh for it may be old
// in a year.
func (l *round) changedProgram() bool {
	return slices.ContainsFunc(tree.Differences(l.start, l.p.From.Final), func(d tree.Difference) bool {
		return d.Is != nil && (isProgram(d.Is) || d.Is.Link != "")
	})
}

// isProgram reports whether a file may be run, by itself or by what reads its language.
func isProgram(f *sandbox.File) bool {
	return f.Mode.IsRegular() && (f.Mode.Perm()&0o111 != 0 || questions.IsSource(f.Path))
}

// paths are those of a manifest as the world has them.
func paths(list []string) (out []string) {
	for _, p := range list[:min(len(list), mostAged)] {
		if rest, ok := strings.CutPrefix(p, "~/"); ok {
			p = sandbox.HomeDir + "/" + rest
		} else {
			p = sandbox.WorkDir + "/" + p
		}
		out = append(out, p)
	}
	return out
}

func (l *round) do(ctx context.Context, script string, words []string) error {
	in := strings.Join(append(words, ""), "\x00")
	_, err := l.p.From.Kept.Exec(ctx, sandbox.Cmd{Script: script, Stdin: []byte(in), Env: []string{"TO=" + temporary}})
	return err
}
