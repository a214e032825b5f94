package candidate

import (
	"errors"
	"fmt"
	"slices"

	"cookoff/internal/history"
	"cookoff/internal/mine/refusal"
)

// What submodules and pointers of Git LFS stand for is not in the repository, nor in any world, before a commit and
// after it. Whether its tests need that is what a run of them shows: a commit may move a submodule, or have a new
// picture, beside what it mends.

// isSubmodule reports whether a change is of a submodule.
func isSubmodule(ch history.Change) bool {
	return ch.Was.Mode == history.ModeSubmodule || ch.Now.Mode == history.ModeSubmodule
}

// within gives the changes of files that are in the repository, and puts those of submodules outside.
func (c *Candidate) within(list []history.Change) []history.Change {
	if !slices.ContainsFunc(list, isSubmodule) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(ch history.Change) bool {
		if isSubmodule(ch) {
			c.Outside = append(c.Outside, ch)
		}
		return isSubmodule(ch)
	})
}

// points puts a change outside that is of a pointer, as an error says; other errors are given.
func (c *Candidate) points(ch history.Change, err error) error {
	if no, is := errors.AsType[*refusal.Error](err); is && no.Reason == refusal.Pointer {
		c.Outside = append(c.Outside, ch)
		return nil
	}
	return err
}

// outside is the error of a commit that changes too little in the repository, or whose tests fail without what is
// outside.
func (c *Candidate) outside(why string) error {
	ch := c.Outside[0]
	reason := refusal.Pointer
	if isSubmodule(ch) {
		reason = refusal.Submodule
	}
	if why != "" {
		why = fmt.Sprintf(", and with the fix in %s", why)
	}
	return refusal.New(reason, ch.Path+why)
}

// Explained gives the error with which a candidate is refused; where its tests fail with the fix in, which changes
// what is not in the repository, that is why.
func (c *Candidate) Explained(err error) error {
	no, is := errors.AsType[*refusal.Error](err)
	if !is || len(c.Outside) == 0 ||
		!slices.Contains([]refusal.Reason{refusal.FixedFails, refusal.FixedBuild, refusal.NoneRuns}, no.Reason) {
		return err
	}
	return c.outside(no.Error())
}
