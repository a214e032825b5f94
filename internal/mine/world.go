package mine

import (
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/internal/history"
	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/temporary"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// Machine is what sandboxes are made with, and the referee.
type Machine interface {
	// Open opens a sandbox with the tool chains of this machine.
	Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error)
	// Prepare gets what the project in dir needs, as Spec.Prepared; "": nothing. What is its own was made of its
	// files, and is no other commit's.
	Prepare(ctx context.Context, dir, from string) (made string, own bool, err error)
	// Prove has the referee try the tasks of a recipe, as a run does before its first
	// trial. It gives why not, by reason.
	Prove(ctx context.Context, recipeFile string) (refusal.Reason, string, error)
}

// tree is the files of a project, by path.
type tree map[string]history.File

// world is a sandbox that goes through the commits of a repository: what differs is
// written, so that caches of builds stay warm. It is not safe for concurrent use.
type world struct {
	sandbox.Sandbox
	contents *history.Contents
	has      tree
	prepared string
	own      bool              // what was prepared is of no other commit
	dir      string            // on the host: what it began with
	used     int               // how often tests ran
	slow     bool              // the whole test command takes too long
	asked    bool              // whether skips is known
	skips    string            // how its node is told which tests not to run; "": it can't be
	needs    map[string]string // see needsOf
	want     tree              // as it was set up, with bare texts
	bare     map[string]string
	ran      bool // tests did, since it was set up

	// What it began with: again opens it once more, which is first then; tracked are the files that a commit has.
	again   func(ctx context.Context) (sandbox.Sandbox, error)
	first   sandbox.Sandbox // nil: nobody asked yet
	tracked map[string]bool
}

// mostRuns is how many test runs a world takes before another follows it: what tests
// leave behind in HOME adds up.
const mostRuns = 200

// Secret knows files that no world has.
func Secret(p string) bool {
	name := path.Base(p)
	return name == ".env" || strings.HasPrefix(name, ".env.") &&
		!slices.Contains([]string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.test"}, name)
}

// open makes a world of a commit.
func (m *miner) open(ctx context.Context, at history.Commit) (*world, error) {
	dir, err := temporary.Dir("", "cookoff-mine-*")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, has: tree{}, tracked: map[string]bool{}}
	if err := m.furnish(ctx, w, at); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// furnish gives a world the files of a commit, what they need, and a sandbox.
func (m *miner) furnish(ctx context.Context, w *world, at history.Commit) error {
	project := filepath.Join(w.dir, "project")
	tree, err := m.repo.Checkout(ctx, at, project, Secret)
	if err != nil {
		return err
	}
	defer tree.Close()
	for _, f := range tree.Files() {
		f.Size = 0 // as those of states
		w.has[f.Path], w.tracked[f.Path] = f, true
	}
	if err := tree.Repository(ctx, nil); err != nil {
		return err
	}
	if w.prepared, w.own, err = m.machine.Prepare(ctx, project, m.Dir); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return refusal.New(refusal.Unprepared, lines.First(err.Error()))
	}
	w.contents = history.NewContents(ctx, m.repo)
	w.again = func(ctx context.Context) (sandbox.Sandbox, error) {
		return m.machine.Open(ctx, m.spec(project, w.prepared))
	}
	w.Sandbox, err = w.again(ctx)
	return err
}

func (w *world) close() error {
	var err error
	for _, sb := range []sandbox.Sandbox{w.Sandbox, w.first} {
		if sb != nil {
			err = errors.Join(err, sb.Close())
		}
	}
	if w.contents != nil {
		w.contents.Close()
	}
	return errors.Join(err, os.RemoveAll(w.dir))
}

// stamp is a file that says since when something was written. It is no part of the
// project.
const stamp = "/dev/shm/.mine"

// set gives the project these files. bare texts stand for files of no commit. What tests did is taken back.
func (w *world) set(ctx context.Context, want tree, bare map[string]string) error {
	var items []sandbox.Item
	gone := func(p string) { items = append(items, sandbox.Item{Path: p, Gone: true}) }
	if w.used > 0 {
		did, err := w.whatTestsDid(ctx)
		if err != nil {
			return err
		}
		for p := range w.has {
			if did.removed(p) {
				delete(w.has, p) // it is written anew
			}
		}
		others, err := w.unprepared(ctx, did)
		if err != nil {
			return err
		}
		for _, p := range did.written {
			delete(w.has, p)
			others = append(others, p)
		}
		others = slices.DeleteFunc(others, func(p string) bool { _, is := want[p]; return is })
		if items, err = w.untouched(ctx, others); err != nil {
			return err
		}
	}
	for p := range w.has {
		if _, is := want[p]; !is {
			gone(p)
		}
	}
	for p, f := range want {
		if _, is := bare[p]; !is && w.has[p] != f && f.Mode != history.ModeSubmodule {
			it, err := w.item(f)
			if err != nil {
				return err
			}
			items = append(items, it)
		}
	}
	for p, text := range bare {
		items = append(items, sandbox.Item{Path: p, Mode: 0o644, Size: int64(len(text)), Time: time.Now(),
			Data: []byte(text)})
	}
	slices.SortFunc(items, func(a, b sandbox.Item) int { // what goes makes room
		switch {
		case a.Gone == b.Gone:
			return strings.Compare(a.Path, b.Path)
		case a.Gone:
			return -1
		}
		return 1
	})
	if len(items) > 0 {
		if err := w.FS().Unpack(ctx, items); err != nil {
			return err
		}
	}
	w.has, w.want, w.bare, w.ran = tree{}, want, bare, false
	for p, f := range want {
		if _, is := bare[p]; is {
			f = history.File{Path: p} // like no other
		}
		w.has[p] = f
	}
	_, err := w.Exec(ctx, sandbox.Cmd{
		Script: "find /tmp -mindepth 1 -maxdepth 1 -exec rm -rf {} + 2>/dev/null; sleep 0.01; : > " + stamp})
	return err
}

