// Package mine makes tasks of a repository's own history: every commit that changes
// tests and code is a fault with its solution. What history holds runs in sandboxes
// only.
package mine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"cookoff/internal/history"
	"cookoff/internal/temporary"
	"cookoff/recipe"
	"cookoff/sandbox"
)

// Options say what is mined, and how.
type Options struct {
	Dir     string                           // the project
	Test    string                           // the command that tests it
	Prepare string                           // the command that gets what it needs; "": nothing
	From    string                           // the newest commit; "": HEAD
	Ranges  []string                         // OLD..NEW: what each has done is one candidate; nothing else is looked at
	Since   time.Time                        // zero: all
	Paths   []string                         // commits that change something below one of these; none: all
	Max     int                              // tasks; 0: any number
	Commits int                              // that are looked at; 0: all
	Jobs    int                              // candidates at once; 0: one
	Timeout time.Duration                    // of one run of the tests; 0: five minutes
	Path    []string                         // directories put first on PATH
	Env     []string                         // NAME=value, for all that runs
	Show    bool                             // models see the tests
	Files   string                           // directory that takes the files of judges
	Beside  string                           // the same, as the recipe names it
	Record  string                           // keeps what was found out: a file of the user's own; "": none
	Mutants func(file, text string) []Mutant // small faults of a source; nil: none are tried
	Vague   bool                             // tasks that ask for what nothing says are taken, and marked
}

// Tell is told how mining goes on, by one goroutine at a time; it may be nil.
type Tell func(Progress)

// Progress is how far it is.
type Progress struct {
	Seen, Of   int // commits
	Candidates int
	Admitted   int
	Refused    map[Reason]int
	Now        string // what is being done, "" once a commit is decided
	Found      *Found // the commit that was just decided; nil: none
}

// miner is one go through a history.
type miner struct {
	Options
	*finder
	machine  Machine
	ground   *ground
	overlaps []Overlap // of Options.Ranges
}

// Result is what a history gave.
type Result struct {
	Head     history.Commit
	Total    int       // commits of the history that were asked for
	Found    []Found   // of the commits that were looked at, newest first
	Known    int       // of these, from an earlier go
	Stopped  bool      // interrupted
	Waiting  int       // of these, tasks that are left out: nobody has looked yet whether their worlds tell the answer
	Overlaps []Overlap // of the ranges that were asked for
	Duration time.Duration
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
	m := &miner{Options: o, finder: &finder{repo: repo, ranged: len(o.Ranges) > 0}, machine: machine}
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
	m.entries = make(map[string]history.Entry, len(log))
	for _, e := range log {
		m.entries[e.ID] = e
	}
	m.changes = changesOf(log)
	res := &Result{Head: head, Total: len(log), Overlaps: m.overlaps}
	if m.ground, err = openGround(m.Files); err != nil {
		return nil, err
	}
	defer m.ground.close()
	rec, err := m.recorded()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	s := &shift{miner: m, log: log, rec: rec, tell: tell, found: make([]*Found, len(log)), refused: map[Reason]int{}}
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

// wait leaves out the tasks of an interrupted search whose worlds were not looked through.
func (r *Result) wait() {
	all := len(r.Found)
	r.Found = slices.DeleteFunc(r.Found, func(f Found) bool { return f.Task != nil && !f.Task.Searched })
	r.Waiting = all - len(r.Found)
}

// log gives the commits that are looked at, newest first: those of the history, or one for
// each range that was asked for.
func (m *miner) log(ctx context.Context, head history.Commit) ([]history.Entry, error) {
	if !m.ranged {
		return m.repo.Log(ctx, history.LogQuery{From: head.ID, Since: m.Since, Paths: m.Paths})
	}
	r, err := rangesOf(ctx, m.repo, m.Ranges)
	if err != nil {
		return nil, err
	}
	m.overlaps = r.overlaps
	return r.list, nil
}

// key is what a commit, or a range, is remembered by.
func (m *miner) key(e history.Entry) string {
	if m.ranged {
		return e.ID + e.Parents[0]
	}
	return e.ID
}

// tidy removes what earlier searches left of judges' files of commits that are no tasks now.
// An interrupted search leaves them: the recipe that is there has them.
func (m *miner) tidy(r *Result) error {
	for i := range r.Found {
		if f := &r.Found[i]; f.Task == nil && f.Candidate {
			if err := m.ground.remove(judgesDir(f.Commit, f.From)); err != nil {
				return err
			}
		}
	}
	return nil
}

// shift is the work of several at one history.
type shift struct {
	*miner
	log  []history.Entry
	rec  *record
	tell Tell

	mu         sync.Mutex
	next       int
	found      []*Found
	seen       int
	candidates int
	admitted   int
	refused    map[Reason]int
	waiting    int // tasks whose worlds are to be looked through
}

// mostWaiting is after how many tasks their worlds are looked through: what an interrupted
// search has not looked through is no task yet.
const mostWaiting = 10

// work has all commits decided, or so many that there are enough tasks whose worlds
// don't give the answer away.
func (s *shift) work(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := s.round(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			break
		}
		if err := s.leaked(ctx); err != nil {
			return err
		}
		if s.next == len(s.log) || s.Max > 0 && s.admitted >= s.Max {
			break
		}
	}
	return nil
}

