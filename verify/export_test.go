package verify

import (
	"context"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/footprint"
	"cookoff/verify/lessons"
	"cookoff/verify/witness"
)

// What the tests of this folder, which are beside the package for the sake of their bench,
// reach of it.

// Foot is what a repair may touch.
func Foot(c *Case) *footprint.Footprint { return c.foot }

// WithFoot is the case with another footprint; nil: nobody looks.
func WithFoot(c *Case, foot *footprint.Footprint) *Case {
	out := *c
	out.foot = foot
	return &out
}

// Tests is what is learned of the tests, by check.
func Tests(c *Case) *lessons.Store { return c.tests }

// Without has a witness taken away by take; nil: none.
func Without(c *Case, take func(*witness.Bench)) { c.without = take }

// AsksGit tells whether git is kept from taking the contestant's word.
func AsksGit(c *Case) bool { return c.git.asked }

// BelieveGit has the judge take a repository's word, and ask nothing as the referee.
func BelieveGit(c *Case) { c.git, c.env = gitChecks{}, nil }

// Blame turns verdicts that can't be given into fails: see blame.
func Blame(ctx context.Context, c *Case, sc Scene, vs []trial.Verdict) error {
	return c.blame(ctx, sc, vs)
}

// Witnesses are those to a scene, and what ends them.
func Witnesses(c *Case, sc Scene, s *Start) (*witness.Bench, func() error) {
	return newBench(c, sc, s, &witness.Worlds{Open: sc.over(sandbox.Verify)})
}
