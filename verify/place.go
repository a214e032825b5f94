package verify

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
	"cookoff/verify/services"
	"cookoff/verify/tree"
)

// Opener opens a fresh sandbox with the verify profile over the sealed final
// state of a trial. Each check gets one of its own.
type Opener func(ctx context.Context) (sandbox.Sandbox, error)

// place is where checks run: each in a fresh sandbox, or all in the trial's
// own world.
type place struct {
	who   trial.Witness
	from  *fresh
	world sandbox.Sandbox // set: here, with env
	env   []string
	draw  drawer

	protect []string         // files that no check may see changed, in a sealed state
	final   sandbox.Manifest // with these files
	tests   *learned         // what admission learned of the checks
	learns  bool             // it does so now

	missing  []string          // tools of the checks that were not there at the start
	versions map[string]string // block -> version asked for
}

// tampered names protected files that code under a check changed while it ran:
// a check that reads its tests bit by bit would run what was put there. What the
// check itself makes of them, also on what the solution leaves, is none: it lays
// its tests. Errors are the sandbox's.
func (p place) tampered(ctx context.Context, sb sandbox.Sandbox, check string) (string, error) {
	if p.world != nil {
		return "", nil
	}
	if why, err := exchanged(ctx, sb, p.from.laid); err != nil || why != "" || len(p.protect) == 0 {
		return why, err
	}
	var globs []string
	for _, g := range p.protect {
		globs = append(globs, g, g+"/**")
	}
	now, err := sb.FS().Manifest(ctx, globs)
	if err != nil {
		return "", err
	}
	var before sandbox.Manifest
	for _, f := range p.final {
		if tree.Matches(p.protect, f.Path) {
			before = append(before, f)
		}
	}
	var hit []tree.Change
	for _, c := range tree.Protected(p.protect, tree.Changes(before, now), before, now) {
		f, had := tree.Lookup(before, c.Path)
		is, _ := tree.Lookup(now, c.Path)
		if had && f.Mode.IsRegular() && !holdsPath(p.from.laid, c.Path) && !p.tests.laid(check, is, p.learns) {
			hit = append(hit, c)
		}
	}
	if hit == nil {
		return "", nil
	}
	return "protected, but changed while the check ran: " + tree.Listed(hit), nil
}

// untouched takes a check that held back where the files that it reads were written
// to while it ran. Errors are the sandbox's.
func (p place) untouched(ctx context.Context, sb sandbox.Sandbox, v *trial.Verdict) (err error) {
	if p.world == nil {
		if v.Detail, err = p.from.watch.meddled(ctx, sb, v.Check); err != nil {
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

// in runs a check's do in a sandbox of this place. Errors are the sandbox's.
func (p place) in(ctx context.Context, check string, do func(sandbox.Sandbox) error) error {
	if p.world != nil {
		return do(p.world)
	}
	sb, err := p.from.take(ctx)
	if err != nil {
		return err
	}
	err = p.ready(ctx, sb)
	if err == nil {
		err = do(sb)
	}
	return errors.Join(err, p.from.give(ctx, sb, check))
}

// run runs the text of a check in a sandbox of this place.
func (p place) run(ctx context.Context, sb sandbox.Sandbox, text string, timeout time.Duration) (sandbox.Result,
	error) {
	return sb.Exec(ctx, sandbox.Cmd{Script: p.draw.into(p.who, p.asked(text)), Env: p.hears(text), Timeout: timeout})
}

// answers are those of the tools that the referee distrusts to what a state
// holds; nil for another witness.
func (p place) answers() (list []distrust.Answer) {
	if p.who != trial.Referee || p.world != nil {
		return nil
	}
	for _, t := range tools.All() {
		list = append(list, t.Over(p.final))
	}
	return list
}

// asked is the text of a check as it is run here.
func (p place) asked(text string) string {
	for _, a := range p.answers() {
		if a.Script != nil {
			text = a.Script(text)
		}
	}
	return text
}

// ready puts what the answers need into a world. Errors are the sandbox's.
func (p place) ready(ctx context.Context, sb sandbox.Sandbox) error {
	for _, a := range p.answers() {
		for _, file := range slices.Sorted(maps.Keys(a.Files)) {
			if err := sb.FS().Write(ctx, file, []byte(a.Files[file])); err != nil {
				return err
			}
		}
	}
	return nil
}

// hears is the environment of a script.
func (p place) hears(script string) []string {
	if p.world != nil {
		return p.env
	}
	env := p.from.git.Env(p.env, script)
	for _, a := range p.answers() {
		if a.Env != nil {
			env = append(env, a.Env(p.env)...)
		}
	}
	return env
}

// told is the place with the variables that a check sets for itself.
func (p place) told(c checks.Script) place {
	p.env = slices.Concat(p.env, c.Env)
	return p
}

// unheard says what git was not believed when a script asked it.
func (p place) unheard(script string) string {
	if p.world != nil {
		return ""
	}
	return p.from.git.Note(script)
}

// stands says how a service stands where a witness looks. What is asked there next
// begins as if nobody had asked. Errors are the sandbox's.
func (p place) stands(ctx context.Context, s recipe.Service) (services.Report, error) {
	if p.world != nil {
		return services.Ask(ctx, p.world, s, p.env)
	}
	sb, err := p.from.take(ctx)
	if err != nil {
		return services.Report{}, err
	}
	r, err := services.Ask(ctx, sb, s, p.env)
	p.from.kept = sb
	return r, err
}
