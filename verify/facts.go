package verify

import (
	"context"
	"slices"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/footprint"
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

// stateFacts are what is known of a sealed state before its checks run.
type stateFacts struct {
	manifest    sandbox.Manifest
	changes     []tree.Change
	live        []trial.Verdict
	differences []footprint.Difference
}

// factsOf looks through a sealed state before its checks run.
func factsOf(ctx context.Context, c *Case, f *witness.Worlds, s *Start, live []trial.Verdict) (stateFacts, error) {
	facts := stateFacts{manifest: f.Final, changes: tree.Changes(s.Files, f.Final), live: live}
	if c.foot != nil {
		var err error
		if facts.differences, err = c.foot.Differences(ctx, f.Kept, &s.Start, f.Final); err != nil {
			return facts, err
		}
		footprint.MarkOutputs(facts.differences, outputs(c, s, nil))
		facts.differences = append(facts.differences, footprint.Opened(s.Modes, f.Modes)...)
	}
	var builds []sandbox.Item
	f.Settings, builds = c.substitutes().Of(s.kept, facts.changes, f.Final)
	f.Older = witness.OlderBuilds(builds, s.Files, f.Final)
	if c.foot != nil && !c.foot.Solved {
		f.Built = s.builtBy(f.Final)
		var err error
		if f.Moved, err = c.foot.MovedTests(ctx, f.Kept, &s.Start, f.Final); err != nil {
			return facts, err
		}
		f.Settings = slices.DeleteFunc(f.Settings, func(it sandbox.Item) bool {
			return it.Gone && slices.Contains(f.Moved, it.Path)
		})
	}
	if c.foot != nil && c.foot.Solved {
		f.Settings = append(f.Settings, c.foot.TakenBack(facts.differences, &s.Start)...)
	}
	if err := c.git.look(ctx, f, s, facts.changes); err != nil {
		return facts, err
	}
	if c.foot != nil && f.Git != nil {
		facts.differences = append(facts.differences, unflagged(f.Git)...)
	}
	return facts, nil
}
