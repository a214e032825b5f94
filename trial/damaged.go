package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"cookoff/internal/pattern"
)

// SchemaError says that a later cookoff wrote a journal.
type SchemaError struct{ Schema, Version string }

func (e *SchemaError) Error() string {
	return fmt.Sprintf("it was written as %q by cookoff %s, and this one reads %q\n  hint: cookoff version says what you have; a newer one reads both", e.Schema, e.Version, Schema)
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
		return &SchemaError{e.Run.Schema, e.Run.Version}
	}
	return nil
}

// Damage is what of a journal can't be read.
type Damage struct {
	Lines  []int    // that are no events
	Trials []string // whose record has a gap there
}

// attemptKey names an attempt.
type attemptKey struct {
	trial   string
	attempt int
}

// ReadDamaged is ReadFile of a journal with lines that are no events. It leaves them
// out, and of the attempts whose numbering has a gap all but that they began and are
// void: nobody knows what is missing.
func ReadDamaged(path string, each func(Event) error) (Damage, error) {
	lost, damage, err := gaps(path)
	if err != nil {
		return damage, err
	}
	return damage, intact(path, func(_ int, _ []byte, e *Event) error {
		if e == nil {
			return nil
		}
		if at, ok := lost[attemptKey{e.Trial, e.Attempt}]; !ok || e.Trial == "" {
			return each(*e)
		} else if e.Kind != TrialStarted {
			return nil
		} else if err := each(*e); err != nil {
			return err
		} else {
			return each(Event{Seq: e.Seq + 1, Kind: TrialFinished, At: e.At, Trial: e.Trial, Attempt: e.Attempt,
				Outcome: &Outcome{
					Status: Void, Cause: CauseInternal, Stop: StopBroken,
					Detail: fmt.Sprintf("its record is damaged, before line %d of the journal", at)}})
		}
	})
}

// gaps finds the attempts whose events are not numbered without a gap, and the line
// after each.
func gaps(path string) (lost map[attemptKey]int, d Damage, err error) {
	lost = map[attemptKey]int{}
	last := map[attemptKey]int{}
	missing := func(key attemptKey, line int) {
		if _, known := lost[key]; !known {
			lost[key] = line
			d.Trials = append(d.Trials, key.trial)
		}
	}
	err = intact(path, func(n int, line []byte, e *Event) error {
		switch {
		case e == nil:
			d.Lines = append(d.Lines, n)
			if m := trialOf.FindSubmatch(line); m != nil {
				attempt, _ := strconv.Atoi(string(m[2])) // the pattern has digits only
				missing(attemptKey{string(m[1]), attempt}, n)
			}
		case e.Trial != "":
			key := attemptKey{e.Trial, e.Attempt}
			if e.Seq != last[key]+1 {
				missing(key, n)
			}
			last[key] = e.Seq
		}
		return nil
	})
	return lost, d, err
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
