package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff/verify/needs"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/distrust"
	"cookoff/verify/distrust/tools"
	"cookoff/verify/lint"
	"cookoff/verify/printed"
	"cookoff/verify/tree"
	"cookoff/verify/versions"
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

// script judges by exit status.
func (s *Start) script(ctx context.Context, p place, c checks.Script) (trial.Verdict, error) {
	v := trial.Verdict{Check: c.Name, Kind: c.Kind}
	p = p.told(c)
	err := p.in(ctx, c.Name, func(sb sandbox.Sandbox) error {
		res, err := p.run(ctx, sb, c.Text, c.Timeout)
		if err != nil {
			return err
		}
		v.Evidence = evidence(c.Text, res)
		switch {
		case res.OK():
			v.Status = trial.Held
			return p.untouched(ctx, sb, &v)
		case res.Exit == cantTell && res.Signal == "":
			v.Status, v.Detail = trial.Undecided, verdictText(res, c.Timeout)+": it can't tell"+p.unheard(c.Text)
			return nil
		case res.Exit == 127 && res.Signal == "":
			gone, err := s.unfair(ctx, sb, c.Text, p.env)
			if err != nil || gone != "" {
				v.Status, v.Detail = trial.Undecided, gone
				return err
			}
		}
		v.Status, v.Detail = trial.NotHeld, verdictText(res, c.Timeout)+p.unheard(c.Text)
		return nil
	})
	return v, err
}

// cantTell is the exit status of a script that can't judge, as for git bisect run.
const cantTell = 125

// verdictText says why a command did not hold.
func verdictText(res sandbox.Result, limit time.Duration) string {
	if res.Reason == "timeout" {
		return fmt.Sprintf("timeout after %s", limit)
	}
	return printed.Ended(res)
}

func evidence(command string, res sandbox.Result) *trial.Evidence {
	return &trial.Evidence{
		Command: text.Lines(strings.TrimSpace(command)), Exit: res.Exit, Signal: res.Signal, Reason: res.Reason,
		Tail: printed.LastLines(printed.Tail(res.Stdout)), Stderr: printed.LastLines(printed.Tail(res.Stderr)),
		Seconds: res.Duration.Seconds(),
	}
}

// unfair says which tool a check lacks through nobody's doing: it was not
// there at the start either, and nothing in the task shows that the check can
// ever hold on this machine. "" means that the failure counts.
func (s *Start) unfair(ctx context.Context, sb sandbox.Sandbox, text string, env []string) (string, error) {
	var lacked []string
	for _, n := range shell.Programs(text) {
		if slices.Contains(s.missing, n) {
			lacked = append(lacked, n)
		}
	}
	still, err := needs.Missing(ctx, sb, lacked, env)
	if err != nil || len(still) == 0 {
		return "", err
	}
	return fmt.Sprintf("%q is not there, neither at the start nor at the end: the check can't hold on this machine",
		still[0]), nil
}

// block judges a verify block: its binary, then each command and its patterns.
func (s *Start) block(ctx context.Context, p place, b checks.Block) (trial.Verdict, error) {
	v := trial.Verdict{Check: b.Name, Kind: trial.KindVerify, Strength: b.Strength(), Status: trial.Held,
		Evidence: &trial.Evidence{}}
	asked := s.Versions[b.Name]
	version := asked
	if b.Mode == lint.ModeVersion {
		var err error
		if version, err = versions.Transform(b.Format, asked); err != nil {
			v.Status, v.Detail, v.Evidence = trial.Undecided, err.Error(), nil
			return v, nil
		}
	}
	if b.Binary != "" {
		if err := lookup(ctx, p, b, &v); err != nil || v.Status != trial.Held {
			return v, err
		}
	}
	binary, first := v.Evidence.Binary, (*trial.Evidence)(nil)
	for _, cmd := range b.Commands {
		if err := s.command(ctx, p, b, cmd, version, &v); err != nil {
			return v, err
		}
		v.Evidence.Binary = binary
		if b.Mode == lint.ModeVersion {
			v.Evidence.Version = asked
			if version != asked {
				v.Evidence.Version += " -> " + version
			}
		}
		if v.Status != trial.Held {
			return v, nil
		}
		if first == nil {
			first = v.Evidence
		}
	}
	v.Evidence = first // of the block's own command, when all hold
	return v, nil
}

