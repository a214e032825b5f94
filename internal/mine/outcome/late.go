package outcome

import (
	"slices"

	"cookoff/internal/pattern"
)

// goLate is how Go says that a run took longer than its own limit.
var goLate = pattern.New(`(?m)^panic: test timed out after`)

// avaLate is where ava's TAP breaks off as soon as a test does not end in the time that ava gives it.
var avaLate = pattern.New(`at TapReporter\.writeTimeout `)

// Late reports whether a run of tests did not end in time, by its limit or by that of its runner.
func (o *Outcome) Late() bool {
	return o.Reason == "timeout" || !o.OK() && (o.Runner == "go test" && goLate.MatchString(o.plain()) ||
		o.Runner == "ava" && avaLate.MatchString(o.plain()))
}

// noMemory is how Node and Go say that there is no memory left for them.
var noMemory = pattern.New(`(?m)JavaScript heap out of memory|` +
	`^fatal error: (runtime: )?(out of memory|cannot allocate memory)`)

// Grown reports whether a run of tests was ended for the memory that it took.
func (o *Outcome) Grown() bool {
	return o.Reason == "memory" || !o.OK() && noMemory.MatchString(o.plain())
}

// Fail has tests failed, whatever else is said of them.
func (o *Outcome) Fail(names []string) {
	o.Failed = slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.Failed, names))))
	o.Passed = slices.DeleteFunc(o.Passed, func(n string) bool { return slices.Contains(names, n) })
}
