package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cookoff/hosts"
	"cookoff/internal/ui/text"
	"cookoff/runner/seats"
	"cookoff/sandbox"
)

// Looked is what was found of one host; keys of its JSON are only added. Times are in
// milliseconds.
type Looked struct {
	Name       string   `json:"host"`
	OK         bool     `json:"ok"`
	Error      string   `json:"error,omitempty"`
	Machine    string   `json:"machine,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Slots      int      `json:"slots,omitempty"`
	Processors int      `json:"processors,omitempty"`
	ReachedMS  float64  `json:"reached_ms,omitempty"` // a hand answered and a world was tried
	TripMS     float64  `json:"round_trip_ms,omitempty"`
	OpenMS     float64  `json:"open_ms,omitempty"`        // a world, once everything is there
	WorkMS     float64  `json:"calibration_ms,omitempty"` // what work takes that is the same everywhere
	AheadS     float64  `json:"clock_ahead_s,omitempty"`  // its clock, at least, in seconds; below zero: behind
	Tools      Versions `json:"tools,omitempty"`
}

// work keeps one processor busy, some hundredths of a second; the quickest of so many
// rounds counts, as other work of the machine only makes one slower.
const (
	work   = `i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done`
	rounds = 3
)

// Look reaches each host and measures it. The error is of the names; what is wrong with
// a host is in its line.
func Look(ctx context.Context, w Wanted, words []string) ([]Looked, error) {
	machines, err := w.machines(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Looked, len(machines))
	var all sync.WaitGroup
	for i, m := range machines {
		all.Go(func() { out[i] = w.look(ctx, m, words) })
	}
	all.Wait()
	return out, ctx.Err()
}

// look asks one machine what it is, measures how far away it is and how fast it opens
// sandboxes, and says what is wrong where it can not be used.
func (w Wanted) look(ctx context.Context, m *seats.Machine, words []string) Looked {
	l := Looked{Name: m.Name, Kind: m.Kind}
	begun := time.Now()
	if err := m.Backend.Check(ctx); err != nil {
		l.Error = text.Lines(err.Error())
		return l
	}
	l.ReachedMS = since(begun)
	if far, ok := m.Backend.(*hosts.Host); ok {
		about := far.About()
		l.Machine, l.Processors = text.Line(about.Machine), about.Processors
		l.Slots = m.Slots
		if l.Slots == 0 {
			l.Slots = about.Processors
		}
		l.TripMS = ms(far.RoundTrip())
		l.AheadS = aheadOf(m)
	} else {
		l.Slots, l.Processors = m.Slots, m.Slots
	}
	err := w.measure(ctx, m, &l)
	if err == nil {
		l.Tools, _, err = Probe(ctx, m.Backend, w.shown(m), words)
	}
	if l.OK = err == nil; !l.OK {
		l.Error = text.Lines(err.Error())
	}
	return l
}

// measure opens a world and has it work.
func (w Wanted) measure(ctx context.Context, m *seats.Machine, l *Looked) error {
	begun := time.Now()
	sb, err := m.Backend.Open(ctx, sandbox.Spec{})
	if err != nil {
		return err
	}
	l.OpenMS = since(begun)
	worked, err := calibrate(ctx, sb)
	l.WorkMS = ms(worked)
	return errors.Join(err, sb.Close())
}

// calibrate gives the time that work takes in a world.
func calibrate(ctx context.Context, sb sandbox.Sandbox) (best time.Duration, err error) {
	for i := range rounds {
		r, err := sb.Exec(ctx, sandbox.Cmd{Argv: []string{"bash", "--noprofile", "--norc", "-c", work}})
		if err == nil && r.Exit != 0 {
			err = fmt.Errorf("bash ended with %d: %s", r.Exit, r.Stderr)
		}
		if err != nil {
			return 0, err
		}
		if i == 0 || r.Duration < best {
			best = r.Duration
		}
	}
	return best, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func since(t time.Time) float64 { return ms(time.Since(t)) }

// Slow says which hosts take more than twice the time of the fastest one for the same
// work.
func Slow(all []Looked) (out []string) {
	best := 0.0
	for _, l := range all {
		if l.OK && l.WorkMS > 0 && (best == 0 || l.WorkMS < best) {
			best = l.WorkMS
		}
	}
	for _, l := range all {
		if l.OK && best > 0 && l.WorkMS > 2*best {
			out = append(out, fmt.Sprintf("%s takes %.1f times as long as the fastest for the same work", l.Name,
				l.WorkMS/best))
		}
	}
	return out
}