// command judges one command of a block into v.
func (s *Start) command(ctx context.Context, p place, b checks.Block, cmd checks.Command, version string,
	v *trial.Verdict) error {
	return p.in(ctx, b.Name, func(sb sandbox.Sandbox) error {
		res, err := p.run(ctx, sb, cmd.Text, b.Timeout)
		if err != nil {
			return err
		}
		v.Evidence = evidence(cmd.Text, res)
		if res.Exit == 127 && cmd.Exit != 127 && res.Signal == "" {
			gone, err := s.unfair(ctx, sb, cmd.Text, p.env)
			if err != nil || gone != "" {
				v.Status, v.Detail = trial.Undecided, gone
				return err
			}
		}
		v.Status, v.Detail = trial.Held, ""
		if res.Reason != "" || res.Signal != "" || res.Exit != cmd.Exit {
			v.Status, v.Detail = trial.NotHeld, verdictText(res, b.Timeout)
			if cmd.Exit != 0 {
				v.Detail += fmt.Sprintf(" (exit_code = %d)", cmd.Exit)
			}
			return nil
		}
		if match(cmd, res, b.Mode, version, v); v.Status != trial.Held {
			return nil
		}
		return p.untouched(ctx, sb, v)
	})
}

// match looks for every pattern in the stream that was asked for.
func match(cmd checks.Command, res sandbox.Result, mode, version string, v *trial.Verdict) {
	out := res.Stdout
	switch cmd.Stream {
	case lint.StreamStderr:
		out = res.Stderr
	case lint.StreamBoth:
		out = slices.Concat(res.Stdout, []byte("\n"), res.Stderr)
	}
	var texts []string
	for _, pat := range cmd.Patterns {
		want := versions.Expanded{Text: pat}
		if mode == lint.ModeVersion {
			want = versions.Expand(pat, version)
		}
		texts = append(texts, want.Text)
		if v.Status != trial.Held {
			continue
		}
		if found, near := want.In(string(out)); !found {
			v.Status, v.Detail = trial.NotHeld, fmt.Sprintf("%q is not in %s", want.Text, cmd.Stream)
			if near {
				v.Detail = fmt.Sprintf("%q is in %s only as part of another version", want.Text, cmd.Stream)
			}
		}
	}
	v.Evidence.Pattern, v.Evidence.Tail = strings.Join(texts, "\n"), printed.Tail(out)
}

// lookup judges a block's binary: what PATH resolves it to, by its real path.
func lookup(ctx context.Context, p place, b checks.Block, v *trial.Verdict) error {
	name, err := syntax.Quote(b.Binary, syntax.LangBash)
	if err != nil {
		v.Status, v.Detail = trial.Undecided, err.Error()
		return nil
	}
	script := `p=$(type -P -- ` + name + `) && [ -f "$p" ] && [ -x "$p" ] && readlink -f -- "$p"`
	return p.in(ctx, b.Name, func(sb sandbox.Sandbox) error {
		res, err := sb.Exec(ctx, sandbox.Cmd{Script: script, Env: p.env, Timeout: b.Timeout})
		if err != nil {
			return err
		}
		if v.Evidence = evidence("type -P "+b.Binary, res); !res.OK() {
			v.Status, v.Detail = trial.NotHeld, fmt.Sprintf("PATH finds no executable %q", b.Binary)
			return nil
		}
		v.Evidence.Binary = text.Visible(strings.TrimSuffix(string(res.Stdout), "\n"))
		return nil
	})
}
