package door

import (
	"context"

	"cookoff/internal/host"
)

// Installed reports whether PATH has a program, or the project is to have it.
func Installed(program string) bool { return host.Installed(program) }

// Environment is a virtual environment of the project that no sandbox can run.
type Environment struct {
	Dir  string // as .venv
	Said string // why, and in further lines what to do
}

// Unrunnable gives the project's virtual environments that no sandbox can run.
func (d *Door) Unrunnable(ctx context.Context) (out []Environment, err error) {
	h, err := d.Host()
	if err != nil || !h.ShowsFound(nil) {
		return nil, err
	}
	for _, t := range h.Chains(ctx, []string{}).Found {
		if t.Why != "" && host.IsVenv(t) {
			out = append(out, Environment{t.Name, host.NotShown(t)})
		}
	}
	return out, nil
}