// round goes on until there are enough tasks, or no commits.
func (s *shift) round(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range max(1, s.Jobs) {
		wg.Go(func() {
			if err := s.worker(ctx); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// drop takes a task back.
func (s *shift) drop(f *Found, why Reason, detail string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Task, f.Reason, f.Detail = nil, why, detail
	s.admitted--
	s.refused[why]++
	if s.tell != nil {
		s.tell(Progress{Seen: s.seen, Of: len(s.log), Candidates: s.candidates, Admitted: s.admitted, Refused: s.refused,
			Found: f})
	}
}

// take gives the next commit; -1: there is none, or there are tasks enough.
func (s *shift) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == len(s.log) || s.Max > 0 && s.admitted >= s.Max || s.waiting >= mostWaiting {
		return -1
	}
	s.next++
	return s.next - 1
}

func (s *shift) worker(ctx context.Context) (err error) {
	var w *world
	defer func() {
		if w != nil {
			err = errors.Join(err, w.close())
		}
	}()
	for ctx.Err() == nil {
		i := s.take()
		if i < 0 {
			return nil
		}
		f, known := s.rec.known[s.key(s.log[i])]
		if !known {
			if f, err = s.decide(ctx, &w, s.log[i]); err != nil {
				return err
			}
			if err := s.rec.add(f); err != nil {
				return err
			}
		}
		s.done(i, f)
	}
	return nil
}

// done takes in what a commit is.
func (s *shift) done(i int, f *Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Task != nil && s.Max > 0 && s.admitted >= s.Max {
		return // another was faster
	}
	s.found[i] = f
	s.seen++
	if f.Candidate {
		s.candidates++
	}
	if f.Task != nil {
		s.admitted++
		if !f.Task.Searched {
			s.waiting++
		}
	} else {
		s.refused[f.Reason]++
	}
	if s.tell != nil {
		s.tell(Progress{Seen: s.seen, Of: len(s.log), Candidates: s.candidates, Admitted: s.admitted, Refused: s.refused,
			Found: f})
	}
}

func (s *shift) say(doing string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tell != nil {
		s.tell(Progress{Seen: s.seen, Of: len(s.log), Candidates: s.candidates, Admitted: s.admitted, Refused: s.refused,
			Now: doing})
	}
}

// decide makes a task of a commit, or says why not.
func (s *shift) decide(ctx context.Context, w **world, e history.Entry) (*Found, error) {
	f := &Found{Commit: e.ID, Time: e.Time, Subject: firstLine(e.Message)}
	if s.ranged {
		f.From = e.Parents[0]
	}
	began := time.Now()
	task, err := s.task(ctx, w, e, f)
	f.Seconds = time.Since(began).Seconds()
	if no, ok := errors.AsType[*refusal](err); ok {
		f.Reason, f.Detail = no.reason, no.detail
		return f, nil
	}
	if err != nil {
		if errors.Is(err, sandbox.ErrUnavailable) && ctx.Err() == nil {
			return nil, fmt.Errorf("trying commit %.12s: %w", e.ID, err)
		}
		return nil, err
	}
	f.Task = task
	return f, nil
}

// task does what decide says; an error is a *refusal, or stands for all.
func (s *shift) task(ctx context.Context, w **world, e history.Entry, f *Found) (*Task, error) {
	c, err := s.look(ctx, e)
	if err != nil {
		return nil, err
	}
	f.Candidate = true
	s.say(fmt.Sprintf("%.10s %s", e.ID, f.Subject))
	st, err := statesOf(ctx, s.repo, c)
	if err != nil {
		return nil, err
	}
	if err := s.worldFor(ctx, w, c, st); err != nil {
		return nil, err
	}
	a := &attempt{Options: s.Options, repo: s.repo, c: c, world: *w, states: st}
	if err := a.try(ctx); err != nil {
		return nil, err
	}
	if err := a.weigh(ctx); err != nil {
		return nil, err
	}
	t, err := (&writer{a, s.ranged}).write(ctx)
	if err != nil {
		return nil, err
	}
	return t, s.prove(ctx, t)
}

// worldFor gives the world in which a candidate is tried: the one at hand, unless it
// was used much or the candidate needs other things from elsewhere.
func (s *shift) worldFor(ctx context.Context, w **world, c *candidate, st *states) error {
	if *w != nil && (*w).used < mostRuns && sameNeeds((*w).needs, st.parent) {
		return nil
	}
	if *w != nil {
		err := (*w).close()
		if *w = nil; err != nil {
			return err
		}
	}
	base, err := s.repo.Commit(ctx, c.base())
	if err != nil {
		return refuse(Missing, firstLine(err.Error()))
	}
	now, err := s.open(ctx, base)
	if err != nil {
		return err
	}
	now.needs = needsOf(st.parent)
	*w = now
	return nil
}

// prove has the referee try a task, and keeps the files of its judge only then.
func (s *shift) prove(ctx context.Context, t *Task) error {
	had := s.ground.sum(t.Files) != "" // of an earlier search: the recipe that it wrote has them
	file, err := s.alone(t)
	if err == nil {
		var why Reason
		var detail string
		if why, detail, err = s.machine.Prove(ctx, file); err == nil && why != "" {
			err = refuse(why, detail)
		}
	}
	if file != "" {
		err = errors.Join(err, s.ground.remove(filepath.Base(file)))
	}
	if err != nil && !had {
		_ = s.ground.remove(t.Files)
	}
	return err
}

// Tasks are those that were admitted, newest first.
func (r *Result) Tasks() (out []recipe.Task) {
	for _, f := range r.Found {
		if f.Task != nil {
			out = append(out, f.Task.Recipe)
		}
	}
	return out
}

// Candidates counts the commits that change tests and code.
func (r *Result) Candidates() (n int) {
	for _, f := range r.Found {
		if f.Candidate {
			n++
		}
	}
	return n
}

// Refused counts the others by reason.
func (r *Result) Refused() map[Reason]int {
	out := map[Reason]int{}
	for _, f := range r.Found {
		if f.Task == nil {
			out[f.Reason]++
		}
	}
	return out
}

// Reasons are all that there are, in the order in which a commit meets them.
func Reasons() []Reason { return reasons }

// Screened are the reasons that need no run.
func Screened() []Reason { return screened }
