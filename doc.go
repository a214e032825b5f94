// Package cookoff holds the tests of the module as a whole. The program is in
// cmd/cookoff.
package cookoff
