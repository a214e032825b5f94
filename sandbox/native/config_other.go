//go:build !linux

package native

import "cookoff/sandbox/plan"

// socketBuffer is 0: what runs in containers here is counted by their kernel.
func socketBuffer() int64 { return 0 }

// apart is never asked for: only Linux has worlds with a root of their own.
func apart(plan.Plan) []string { return nil }
