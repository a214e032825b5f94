package trial

// Unsettled folds requests whose end nobody heard of: their process died, or was
// told to stop, while a provider worked on them. It takes the events of a run in
// their order, whole or outlined.
type Unsettled struct {
	// open has the most that each request under way costs, by trial and, of an agent's
	// requests, which may be several at once, by their numbers; that of a conversation is 0.
	open map[string]map[int]*float64
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
	case e.Kind == Note && e.Note != nil && e.Note.Kind == NotePanic: // nobody heard the answer
		u.lose(e.Trial)
	case e.Kind == ModelCalled && e.Called != nil:
		u.begin(e.Trial, e.Called)
	case e.Kind == GatewayServed && e.Request != nil:
		delete(u.open[e.Trial], e.Request.N)
	case e.Kind == TrialFinished && (e.Outcome == nil || e.Outcome.Cause != CauseCancelled):
		delete(u.open, e.Trial)
	case e.Kind == TrialStarted, e.Kind == TrialResumed, e.Kind == TrialFinished && e.Outcome != nil &&
		e.Outcome.Cause == CauseCancelled:
		u.lose(e.Trial)
	default:
		delete(u.open[e.Trial], 0)
	}
	return nil
}

func (u *Unsettled) begin(trial string, c *Called) {
	if u.open == nil {
		u.open = map[string]map[int]*float64{}
	}
	if u.open[trial] == nil {
		u.open[trial] = map[int]*float64{}
	}
	u.open[trial][c.Request] = c.MostUSD
}

// End says that nothing of what is under way goes on.
func (u *Unsettled) End() {
	for id := range u.open {
		u.lose(id)
	}
}

func (u *Unsettled) lose(id string) {
	b := Bound{}
	for _, most := range u.open[id] {
		b.Requests++
		if most != nil {
			b.USD += *most
		} else {
			b.Unknown++
		}
	}
	delete(u.open, id)
	if b.Requests == 0 {
		return
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
