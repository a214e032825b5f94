// Package distrust says, of each program that checks call, what may hijack a
// check through it and how the referee answers. A further program is one file
// with one type, and a line in package tools.
package distrust

import "cookoff/sandbox"

// Tool is a program that a check may call, and that obeys files which a
// contestant may have written.
type Tool interface {
	// Env are variables, NAME=VALUE, of checks over a sealed state: with them the
	// tool obeys no setting of the project that decides a check.
	Env() []string
	// Live are further variables of checks in the trial's own world, whose HOME
	// and rc files are the contestant's.
	Live() []string
	// Over answers what a state with these files asks for beside that.
	Over(final sandbox.Manifest) Answer
	// Fronts are what the tool looks at before the file that says what it does.
	Fronts() []Front
}

// Answer is how checks over one state are asked. Its zero value asks them as
// they stand.
type Answer struct {
	// Env gives variables of a check that hears said already; nil: none.
	Env func(said []string) []string
	// Script gives the text of a check as it is run; nil: as it stands.
	Script func(text string) string
	// Files are put into the world before a check, by absolute path.
	Files map[string]string
}

// None is a Tool that nothing is known of. Others embed it for what they have no
// answer to.
type None struct{}

// Env gives nothing.
func (None) Env() []string { return nil }

// Live gives nothing.
func (None) Live() []string { return nil }

// Over gives nothing.
func (None) Over(sandbox.Manifest) Answer { return Answer{} }

// Fronts gives nothing.
func (None) Fronts() []Front { return nil }
