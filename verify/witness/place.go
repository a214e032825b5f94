package witness

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/distrust"
	"cookoff/verify/distrust/tools"
	"cookoff/verify/lessons"
	"cookoff/verify/services"
	"cookoff/verify/tree"
)

// Opener opens a fresh sandbox with the verify profile over the sealed final
// state of a trial. Each check gets one of its own.
type Opener func(ctx context.Context) (sandbox.Sandbox, error)

// Place is where checks run: each in a fresh sandbox, or all in the trial's
// own world.
type Place struct {
	Who   trial.Witness
	From  *Worlds
	World sandbox.Sandbox // set: here, with env
	Env   []string
	Draw  Draw

	Protect  []string          // files that no check may see changed, in a sealed state
	Output   func(string) bool // of such a path: it is what checks write about tests
	Final    sandbox.Manifest  // with these files
	Fixed    func(string) bool // reports whether a file is as it was, and nobody may change it
	Tests    *lessons.Store    // what admission learned of the checks
	Learns   bool              // it does so now
	Prompt   string            // of the task, while it is admitted
	Ran      *Ran              // what it ran here for that; nil: nothing is kept
	Typed    bool              // scripts run at a terminal, where there is one
	Unlearns bool              // a further solution is judged: what it does not do is asked of nobody

	Missing  []string          // tools of the checks that were not there at the start
	Versions map[string]string // block -> version asked for
}

// tampered names protected files that code under a check changed while it ran:
// a check that reads its tests bit by bit would run what was put there. What the
// check itself makes of them, also on what the solution leaves, is none: it lays
// its tests. Errors are the sandbox's.
func (p Place) tampered(ctx context.Context, sb sandbox.Sandbox, check string) (string, error) {
	if p.World != nil {
		return "", nil
	}
	if why, err := exchanged(ctx, sb, p.From.Laid); err != nil || why != "" || len(p.Protect) == 0 {
		return why, err
	}
	var globs []string
	for _, g := range p.Protect {
		globs = append(globs, g, g+"/**")
	}
	now, err := sb.FS().Manifest(ctx, globs)
	if err != nil {
		return "", err
	}
	var before sandbox.Manifest
	for _, f := range p.Final {
		if tree.Matches(p.Protect, f.Path) {
			before = append(before, f)
		}
	}
	var hit []tree.Change
	for _, c := range tree.Protected(p.Protect, tree.Changes(before, now), before, now) {
		f, had := tree.Lookup(before, c.Path)
		is, _ := tree.Lookup(now, c.Path)
		without := c.What == "removed" && hasGone(p.From.Settings, c.Path) // of the referee
		if had && f.Mode.IsRegular() && !without && !HasPath(p.From.Laid, c.Path) && !p.isOutput(c.Path) &&
			!p.Tests.MadeByCheck(check, is, p.Learns) {
			hit = append(hit, c)
		}
	}
	if hit == nil {
		return "", nil
	}
	return "protected, but changed while the check ran: " + tree.Listed(hit), nil
}

func (p Place) isOutput(path string) bool { return p.Output != nil && p.Output(path) }

// untouched takes a check that held back where the files that it reads were written
// to while it ran. Errors are the sandbox's.
func (p Place) untouched(ctx context.Context, sb sandbox.Sandbox, v *trial.Verdict) (err error) {
	if p.World == nil {
		if v.Detail, err = p.From.Watch.meddled(ctx, sb, v.Check); err != nil {
			return err
		}
		if v.Detail != "" {
			v.Status, v.Cause = trial.NotHeld, trial.CauseForged
			return nil
		}
	}
	if v.Detail, err = p.tampered(ctx, sb, v.Check); v.Detail != "" {
		v.Status = trial.NotHeld
	}
	return err
}

// In runs a check's do in a sandbox of this place. Errors are the sandbox's.
func (p Place) In(ctx context.Context, check string, do func(sandbox.Sandbox) error) error {
	if p.World != nil {
		return do(p.World)
	}
	sb, err := p.From.take(ctx)
	if err != nil {
		return err
	}
	err = p.ready(ctx, sb)
	if err == nil {
		err = do(sb)
	}
	return errors.Join(err, p.From.give(ctx, sb, check))
}

// Run runs the text of a check in a sandbox of this place.
func (p Place) Run(ctx context.Context, sb sandbox.Sandbox, text string, timeout time.Duration) (sandbox.Result,
	error) {
	c := sandbox.Cmd{Script: p.Draw.Into(p.Who, p.Asked(text)), Env: p.ScriptEnv(text), Timeout: timeout}
	if p.Typed {
		if res, ok, err := atTerminal(ctx, sb, c); ok || err != nil {
			return res, err
		}
	}
	return sb.Exec(ctx, c)
}

// answers are those of the tools that the referee distrusts to what a state
// holds; nil for another witness.
func (p Place) answers() (list []distrust.Answer) {
	if p.Who != trial.Referee || p.World != nil {
		return nil
	}
	for _, t := range tools.All() {
		list = append(list, t.Over(p.Final))
	}
	return list
}

// Asked is the text of a check as it is run here.
func (p Place) Asked(text string) string {
	for _, a := range p.answers() {
		if a.Script != nil {
			text = a.Script(text)
		}
	}
	return text
}

// ready puts what the answers need into a world. Errors are the sandbox's.
func (p Place) ready(ctx context.Context, sb sandbox.Sandbox) error {
	for _, a := range p.answers() {
		for _, file := range slices.Sorted(maps.Keys(a.Files)) {
			if err := sb.FS().Write(ctx, file, []byte(a.Files[file])); err != nil {
				return err
			}
		}
	}
	return nil
}

// ScriptEnv is the environment of a script.
func (p Place) ScriptEnv(script string) []string {
	if p.World != nil {
		return p.Env
	}
	env := p.From.Git.Env(p.Env, script)
	for _, a := range p.answers() {
		if a.Env != nil {
			env = append(env, a.Env(p.Env)...)
		}
	}
	return env
}

// told is the place with the variables that a check sets for itself.
func (p Place) told(c checks.Script) Place {
	p.Env = slices.Concat(p.Env, c.Env)
	return p
}

// ServiceState says how a service stands where a witness looks. What is asked there next
// begins as if nobody had asked. Errors are the sandbox's.
func (p Place) ServiceState(ctx context.Context, s recipe.Service) (services.Report, error) {
	if p.World != nil {
		return services.Ask(ctx, p.World, s, p.Env)
	}
	sb, err := p.From.take(ctx)
	if err != nil {
		return services.Report{}, err
	}
	r, err := services.Ask(ctx, sb, s, p.Env)
	p.From.Kept = sb
	return r, err
}
