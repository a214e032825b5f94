// Package control judges a check that held a second time, by the names of its tests:
// those that must pass did, and tests that are planted beside them do what they must.
package control