// item is a file as it is put into worlds.
func (w *world) item(f history.File) (sandbox.Item, error) {
	text, err := w.contents.Of(f)
	if err != nil {
		return sandbox.Item{}, refusal.New(refusal.Missing, f.Path)
	}
	it := sandbox.Item{Path: f.Path, Mode: 0o644, Size: int64(len(text)), Time: time.Now(), Data: text}
	switch f.Mode {
	case history.ModeExec:
		it.Mode = 0o755
	case history.ModeLink:
		it.Mode, it.Link, it.Data, it.Size = os.ModeSymlink|0o777, string(text), nil, 0
	}
	if len(text) > sandbox.MaxItem {
		return it, refusal.New(refusal.TooLarge, f.Path)
	}
	return it, nil
}

// test runs a test command, at most so long.
func (w *world) test(ctx context.Context, command string, limit time.Duration) (*outcome.Outcome, error) {
	return w.run(ctx, command, limit, testrun.ByName)
}

// goes is test of a command that does not end in time: its tests are named as they begin.
func (w *world) goes(ctx context.Context, command string, limit time.Duration) (*outcome.Outcome, error) {
	return w.run(ctx, command, limit, testrun.AsItGoes)
}

func (w *world) run(ctx context.Context, command string, limit time.Duration,
	by func(context.Context, sandbox.Sandbox, sandbox.Cmd) (*testrun.Outcome, error)) (*outcome.Outcome, error) {
	if err := w.runs(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	out, err := by(ctx, w.Sandbox, sandbox.Cmd{Script: command, Timeout: limit})
	if err != nil {
		return nil, err
	}
	return &outcome.Outcome{Outcome: out, Took: time.Since(began)}, nil
}

// passes reports whether a test command succeeds: which tests fail is not asked for.
func (w *world) passes(ctx context.Context, command string, limit time.Duration) (bool, error) {
	out, err := w.whole(ctx, command, limit)
	return err == nil && out.OK(), err
}

// whole runs a test command as it stands, with what else it does than to run tests.
func (w *world) whole(ctx context.Context, command string, limit time.Duration) (*outcome.Outcome, error) {
	if err := w.runs(ctx); err != nil {
		return nil, err
	}
	res, err := w.Exec(ctx, sandbox.Cmd{Script: command, Timeout: limit})
	return outcome.Of(&testrun.Outcome{Result: res}), err
}

// runs has tests run in the world as it was set up: what others did since then is taken back.
func (w *world) runs(ctx context.Context) error {
	if w.ran {
		if err := w.set(ctx, w.want, w.bare); err != nil {
			return err
		}
	}
	w.used, w.ran = w.used+1, true
	return nil
}

// Fails gives what the test command prints where it fails in a world of the files in a directory,
// in which nothing was prepared; "": it passes.
func Fails(ctx context.Context, o Options, machine Machine, project string) (said string, err error) {
	sb, err := machine.Open(ctx, o.spec(project, ""))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: o.Test})
	if err != nil || res.OK() {
		return "", err
	}
	return string(res.Stdout) + "\n" + string(res.Stderr), nil
}

func (o Options) spec(project, prepared string) sandbox.Spec {
	return sandbox.Spec{Project: project, Prepared: prepared, Network: sandbox.NoNetwork, Path: o.Path, Env: o.Env,
		Limits: sandbox.Limits{Call: o.Limit(), Output: 8 << 20, Processes: 1024}}
}

// needsOf gives the files that say what a project needs from elsewhere, with what they
// are made from.
func needsOf(all tree) map[string]string {
	out := map[string]string{}
	for p, f := range all {
		if kind.IsLockfile(p) || kind.IsManifest(p) {
			out[p] = f.ID
		}
	}
	return out
}

func sameNeeds(was map[string]string, now tree) bool { return maps.Equal(was, needsOf(now)) }
