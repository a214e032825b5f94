package trial

// Unsettled folds requests whose end nobody heard of: their process died, or was
// told to stop, while a provider worked on them. It takes the events of a run in
// their order, whole or outlined.
type Unsettled struct {
	open map[string]*float64 // by trial: the most that the request under way costs
	of   map[string]Bound
}

// Bound is what such requests may have cost.
type Bound struct {
	Requests int
	USD      float64 // at most, where that is known
	Unknown  int     // requests of which nobody knows
}

// Add adds up two bounds.
func (b Bound) Add(c Bound) Bound {
	return Bound{b.Requests + c.Requests, b.USD + c.USD, b.Unknown + c.Unknown}
}

// Emit takes an event. It never fails.
func (u *Unsettled) Emit(e Event) error {
	switch {
	case e.Kind == RunStarted:
		u.End()
	case e.Trial == "":
	case e.Kind == ModelCalled && e.Called != nil:
		if u.open == nil {
			u.open = map[string]*float64{}
		}
		u.open[e.Trial] = e.Called.MostUSD
	case e.Kind == TrialStarted, e.Kind == TrialResumed, e.Kind == TrialFinished && e.Outcome != nil && e.Outcome.Cause == CauseCancelled:
		u.lose(e.Trial)
	default:
		delete(u.open, e.Trial)
	}
	return nil
}

// End says that nothing of what is under way goes on.
func (u *Unsettled) End() {
	for id := range u.open {
		u.lose(id)
	}
}

func (u *Unsettled) lose(id string) {
	most, ok := u.open[id]
	if !ok {
		return
	}
	delete(u.open, id)
	b := Bound{Requests: 1}
	if most != nil {
		b.USD = *most
	} else {
		b.Unknown = 1
	}
	if u.of == nil {
		u.of = map[string]Bound{}
	}
	u.of[id] = u.of[id].Add(b)
}

// Of gives what was lost of a trial.
func (u *Unsettled) Of(trial string) Bound { return u.of[trial] }

// All gives what was lost of all trials.
func (u *Unsettled) All() (sum Bound) {
	for _, b := range u.of {
		sum = sum.Add(b)
	}
	return sum
}
