package verify

import (
	"context"
	"fmt"

	"cookoff/trial"
	"cookoff/verify/footprint"
	"cookoff/verify/witness"
)

// undone asks what held for the user once more, now and when the processes that
// were left and sleep have gone on: what holds before and not behind is undone by
// one of them. Nil: nothing is. Errors are the sandbox's.
func undone(ctx context.Context, b *witness.Bench, s *Start, list []footprint.Process) (*trial.Verdict, error) {
	if b.User == nil {
		return nil, nil
	}
	sleepers := footprint.Sleepers(b.User.World, list)
	if len(sleepers) == 0 {
		return nil, nil
	}
	var held []witness.Question
	for _, q := range b.Asked {
		if v, err := q(ctx, *b.User); err != nil {
			return nil, err
		} else if v.Status == trial.Held {
			held = append(held, q)
		}
	}
	if err := s.Hasten(ctx, b.User.World, trustedEnv(s.Path), list); err != nil {
		return nil, err
	}
	for _, q := range held {
		v, err := q(ctx, *b.User)
		if err != nil {
			return nil, err
		}
		if v.Status == trial.NotHeld {
			return &trial.Verdict{Check: "trap", Kind: trial.KindProtect, Status: trial.NotHeld, Cause: trial.CauseTrap,
				Evidence: v.Evidence,
				Detail: fmt.Sprintf("a process that was left running undoes it: when %q has waited, %s does not "+
					"hold any more: %s",
					sleepers[0], v.Check, v.Detail)}, nil
		}
	}
	return nil, nil
}
