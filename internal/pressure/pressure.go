// Package pressure reads how busy this machine is, from Linux's pressure stall
// information.
package pressure

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"cookoff/trial"
)

// files hold it: the line "some" counts the microseconds in which something waited.
var files = [2]string{"/proc/pressure/cpu", "/proc/pressure/memory"}

// Meter begins to measure, and gives what ends that: the pressure since, or nil
// where the machine does not say. It is safe for concurrent use.
func Meter() func() *trial.Pressure { return meter(files, time.Now) }

// meter begins to measure. The function that it gives says which share of the time since
// then (0 to 1) something had to wait for the processor and for memory, as the two files
// say; nil: this is not known.
func meter(files [2]string, now func() time.Time) func() *trial.Pressure {
	var from [2]time.Duration
	began := now()
	for i, name := range files {
		stalled, ok := stalls(name)
		if !ok {
			return func() *trial.Pressure { return nil }
		}
		from[i] = stalled
	}
	return func() *trial.Pressure {
		took := now().Sub(began)
		if took <= 0 {
			return nil
		}
		var share [2]float64
		for i, name := range files {
			stalled, ok := stalls(name)
			if !ok {
				return nil
			}
			share[i] = min(max(float64(stalled-from[i])/float64(took), 0), 1)
		}
		return &trial.Pressure{CPU: share[0], Memory: share[1]}
	}
}

// stalls gives for how long something has waited since the machine was started.
func stalls(file string) (time.Duration, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	var avg10, avg60, avg300 float64
	var us int64
	if _, err := fmt.Sscanf(string(line), "some avg10=%g avg60=%g avg300=%g total=%d", &avg10, &avg60, &avg300,
		&us); err != nil {
		return 0, false
	}
	return time.Duration(us) * time.Microsecond, true
}
