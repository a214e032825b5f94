package cli

import "runtime"

// Parallel is how much this machine does at once where nobody says.
func Parallel() int { return max(1, min(runtime.NumCPU(), 8)) }
