package trial

// Sink takes events. Emit is a plain synchronous call; an error means that the
// record can't be kept, and ends the run.
type Sink interface{ Emit(Event) error }

// Syncer is a Sink whose events can be put where they survive the machine.
type Syncer interface {
	Sink
	// Sync returns once all that was emitted before is there.
	Sync() error
}

// Sync syncs a sink that can be; any other is left alone.
func Sync(s Sink) error {
	if d, ok := s.(Syncer); ok {
		return d.Sync()
	}
	return nil
}

// SinkFunc makes a function a Sink.
type SinkFunc func(Event) error

// Emit calls f.
func (f SinkFunc) Emit(e Event) error { return f(e) }

// Tee gives every event to each sink in turn, the journal first; it stops at
// the first error.
func Tee(sinks ...Sink) Sink { return tee(sinks) }

type tee []Sink

func (t tee) Emit(e Event) error {
	for _, s := range t {
		if err := s.Emit(e); err != nil {
			return err
		}
	}
	return nil
}

func (t tee) Sync() error {
	for _, s := range t {
		if err := Sync(s); err != nil {
			return err
		}
	}
	return nil
}
