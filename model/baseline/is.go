package baseline

import "strings"

// Is reports whether the id of a model names a baseline.
func Is(id string) bool { return strings.HasPrefix(id, "baseline/") }
