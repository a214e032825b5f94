package verify

import (
	"context"
	"errors"
	"slices"

	"cookoff/verify/footprint"
)

// holding gives the deeds of processes that were left. Who holds open what was to be mended, and does so as well where
// nothing but the services was started, is one of these: their files are looked after while they run. That is asked
// of a fresh world, as a contestant can say of anything that it is a service. Errors are the sandbox's.
func (j *judging) holding(ctx context.Context) ([]footprint.Deed, error) {
	c, f, left := j.Case, j.Worlds, j.procs
	holds := func(p footprint.Process) bool { return len(c.foot.Holds(p)) > 0 }
	if f.Serve == nil || !slices.ContainsFunc(left, holds) {
		return c.foot.Holding(left), nil
	}
	sb, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	if f.Laid != nil {
		err = sb.FS().Unpack(ctx, f.Laid)
	}
	if err == nil {
		_, err = f.Serve(ctx, sb, false)
	}
	var services []footprint.Process
	if err == nil {
		services, err = j.start.Left(ctx, sb, trustedEnv(j.start.Path))
	}
	if err = errors.Join(err, sb.Close()); err != nil {
		return nil, err
	}
	serves := func(p footprint.Process) bool {
		return slices.ContainsFunc(services, func(q footprint.Process) bool {
			return footprint.SameProgram(p, q) && slices.Equal(c.foot.Holds(p), c.foot.Holds(q))
		})
	}
	return c.foot.Holding(slices.DeleteFunc(slices.Clone(left), func(p footprint.Process) bool {
		return holds(p) && serves(p)
	})), nil
}
