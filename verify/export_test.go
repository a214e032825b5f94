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
func (c *Case) Foot() *footprint.Footprint { return c.foot }

// WithFoot is the case with another footprint; nil: nobody looks.
func (c *Case) WithFoot(foot *footprint.Footprint) *Case {
	out := *c
	out.foot = foot
	return &out
}

// Tests is what is learned of the tests, by check.
func (c *Case) Tests() *lessons.Store { return c.tests }

// Without has a witness taken away by take; nil: none.
func (c *Case) Without(take func(*witness.Bench)) { c.without = take }

// AsksGit tells whether git is kept from taking the contestant's word.
func (c *Case) AsksGit() bool { return c.git.asked }

// BelieveGit has the judge take a repository's word, and ask nothing as the referee.
func (c *Case) BelieveGit() { c.git, c.env = gitChecks{}, nil }

// Blame turns verdicts that can't be given into fails: see blame.
func (c *Case) Blame(ctx context.Context, sc Scene, vs []trial.Verdict) error {
	return c.blame(ctx, sc, vs)
}

// Witnesses are those to a scene, and what ends them.
func (c *Case) Witnesses(sc Scene, s *Start) (*witness.Bench, func() error) {
	return newBench(c, sc, s, &witness.Worlds{Open: sc.over(sandbox.Verify)})
}

// AgeFiles makes files old: see ageFiles.
const AgeFiles = ageFiles
