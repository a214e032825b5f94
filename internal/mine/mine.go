// Package mine makes tasks of a repository's own history: every commit that changes
// tests and code is a fault with its solution. What history holds runs in sandboxes
// only.
package mine

import (
	"context"
	"os"
	"time"

	"cookoff/internal/history"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/commands"
	"cookoff/internal/mine/ground"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/temporary"
)

// Options say what is mined, and how.
type Options struct {
	Dir      string                           // the project
	Test     string                           // the command that tests it
	TestOf   func(manifest string) string     // the same of a commit, by its package.json; nil, or "": Test
	Direct   func(manifest string) string     // what npm runs of it as tests, without npm; nil, or "": none
	Prepare  string                           // the command that gets what it needs; "": nothing
	From     string                           // the newest commit; "": HEAD
	Ranges   []string                         // OLD..NEW: what each has done is one candidate; nothing else is looked at
	Since    time.Time                        // zero: all
	Paths    []string                         // commits that change something below one of these; none: all
	Max      int                              // tasks; 0: any number
	MaxLines int                              // that the fix of a task may have; 0: any number
	Commits  int                              // that are looked at; 0: all
	Jobs     int                              // candidates at once; 0: one
	Timeout  time.Duration                    // of one run of the tests; 0: five minutes
	Path     []string                         // directories put first on PATH
	Env      []string                         // NAME=value, for all that runs
	Show     bool                             // models see the tests
	Files    string                           // directory that takes the files of judges
	Beside   string                           // the same, as the recipe names it
	Record   string                           // keeps what was found out: a file of the user's own; "": none
	Mutants  func(file, text string) []Mutant // small faults of a source; nil: none are tried
	Vague    bool                             // tasks that ask for what nothing says are taken, and marked
}

// ranged reports whether what is looked at are ranges of commits.
func (o Options) ranged() bool { return len(o.Ranges) > 0 }

// Tell is told how mining goes on, by one goroutine at a time; it may be nil.
type Tell func(Progress)

// Progress is how far it is.
type Progress struct {
	Seen, Of   int // commits
	Candidates int
	Admitted   int
	Refused    map[refusal.Reason]int
	Now        string        // what is being done, "" once a commit is decided
	Step       string        // of that: which tests run; "": none yet
	Takes      time.Duration // what the tests of Now take with the fix; 0: not known
	Found      *Found        // the commit that was just decided; nil: none
}

// miner is one go through a history.
type miner struct {
	Options
	repo     *history.Repo
	finder   *candidate.Finder
	machine  Machine
	ground   *ground.Ground
	overlaps []candidate.Overlap // of Options.Ranges
}

// Mine goes through a history, newest first. Where ctx ends it, the Result holds what
// was found until then. Errors are the repository's, or the sandbox's.
func Mine(ctx context.Context, o Options, machine Machine, tell Tell) (*Result, error) {
	repo, err := history.Open(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	repo.Share()
	objects, err := temporary.Dir("", "cookoff-mine-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(objects)
	repo = repo.Derived(objects)
	o.Test = commands.Undemanding(commands.EachTime(o.Test))
	m := &miner{Options: o, repo: repo, machine: machine}
	if m.From == "" {
		m.From = "HEAD"
	}
	head, err := repo.Commit(ctx, m.From)
	if err != nil {
		return nil, err
	}
	log, err := m.log(ctx, head)
	if err != nil {
		return nil, err
	}
	if o.Commits > 0 && len(log) > o.Commits {
		log = log[:o.Commits]
	}
	m.finder = candidate.NewFinder(repo, log, m.ranged(), o.Test)
	res := &Result{Head: head, Total: len(log), Overlaps: m.overlaps}
	if m.ground, err = ground.Open(m.Files); err != nil {
		return nil, err
	}
	defer m.ground.Close()
	rec, err := m.recorded()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	s := &shift{miner: m, log: log, rec: rec, tell: tell, found: make([]*Found, len(log)),
		refused: map[refusal.Reason]int{}}
	err = s.work(ctx)
	res.Duration = time.Since(began)
	for _, f := range s.found {
		if f != nil {
			res.Found = append(res.Found, *f)
			if f.known {
				res.Known++
			}
		}
	}
	if res.Stopped = ctx.Err() != nil; res.Stopped {
		res.wait()
		return res, nil
	}
	if err == nil {
		err = m.tidy(res)
	}
	return res, err
}

// log gives the commits that are looked at, newest first: those of the history, or one for
// each range that was asked for.
func (m *miner) log(ctx context.Context, head history.Commit) ([]history.Entry, error) {
	if !m.ranged() {
		return m.repo.Log(ctx, history.LogQuery{From: head.ID, Since: m.Since, Paths: m.Paths})
	}
	var list []history.Entry
	var err error
	list, m.overlaps, err = candidate.Ranges(ctx, m.repo, m.Ranges)
	return list, err
}

// key is what a commit, or a range, is remembered by.
func (m *miner) key(e history.Entry) string {
	if m.ranged() {
		return e.ID + e.Parents[0]
	}
	return e.ID
}

// tidy removes what earlier searches left of judges' files of commits that are no tasks now.
// An interrupted search leaves them: the recipe that is there has them.
func (m *miner) tidy(r *Result) error {
	for i := range r.Found {
		if f := &r.Found[i]; f.Task == nil && f.Candidate {
			if err := m.ground.Remove(judgesDir(f.Commit, f.From)); err != nil {
				return err
			}
		}
	}
	return nil
}
