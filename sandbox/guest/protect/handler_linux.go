//go:build amd64 || arm64

package protect

// nothing is a handler that returns at once. The runtime's own ends the process on what it was not told to handle.
//
//lint:ignore U1000 nothingAt gives it, in assembly
func nothing()

// nothingAt is where nothing begins.
func nothingAt() uint64
