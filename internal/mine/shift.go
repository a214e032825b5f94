package mine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"cookoff/internal/history"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/commands"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/refusal"
	"cookoff/sandbox"
)

// shift is the work of several at one history.
type shift struct {
	*miner
	log  []history.Entry
	rec  *record
	tell Tell

	worlds     []*world // of each worker
	mu         sync.Mutex
	next       int
	found      []*Found
	seen       int
	candidates int
	admitted   int
	sure       bool // the test command was seen to end as its tests do
	refused    map[refusal.Reason]int
	waiting    int           // tasks whose worlds are to be looked through
	looked     time.Time     // when that was done last, or begun
	cost       time.Duration // what that took; 0: it was not done yet
}

// mostWaiting is after how many tasks their worlds are looked through, longestWait after how long at the most where
// one waits, and looks after how many times what that takes: what an interrupted search has not looked through is no
// task yet. The first task does not wait.
const (
	mostWaiting = 10
	longestWait = 5 * time.Minute
	looks       = 20
)

// work has all commits decided, or so many that there are enough tasks whose worlds
// don't give the answer away.
func (s *shift) work(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancelCause(ctx) // worlds live as long
	defer cancel(nil)
	s.looked, s.worlds = time.Now(), make([]*world, max(1, s.Jobs))
	defer func() {
		for _, w := range s.worlds {
			if w != nil {
				err = errors.Join(err, w.close())
			}
		}
	}()
	for ctx.Err() == nil {
		if err := s.round(ctx, cancel); err != nil {
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
func (s *shift) round(ctx context.Context, cancel context.CancelCauseFunc) error {
	var wg sync.WaitGroup
	for i := range s.worlds {
		wg.Go(func() {
			if err := s.worker(ctx, &s.worlds[i]); err != nil {
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
func (s *shift) drop(f *Found, why refusal.Reason, detail string) {
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
	if s.next == len(s.log) || s.Max > 0 && s.admitted >= s.Max || s.waiting >= mostWaiting ||
		s.waiting > 0 && time.Since(s.looked) > min(longestWait, looks*s.cost) {
		return -1
	}
	s.next++
	return s.next - 1
}

// worker decides commits in its world, which it leaves for the next round.
func (s *shift) worker(ctx context.Context, w **world) (err error) {
	for ctx.Err() == nil {
		i := s.take()
		if i < 0 {
			return nil
		}
		f, known := s.rec.known[s.key(s.log[i])]
		if !known {
			if f, err = s.decide(ctx, w, s.log[i]); err != nil {
				return err
			}
			if err := s.keep(f); err != nil {
				return err
			}
		}
		s.done(i, s.wanted(f))
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

func (s *shift) say(doing string) { s.step(doing, "", 0) }

// step says which tests of what is being done run, and how long they take with the fix.
func (s *shift) step(doing, step string, takes time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tell != nil {
		s.tell(Progress{Seen: s.seen, Of: len(s.log), Candidates: s.candidates, Admitted: s.admitted, Refused: s.refused,
			Now: doing, Step: step, Takes: takes})
	}
}

// decide makes a task of a commit, or says why not.
func (s *shift) decide(ctx context.Context, w **world, e history.Entry) (*Found, error) {
	f := &Found{Commit: e.ID, Time: e.Time, Subject: lines.First(e.Message)}
	if s.ranged() {
		f.From = e.Parents[0]
	}
	began := time.Now()
	task, err := s.task(ctx, w, e, f)
	f.Seconds = time.Since(began).Seconds()
	if err != nil && ctx.Err() != nil { // what was seen last may be the interruption's doing
		return nil, ctx.Err()
	}
	if no, ok := errors.AsType[*refusal.Error](err); ok {
		f.Reason, f.Detail = no.Reason, no.Detail
		return f, nil
	}
	if err != nil {
		if errors.Is(err, sandbox.ErrUnavailable) {
			return nil, fmt.Errorf("trying commit %.12s: %w", e.ID, err)
		}
		return nil, err
	}
	f.Task = task
	return f, nil
}

// task does what decide says; an error is a *refusal.Error, or stands for all.
func (s *shift) task(ctx context.Context, w **world, e history.Entry, f *Found) (*Task, error) {
	c, err := s.finder.Look(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := s.bounded(ctx, c); err != nil {
		f.unkept = true
		return nil, err
	}
	f.Candidate = true
	doing := fmt.Sprintf("%.10s %s", e.ID, cmp.Or(f.Subject, "no message"))
	s.say(doing)
	st, err := statesOf(ctx, s.repo, c)
	if err != nil {
		return nil, err
	}
	if err := s.worldFor(ctx, w, c, st); err != nil {
		return nil, err
	}
	a := &attempt{Options: s.Options, repo: s.repo, c: c, world: *w, states: st, sure: s.known()}
	a.step = func(step string) { s.step(doing, step, a.took) }
	if manifest, is := st.mended["package.json"]; is {
		text, err := (*w).contents.Of(manifest)
		if err != nil {
			return nil, err
		}
		a.manifest = string(text)
	}
	if a.manifest != "" && s.TestOf != nil {
		a.Test = commands.Undemanding(cmp.Or(s.TestOf(a.manifest), a.Test))
	}
	if err := a.try(ctx); err != nil {
		return nil, c.Explained(err)
	}
	t, err := s.proven(ctx, a)
	if err != nil {
		return nil, err
	}
	s.know()
	if err := a.weigh(ctx, t); err != nil {
		return nil, errors.Join(err, s.unlay(t))
	}
	return t, nil
}

// known reports whether a task was proven already: the test command ends as its tests do.
func (s *shift) known() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sure
}

// know has it known that the test command does.
func (s *shift) know() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sure = true
}

// unlay takes away what was laid of a task that is none.
func (s *shift) unlay(t *Task) error {
	if t == nil || t.judgeDir == "" {
		return nil
	}
	return s.ground.Remove(t.judgeDir)
}

// keep records what was found of a commit, and gives the files of its judge their place: killed between
// the two, the next search finds it anew, since the files that it has are others.
func (s *shift) keep(f *Found) error {
	if f.unkept {
		return nil
	}
	if err := s.rec.add(f); err != nil || f.Task == nil || f.Task.judgeDir == "" {
		return err
	}
	f.fresh = s.ground.Sum(f.Task.Files) == ""
	err := s.ground.Settle(f.Task.judgeDir, f.Task.Files)
	f.Task.judgeDir = ""
	return err
}

// proven writes the task of what was tried, and has the referee prove it. Where that refuses it,
// tests that differ between runs are left out, and the task is proven without them.
func (s *shift) proven(ctx context.Context, a *attempt) (*Task, error) {
	for n := 0; ; n++ {
		t, err := (&writer{a}).write(ctx)
		if err == nil {
			a.says("the referee proves it")
			err = s.prove(ctx, t)
		}
		if err == nil {
			return t, nil
		}
		no, refused := errors.AsType[*refusal.Error](err)
		if failed := s.unlay(t); failed != nil || !refused || no.Reason != refusal.Unproven ||
			n == mostSteadied {
			return nil, errors.Join(err, failed)
		}
		differs, failed := a.steadied(ctx, runsToSteady(no))
		if failed != nil {
			return nil, failed
		}
		if !differs {
			return nil, err
		}
	}
}

// worldFor gives the world in which a candidate is tried: the one at hand, unless it
// was used much or the candidate needs other things from elsewhere.
func (s *shift) worldFor(ctx context.Context, w **world, c *candidate.Candidate, st *states) error {
	if *w != nil && (*w).used < mostRuns && !(*w).own && sameNeeds((*w).needs, st.parent) {
		return nil
	}
	if *w != nil {
		err := (*w).close()
		if *w = nil; err != nil {
			return err
		}
	}
	base, err := s.repo.Commit(ctx, c.Base())
	if err != nil {
		return refusal.New(refusal.Missing, lines.First(err.Error()))
	}
	now, err := s.open(ctx, base)
	if err != nil {
		return err
	}
	now.needs = needsOf(st.parent)
	*w = now
	return nil
}

// prove has the referee try a task.
func (s *shift) prove(ctx context.Context, t *Task) error {
	file, err := s.alone(t)
	if err == nil {
		var why refusal.Reason
		var detail string
		if why, detail, err = s.machine.Prove(ctx, file); err == nil && why != "" {
			err = refusal.New(why, detail)
		}
	}
	if file != "" {
		err = errors.Join(err, s.ground.Remove(filepath.Base(file)))
	}
	return err
}
