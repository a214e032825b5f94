package decide

import "math"

// purse is what a run may spend, and what trials of its contestants have cost.
type purse struct {
	limit float64 // USD; 0: any
	spent float64 // as far as it is known
	costs []cost  // by contestant
}

// cost is the sum over the trials of a contestant that were judged.
type cost struct {
	trials  int
	usd     float64
	squares float64
	some    bool // are of unknown cost
}

// enough is how many trials must have ended before what they cost is gone by.
const enough = 3

// cheap is what a trial of a contestant costs at least in the mean, as far as anybody can say:
// two standard errors less than those up to now did, but no less than half. 0: nobody knows.
func (p *purse) cheap(m int) float64 {
	c := p.costs[m]
	if c.some || c.trials < enough {
		return 0
	}
	n := float64(c.trials)
	mean := c.usd / n
	deviation := math.Sqrt(max(c.squares/n-mean*mean, 0) * n / (n - 1))
	return max(mean/2, mean-2*deviation/math.Sqrt(n))
}

// Cost takes in what an attempt of a model has cost, in USD; nil: nobody knows. Judged says
// that it passed or failed. Of models that are not in the plan it is money that is spent.
func (e *Evidence) Cost(model string, usd *float64, judged bool) {
	m, known := e.models[model]
	if usd != nil {
		e.purse.spent += *usd
	}
	if !known || !judged {
		return
	}
	c := &e.purse.costs[m]
	if usd == nil {
		c.some = true
		return
	}
	c.trials++
	c.usd += *usd
	c.squares += *usd * *usd
}

// within gives how many tasks, from a place of the plan on, both of a pair can be tried on r
// times for the money that is left, even if each trial is cheap; at most rest.
func (e *Evidence) within(p *pair, r, rest int) int {
	a, b := e.purse.cheap(p.a), e.purse.cheap(p.b)
	if e.purse.limit == 0 || a+b == 0 {
		return rest
	}
	left := e.purse.limit - e.purse.spent
	from := len(e.plan.Tasks) - rest
	for t := range rest {
		left -= float64(e.missing(p.a, from+t, r))*a + float64(e.missing(p.b, from+t, r))*b
		if left < 0 {
			return t
		}
	}
	return rest
}

// missing is how many of the first r trials of a task have not ended.
func (e *Evidence) missing(model, task, r int) (n int) {
	for _, got := range e.results[model][task][:r] {
		if got == pending {
			n++
		}
	}
	return n
}
