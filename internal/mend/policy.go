// Package mend repairs the user's own machine: it looks with the probes, lets
// the matcher choose, runs what the class of a fix allows, and looks again.
package mend

import (
	"slices"

	"cookoff/tools/repair"
)

// Decision is what is done with a fix of a class.
type Decision string

// A fix is run, asked about, refused, or only shown.
const (
	Run    Decision = "run"
	Ask    Decision = "ask"
	Refuse Decision = "refuse"
	Print  Decision = "print"
)

// Consent is what the user has agreed to beforehand.
type Consent struct {
	Terminal bool // somebody can be asked
	Yes      bool // --yes
	Include  []repair.Class
}

// Decide is the whole policy.
//
//	class        interactive  headless  --yes       --yes --include=CLASS
//	safe         run          run       run         run
//	shared       ask          refuse    ask         run
//	destructive  ask          refuse    ask         ask
//	privileged   print        print     print       print
//
// Asking without a terminal is refusing.
func (c Consent) Decide(class repair.Class) Decision {
	switch class {
	case repair.Safe:
		return Run
	case repair.Privileged:
		return Print
	case repair.Shared:
		if c.Yes && slices.Contains(c.Include, class) {
			return Run
		}
	}
	if c.Terminal {
		return Ask
	}
	return Refuse
}
