//go:build !linux

package ceilings

// Find gives no ceilings: they are those of the machine that the worlds are on.
func Find(string, Trial) []Ceiling { return nil }
