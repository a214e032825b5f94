package guest

import (
	"runtime"
	"time"

	"cookoff/sandbox"
)

// How often the watch looks: while a call runs as often as what is free could be used
// up, and at times while only what was left running lives.
const (
	soonest   = 25 * time.Millisecond
	latest    = 100 * time.Millisecond
	idleEvery = 250 * time.Millisecond
)

// fillRate is how much memory programs may take in a second on one core, in bytes.
const fillRate = 2 << 30

// pause is how long the watch may look away while a call runs: held bytes of memory
// are in use, by so many processes.
func pause(l sandbox.Limits, held int64, processes int) time.Duration {
	if processes > l.Processes/4 {
		return soonest
	}
	free := max(0, l.Memory-held)
	filled := time.Duration(float64(free) / float64(fillRate*runtime.NumCPU()) * float64(time.Second))
	return min(max(filled, soonest), latest)
}

// How often what was written is measured while a call runs, and how many files programs may
// make in a second on one core.
const (
	diskSoonest = 100 * time.Millisecond
	diskLatest  = 250 * time.Millisecond
	makeRate    = 100_000
)

// diskPause is how long what is written may go unmeasured: bytes and files are in use.
func diskPause(l sandbox.Limits, bytes, files int64) time.Duration {
	full := min(float64(l.Disk-bytes)/fillRate, float64(int64(l.Files)-files)/makeRate) / float64(runtime.NumCPU())
	return min(max(time.Duration(full*float64(time.Second)), diskSoonest), diskLatest)
}
