package cookoff

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"cookoff/internal/faults"
	"cookoff/internal/host"
	"cookoff/report/forecast"
	"cookoff/trial"
)

// maxLearned and maxLearnedBytes bound from how many of the latest runs of the
// project a forecast learns: it is made before each run that costs money.
const (
	maxLearned      = 20
	maxLearnedBytes = 64 << 20
)

// Forecast says what a run will probably take, from the latest runs of the
// project and the prices of today.
func (c *Comparison) Forecast() (forecast.Forecast, error) {
	plan := forecast.Plan{
		Recipe: c.prep.recipe.Name, Trials: c.prep.runner.Left(), Prices: c.prep.env.Prices, Behind: c.prep.recipe.Behind,
		Parallel: c.prep.env.Parallel, MaxSteps: map[string]int{},
		TrialMost: c.prep.recipe.Constraints.MaxCost, RunMost: c.prep.env.MaxCost, Attempts: c.prep.env.Retries + 1,
	}
	for _, t := range c.prep.recipe.Tasks {
		plan.MaxSteps[t.Name()] = c.prep.recipe.Constraints.MaxSteps
		if t.MaxSteps != nil {
			plan.MaxSteps[t.Name()] = *t.MaxSteps
		}
	}
	ids, err := trial.Runs(c.prep.opt.Dir)
	if err != nil {
		return forecast.Forecast{}, faults.Of(err)
	}
	var h forecast.History
	room := int64(maxLearnedBytes)
	slices.Reverse(ids)
	for _, id := range ids[:min(len(ids), maxLearned)] {
		path, err := trial.FindRun(c.prep.opt.Dir, id)
		if err == nil {
			if st, err := os.Stat(path); err == nil {
				room -= st.Size()
			}
			if room < 0 {
				break
			}
			h.Next()
			_, err = trial.OutlineFile(path, h.Emit)
		}
		if err != nil {
			c.prep.opt.Notify(Notice{Text: fmt.Sprintf("nothing is learned from run %s: %v", id, err),
				Warning: true, Detail: true})
		}
	}
	return h.Of(plan), nil
}

// ConfirmCost says what a run will probably cost, and asks before one that may cost more
// than the user wants to spend without being asked: confirm_above_usd of the
// configuration. It does nothing the second time.
func (c *Comparison) ConfirmCost(ctx context.Context) error {
	paid := func(name string) bool { return !strings.HasPrefix(c.prep.recipe.Behind(name), "baseline/") }
	if c.agreed || c.prep.opt.Replay != nil || !slices.ContainsFunc(c.prep.recipe.Names(), paid) {
		return nil
	}
	f, err := c.Forecast()
	if err != nil {
		return err
	}
	if c.prep.confirm != nil && !within(f, *c.prep.confirm) {
		if err := c.prep.opt.agree(ctx, &CostQuestion{Above: *c.prep.confirm, Forecast: f}); err != nil {
			return err
		}
	}
	if f.USD != nil && *f.USD > 0 && (c.prep.confirm == nil || within(f, *c.prep.confirm)) {
		c.prep.opt.Notify(Notice{Kind: host.Cost, Text: probably(f)})
	}
	c.agreed = true
	return nil
}
