package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/distrust/tools"
	"cookoff/verify/footprint"
	"cookoff/verify/tree"
	"cookoff/verify/verdict"
)

// Loop is what criteria need to know of a trial's loop.
type Loop struct {
	Answer     string         // the final text
	Tools      map[string]int // calls per tool
	ToolErrors int            // calls that failed or could not be made, commands that exited non-zero among them
	Wrote      int            // calls that may have changed files
	CostUSD    *float64       // nil: unknown
	Latency    time.Duration  // of the loop
	Live       []trial.Verdict
}

// Live runs the checks that judge processes and ports, in the trial's own
// world before it is sealed. A contestant's processes run beside them, so
// that their verdicts are weaker. Errors are the sandbox's.
func (c *Case) Live(ctx context.Context, sb sandbox.Sandbox, s *Start) ([]trial.Verdict, error) {
	p := place{world: sb, env: slices.Concat(trustedEnv(s.Path), c.env, c.told)}
	var vs []trial.Verdict
	for _, ch := range slices.Concat(c.Guard, c.After) {
		if !ch.Live {
			continue
		}
		v, err := s.script(ctx, p, ch)
		if err != nil {
			return vs, err
		}
		v.Strength = trial.StrengthLive
		vs = append(vs, byUser(v))
	}
	for _, b := range c.Blocks {
		if !b.Live {
			continue
		}
		v, err := s.block(ctx, p, b)
		if err != nil {
			return vs, err
		}
		vs = append(vs, byUser(v))
	}
	return vs, nil
}

// byUser marks the verdict of a live check: nobody else can be asked.
func byUser(v trial.Verdict) trial.Verdict {
	v.Witnesses = []trial.Testimony{{Witness: trial.User, Status: v.Status}}
	return v
}

// trustedEnv is what a check in the trial's own world runs under: system
// directories first on PATH, and nothing of the contestant's that configures
// the tools a check calls.
func trustedEnv(path string) []string {
	var system, own []string
	for _, dir := range strings.Split(path, ":") {
		switch {
		case dir == "":
		case strings.HasPrefix(dir, sandbox.HomeDir) || strings.HasPrefix(dir, sandbox.WorkDir) || !strings.HasPrefix(dir,
			"/"):
			own = append(own, dir)
		default:
			system = append(system, dir)
		}
	}
	return append([]string{"PATH=" + strings.Join(slices.Concat(system, own), ":")}, tools.Live()...)
}

// Judgement is what Judge finds.
type Judgement struct {
	Verdicts []trial.Verdict
	Changed  bool             // the final state differs from the start
	Final    sandbox.Manifest // of every file of the final state
	// SideEffects is what is new or changed beside a repair; nil: nothing.
	SideEffects *trial.SideEffects
	// Allow is what a task adds to allow what was held against the footprint;
	// "": nothing was, or no line allows it.
	Allow string
}

// judge gives the verdicts on a final state: guard, protect, after, verify, then
// the success criteria. Errors are the sandbox's.
func (c *Case) judge(ctx context.Context, sc Scene, s *Start, loop Loop) (j *Judgement, err error) {
	t, err := c.take(ctx, sc, s, loop.Live)
	if err != nil || t.no {
		return &Judgement{Verdicts: t.said, Changed: true, Final: t.final}, err
	}
	defer func() { err = errors.Join(err, t.done()) }()
	sc, s = t.Scene, t.start
	h, err := hear(ctx, c, sc, s, &fresh{}, t.live)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	loop.Live = h.facts.live
	vs, err := c.judgeState(ctx, h.bench, s, h.facts)
	if err != nil {
		return nil, err
	}
	vs = slices.Concat(t.said, vs)
	for _, cr := range c.Criteria {
		if h.hasty && verdict.Failing(vs) {
			break
		}
		v, err := c.criterion(ctx, h.bench, s, criterionFacts{cr, &loop, h.facts.manifest, h.facts.changes})
		if err != nil {
			return nil, err
		}
		if vs, err = s.controlled(ctx, h.bench, cr.Script(), append(vs, v)); err != nil {
			return nil, err
		}
	}
	if v := h.fresh.git.Verdict(); v != nil {
		vs = append(vs, *v)
	}
	if !verdict.Failing(vs) {
		v, err := h.undone(ctx, s, h.procs)
		if err != nil {
			return nil, err
		}
		if v != nil {
			vs = append(vs, *v)
		}
	}
	return judgement(c.foot, vs, h.facts), nil
}

// judgement is what verdicts on a state come to.
func judgement(foot *footprint.Footprint, vs []trial.Verdict, facts stateFacts) *Judgement {
	j := &Judgement{Verdicts: vs, Changed: len(facts.changes) > 0, Final: facts.manifest}
	if foot != nil {
		collateral, set, aside := foot.Judged(facts.deeds)
		j.SideEffects = foot.SideEffects(aside, facts.manifest)
		j.Allow = footprint.Proposal(slices.Concat(collateral, set)...)
	}
	return j
}

