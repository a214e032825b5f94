// Package faults says whose fault an error is.
package faults

import "fmt"

// Machine is an error that nobody who asked could have avoided: this machine, or
// a provider, lacks something. Any other error is one of what was asked for.
type Machine struct{ Err error }

// Of makes err one of the machine; nil stays nil.
func Of(err error) error {
	if err == nil {
		return nil
	}
	return &Machine{err}
}

// Machinef makes one of a text.
func Machinef(format string, args ...any) error { return &Machine{fmt.Errorf(format, args...)} }

func (m *Machine) Error() string { return m.Err.Error() }

// Unwrap gives the error itself.
func (m *Machine) Unwrap() error { return m.Err }
