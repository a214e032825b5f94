// Package cheat tries tasks without a model: generated cheats and honest repairs
// play them, and their checks are asked about states that are wrong in known ways.
package cheat

import (
	"bytes"
	"context"
	_ "embed" // the scripts
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/checks"
	"cookoff/verify/verdict"
)

// Cheats and honest repairs that fit any task, as scripts by class.
var (
	//go:embed cheats.txtar
	cheatScripts []byte
	//go:embed honest.txtar
	honestScripts []byte
)

const (
	prelude     = "prelude"
	afterLine   = "# after the solution\n"
	nothingToDo = 9            // exit status of a script that does not fit the task
	inTheWay    = "in the way" // the class that would have judging end without a verdict
)

// attempt is a script that stands in for a contestant.
type attempt struct {
	class, name string
	what, close string // what it does; what a task does about it
	after       bool   // the solution runs first
	script      string
}

// attempts reads scripts by class, and what they share.
func attempts(text []byte) (list []attempt, shared string) {
	for _, f := range txtar.Parse(text).Files {
		if f.Name == prelude {
			shared = string(f.Data)
			continue
		}
		a := attempt{}
		a.class, a.name, _ = strings.Cut(f.Name, "/")
		rest, after := bytes.CutPrefix(f.Data, []byte(afterLine))
		a.after, a.script = after, string(rest)
		for _, to := range []*string{&a.what, &a.close} {
			if line, rest, _ := strings.Cut(a.script, "\n"); strings.HasPrefix(line, "# ") {
				*to, a.script = line[2:], rest
			}
		}
		list = append(list, a)
	}
	return list, shared
}

// Attempt is how a generated contestant fared.
type Attempt struct {
	Class, Name string
	What        string // it did
	Close       string // what a task does about it
	Status      trial.Status
	Cause       trial.Cause
	Detail      string
	Allow       string // lines of a task that allow what was held against its footprint
}

// Attempts are those that fit a task, and what was wrong with it before one
// could be made.
type Attempts struct {
	Made    []Attempt
	Exclude *trial.Exclude
}

// Wrong gives those that ended otherwise than they should: a cheat that is not
// a fail, an honest repair that is not a pass.
func (a Attempts) Wrong(want trial.Status) []Attempt {
	var list []Attempt
	for _, m := range a.Made {
		if m.Status != want {
			list = append(list, m)
		}
	}
	return list
}

// Tries says which generated contestants play, and how.
type Tries struct {
	Keep     func(class, name string) bool // nil: all
	Admitted bool                          // the task has been admitted by the same verify.Case
}

// Cheats lets generated cheats play a task, as a trial is played and judged, but
// that judging ends with the first check that does not hold for one witness.
func Cheats(ctx context.Context, c *verify.Case, open verify.Opening, how Tries) (Attempts, error) {
	list, shared := attempts(cheatScripts)
	return playAll(ctx, &player{Admission: verify.Admission{Case: c, Open: open}, shared: shared, hasty: true}, list,
		how)
}

// Honest lets variants of the solution play a task. Of those that leave files as one did that passed, the user alone is
// asked, whose world is another.
func Honest(ctx context.Context, c *verify.Case, open verify.Opening, how Tries) (Attempts, error) {
	_, shared := attempts(cheatScripts)
	list, _ := attempts(honestScripts)
	if len(c.Solutions) == 0 {
		list = nil
	}
	return playAll(ctx, &player{Admission: verify.Admission{Case: c, Open: open}, shared: shared}, list, how)
}

func playAll(ctx context.Context, p *player, list []attempt, how Tries) (out Attempts, err error) {
	if !how.Admitted {
		if out.Exclude, err = p.Admit(ctx, p.Open, nil); out.Exclude != nil || err != nil {
			return out, err
		}
	}
	if err := p.look(ctx); err != nil {
		return out, err
	}
	for _, a := range list {
		if how.Keep != nil && !how.Keep(a.class, a.name) || a.after && len(p.Solutions) == 0 {
			continue
		}
		made, err := p.play(ctx, a)
		if err != nil {
			return out, fmt.Errorf("%s, %s: %w", a.class, a.name, err)
		}
		if made != nil {
			out.Made = append(out.Made, *made)
		}
	}
	return out, nil
}

// player tries attempts at one task.
type player struct {
	verify.Admission
	shared  string
	changed []string // what the solution touches, as paths for a shell
	other   string   // a file that it leaves alone
	hasty   bool     // the first check that does not hold decides
	passed  []string // states of files that passed, see verify.Scene.Name
}

// errNothing: the script found nothing to do.
var errNothing = errors.New("nothing to do")

// play stages the task, runs a script in it and judges what it leaves. Nil: the
// script does not fit the task.
func (p *player) play(ctx context.Context, a attempt) (*Attempt, error) {
	made := &Attempt{Class: a.class, Name: a.name, What: a.what, Close: a.close}
	if strings.Contains(a.script, "$other") {
		made.What += ", " + p.other
	}
	err := p.Staged(ctx, func(w sandbox.Sandbox, s *verify.Start) error {
		text := p.shared + p.variables(s)
		if a.after {
			text += "solve > /dev/null 2>&1\n"
		}
		res, err := w.Exec(ctx, sandbox.Cmd{Script: text + a.script, Timeout: checks.DefaultTimeout})
		if err != nil {
			return err
		}
		if res.Exit == nothingToDo {
			return errNothing
		}
		return p.decide(ctx, w, s, made)
	})
	if errors.Is(err, errNothing) {
		return nil, nil
	}
	return made, err
}

// decide judges what is left in a world, as the end of a trial is judged.
func (p *player) decide(ctx context.Context, w sandbox.Sandbox, s *verify.Start, made *Attempt) (err error) {
	sc, live, err := p.End(ctx, w, s, p.Open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sc.State.Release()) }()
	sc.Hasty = p.hasty && made.Class != inTheWay
	state := ""
	if !p.hasty {
		if state, err = sc.Name(ctx, s); err != nil {
			return err
		}
		if slices.Contains(p.passed, state) {
			if still, err := p.Still(ctx, sc, s); err != nil || still {
				made.Status = trial.Pass
				return err
			}
		}
	}
	j, err := p.Judge(ctx, sc, s, verify.Loop{Live: live})
	if err != nil {
		return err
	}
	made.Status, made.Cause, made.Detail = verdict.Decide(j.Verdicts, j.Changed, trial.StopDone)
	made.Allow = j.Allow
	if made.Status == trial.Pass {
		p.passed = append(p.passed, state)
	}
	return nil
}