// facts looks through a sealed state before its checks run.
func (c *Case) facts(ctx context.Context, f *fresh, s *Start, live []trial.Verdict) (stateFacts, error) {
	facts := stateFacts{manifest: f.final, changes: tree.Changes(s.Files, f.final), live: live}
	if c.foot != nil {
		var err error
		if facts.deeds, err = c.foot.Deeds(ctx, f.kept, &s.Start, f.final); err != nil {
			return facts, err
		}
		facts.deeds = append(facts.deeds, footprint.Opened(s.Modes, f.modes)...)
	}
	f.settings = slices.Concat(s.distrusted(c.About(), facts.changes, f.final), c.standIns(s, f.final))
	if c.foot != nil && c.foot.Solved {
		f.settings = append(f.settings, c.foot.TakenBack(facts.deeds, &s.Start)...)
	}
	if err := c.git.look(ctx, f, s, facts.changes); err != nil {
		return facts, err
	}
	if c.foot != nil && f.git != nil {
		facts.deeds = append(facts.deeds, unflagged(f.git)...)
	}
	return facts, nil
}

// stateFacts are what is known of a sealed state before its checks run.
type stateFacts struct {
	manifest sandbox.Manifest
	changes  []tree.Change
	live     []trial.Verdict
	deeds    []footprint.Deed
}

// judgeState gives the verdicts of guard, protect, after and verify. In haste it
// ends with the first that does not hold.
func (c *Case) judgeState(ctx context.Context, b *bench, s *Start, f stateFacts) ([]trial.Verdict, error) {
	looked := c.looked(s, f)
	if b.hasty && verdict.Failing(looked) {
		return looked, nil
	}
	vs, err := c.served(ctx, b)
	if err != nil || b.hasty && verdict.Failing(vs) {
		return vs, err
	}
	for _, g := range c.Guard {
		v, err := b.script(ctx, s, g, f.live)
		if vs = append(vs, v); err != nil || b.hasty && verdict.Failing(vs) {
			return vs, err
		}
	}
	vs = append(vs, looked...)
	for _, a := range c.After {
		v, err := b.script(ctx, s, a, f.live)
		if err != nil {
			return nil, err
		}
		if vs, err = s.controlled(ctx, b, a, append(vs, v)); err != nil || b.hasty && verdict.Failing(vs) {
			return vs, err
		}
	}
	for _, bl := range c.Blocks {
		v, err := b.block(ctx, s, bl, f.live)
		if vs = append(vs, v); err != nil || b.hasty && verdict.Failing(vs) {
			return vs, err
		}
	}
	return vs, nil
}

// looked gives the verdicts for which nothing is run: of protected files and of
// the footprint.
func (c *Case) looked(s *Start, f stateFacts) []trial.Verdict {
	var vs []trial.Verdict
	if len(c.Protect) > 0 {
		vs = append(vs, protectVerdict("protect", c.Protect, f, s))
	}
	if c.foot != nil {
		collateral, set, _ := c.foot.Judged(f.deeds)
		vs = append(vs, footVerdicts(collateral, set)...)
	}
	return vs
}

// controlled adds the negative control of the last verdict, where the check
// held and there is one.
func (s *Start) controlled(ctx context.Context, b *bench, c checks.Script, vs []trial.Verdict) ([]trial.Verdict,
	error) {
	if b.once || c.Text == "" || c.Live || vs[len(vs)-1].Status != trial.Held {
		return vs, nil
	}
	more, err := s.control(ctx, *b.most(), c)
	if last := &vs[len(vs)-1]; len(more) == 0 && last.Strength == "" && s.tests.heldAtStart(c.Name) {
		last.Strength = trial.StrengthUnshown
	}
	return append(vs, more...), err
}

func (b *bench) script(ctx context.Context, s *Start, ch checks.Script, live []trial.Verdict) (trial.Verdict, error) {
	if ch.Live {
		return liveVerdict(ch.Name, ch.Kind, live), nil
	}
	return b.ask(ctx, func(ctx context.Context, p place) (trial.Verdict, error) { return s.script(ctx, p, ch) })
}

func (b *bench) block(ctx context.Context, s *Start, bl checks.Block, live []trial.Verdict) (trial.Verdict, error) {
	if bl.Live {
		return liveVerdict(bl.Name, trial.KindVerify, live), nil
	}
	return b.ask(ctx, func(ctx context.Context, p place) (trial.Verdict, error) { return s.block(ctx, p, bl) })
}

// liveVerdict finds what Live said of a check.
func liveVerdict(name string, kind trial.CheckKind, live []trial.Verdict) trial.Verdict {
	for _, v := range live {
		if v.Check == name {
			return v
		}
	}
	return trial.Verdict{Check: name, Kind: kind, Status: trial.Undecided, Strength: trial.StrengthLive,
		Detail: "the live check did not run"}
}

func protectVerdict(name string, globs []string, f stateFacts, s *Start) trial.Verdict {
	hit := tree.Protected(globs, f.changes, s.Files, f.manifest)
	if len(hit) == 0 {
		return trial.Verdict{Check: name, Kind: trial.KindProtect, Status: trial.Held}
	}
	return trial.Verdict{Check: name, Kind: trial.KindProtect, Status: trial.NotHeld,
		Detail: fmt.Sprintf("protected, but changed: %s", tree.Listed(hit))}
}
