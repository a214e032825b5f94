package door

import "cookoff/internal/host"

// Installed reports whether PATH has a program, or the project is to have it.
func Installed(program string) bool { return host.Installed(program) }
