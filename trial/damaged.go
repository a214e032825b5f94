package trial

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"

	"cookoff/internal/pattern"
)

// schemaError says that a later cookoff wrote a journal.
type schemaError struct{ Schema, Version string }

func (e *schemaError) Error() string {
	return fmt.Sprintf("it was written as %q by cookoff %s, and this one reads %q\n"+
		"  hint: cookoff version says what you have; a newer one reads both", e.Schema, e.Version, Schema)
}

var schemaNumber = pattern.New(`^cookoff\.journal/(\d+)$`)

// known refuses the journal of a later version.
func known(e Event) error {
	if e.Kind != RunStarted || e.Run == nil {
		return nil
	}
	m := schemaNumber.FindStringSubmatch(e.Run.Schema)
	if m == nil {
		return nil
	}
	if n, err := strconv.Atoi(m[1]); err != nil || n > 1 {
		return &schemaError{e.Run.Schema, e.Run.Version}
	}
	return nil
}

// Damage is what of a journal can't be read.
type Damage struct {
	Lines    []int    // that are no events of this run
	Repeated []int    // lines that were there before
	Trials   []string // whose record has a gap, or events that contradict each other
}

// ReadDamaged is ReadFile of a journal with lines that are no events, are there
// twice or out of their place. It leaves lines out that were there before or are of
// another run; and of attempts whose record is not whole all but that they began and
// are void, and what its replies cost as far as it is told: nobody knows what is missing.
func ReadDamaged(path string, each func(Event) error) (Damage, error) {
	g := &gaps{
		lost: map[attemptKey]*lostAttempt{}, last: map[attemptKey]int{}, named: map[attemptKey]int{},
		left: map[int]bool{}, sums: map[attemptKey]map[int]uint64{}, seed: maphash.MakeSeed(),
	}
	if err := intact(path, g.line); err != nil {
		return g.damage, err
	}
	g.end()
	return g.damage, intact(path, func(n int, _ []byte, e *Event) error {
		if e == nil || g.left[n] {
			return nil
		}
		key := attemptKey{e.Trial, e.Attempt}
		if l := g.lost[key]; l != nil {
			return l.tell(e, g.order.plan, n == g.last[key], each)
		}
		return each(*e)
	})
}

// lostAttempt is an attempt whose record is not whole.
type lostAttempt struct {
	line    int // that told it
	steps   int // at least
	started bool
}

// tell gives what is left of an event of the attempt, and after the last one its end.
func (l *lostAttempt) tell(e *Event, plan map[string]Trial, last bool, each func(Event) error) error {
	t, planned := plan[e.Trial]
	if !planned {
		return nil
	}
	of := Event{Seq: e.Seq, At: e.At, Trial: e.Trial, Attempt: e.Attempt, Host: e.Host}
	var out []Event
	if !l.started {
		l.started = true
		begin := of
		begin.Kind, begin.Start = TrialStarted, &t
		out = append(out, begin)
	}
	if e.Kind == ModelReplied || e.Kind == GatewayServed { // they were paid for
		out = append(out, *e)
	}
	if last {
		end := of
		end.Kind, end.Outcome = TrialFinished, &Outcome{Status: Void, Cause: CauseInternal, Stop: StopBroken,
			Steps: l.steps, Detail: fmt.Sprintf("its record is damaged, at line %d of the journal", l.line)}
		out = append(out, end)
	}
	for _, e := range out {
		if err := each(e); err != nil {
			return err
		}
	}
	return nil
}

// mostLeft is how many lines of a journal may be left out.
const mostLeft = 100_000

// gaps finds the attempts whose record is not whole.
type gaps struct {
	order  order
	seed   maphash.Seed
	sums   map[attemptKey]map[int]uint64 // of the lines of an attempt, by their numbers
	lost   map[attemptKey]*lostAttempt
	last   map[attemptKey]int // lines
	named  map[attemptKey]int // by a line that is no event
	left   map[int]bool       // lines that are left out
	damage Damage
}

// line takes the next line; e is nil for one that is no event.
func (g *gaps) line(n int, line []byte, e *Event) error {
	if e == nil || e.Kind == "" {
		if err := g.leave(n); err != nil {
			return err
		}
		if m := trialOf.FindSubmatch(line); m != nil {
			attempt, _ := strconv.Atoi(string(m[2])) // the pattern has digits only
			g.named[attemptKey{string(m[1]), attempt}] = n
		}
		return nil
	}
	key := attemptKey{e.Trial, e.Attempt}
	sum, sums := maphash.Bytes(g.seed, line), g.sums[key]
	if before, ok := sums[e.Seq]; ok && e.Seq > 0 && before == sum {
		g.damage.Repeated = append(g.damage.Repeated, n)
		return g.leaveOut(n)
	}
	g.last[key] = n
	bad, _ := errors.AsType[*misplaced](g.order.add(e))
	switch {
	case bad == nil && e.Trial != "":
		if sums == nil {
			sums = map[int]uint64{}
			g.sums[key] = sums
		}
		sums[e.Seq] = sum
	case bad != nil && bad.trial:
		g.lose(key, n)
	case bad != nil:
		return g.leave(n)
	}
	return nil
}

// leave leaves out a line that is no event of this run.
func (g *gaps) leave(n int) error {
	g.damage.Lines = append(g.damage.Lines, n)
	return g.leaveOut(n)
}

// leaveOut leaves out a line, of which no journal that is worth its time has many.
func (g *gaps) leaveOut(n int) error {
	g.left[n] = true
	if len(g.left) > mostLeft {
		return fmt.Errorf("line %d: more than %d lines of it are no events, or were there before: it is no "+
			"journal of a run",
			n, mostLeft)
	}
	return nil
}

func (g *gaps) lose(key attemptKey, n int) {
	if _, known := g.lost[key]; !known {
		g.lost[key] = &lostAttempt{line: n, steps: 1}
		g.damage.Trials = append(g.damage.Trials, key.trial)
	}
}

// end loses the attempts that a line which is no event is named of, and whose end is
// not there: it may have been that.
func (g *gaps) end() {
	for _, key := range slices.SortedFunc(maps.Keys(g.named), func(a, b attemptKey) int {
		return cmp.Or(cmp.Compare(a.trial, b.trial), cmp.Compare(a.attempt, b.attempt))
	}) {
		if p := g.order.last[key]; p != nil && !p.ended {
			g.lose(key, g.named[key])
		}
	}
}

var trialOf = pattern.New(`"trial":"(t\d+)","attempt":(\d+)`)

// intact calls each with every line of a journal; e is nil for one that is no event.
// NULs, which a machine that lost its power leaves, are no part of a line.
func intact(path string, each func(n int, line []byte, e *Event) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := unbundled(f)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	lines := newLineReader(in)
	for n := 1; ; n++ {
		line, err := lines.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s: line %d: %w", path, n, err)
		}
		last := err != nil
		if clean := bytes.TrimSpace(bytes.Trim(line, "\x00")); len(clean) > 0 {
			e := new(Event)
			if json.Unmarshal(clean, e) != nil {
				e = nil
			} else if err := known(*e); err != nil {
				return fmt.Errorf("reading %s: %w", path, err)
			}
			if e != nil || !last { // a last line that was cut off stands for nothing
				if err := each(n, clean, e); err != nil {
					return err
				}
			}
		} else if bytes.ContainsRune(line, 0) {
			if err := each(n, nil, nil); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
}
