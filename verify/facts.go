package verify

import (
	"context"
	"slices"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/footprint"
	"cookoff/verify/tree"
)

// stateFacts are what is known of a sealed state before its checks run.
type stateFacts struct {
	manifest sandbox.Manifest
	changes  []tree.Change
	live     []trial.Verdict
	deeds    []footprint.Deed
}

// factsOf looks through a sealed state before its checks run.
func factsOf(ctx context.Context, c *Case, f *fresh, s *Start, live []trial.Verdict) (stateFacts, error) {
	facts := stateFacts{manifest: f.final, changes: tree.Changes(s.Files, f.final), live: live}
	if c.foot != nil {
		var err error
		if facts.deeds, err = c.foot.Deeds(ctx, f.kept, &s.Start, f.final); err != nil {
			return facts, err
		}
		facts.deeds = append(facts.deeds, footprint.Opened(s.Modes, f.modes)...)
	}
	f.settings = slices.Concat(s.distrusted(c.About(), facts.changes, f.final), c.substitutes().standIns(s, f.final))
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
