package remote

import (
	"context"
	"os"
	"runtime"
	"strconv"

	"cookoff/hosts"
	"cookoff/hosts/engine"
	"cookoff/hosts/program"
	"cookoff/internal/config"
	"cookoff/runner/seats"
)

// isEngine reports whether a name means the machines of an engine.
func isEngine(name string) bool {
	_, _, ok := engine.Cut(name)
	return ok
}

// machines are those that are wanted. What was taken to have them is given back in the
// end.
func (w Wanted) machines(ctx context.Context) ([]*seats.Machine, error) {
	named, err := Named(w.Host.Config, w.Names)
	if err != nil {
		return nil, err
	}
	hello, err := Hello()
	if err != nil {
		return nil, err
	}
	files, env := &hosts.Trees{}, hosts.Environment(os.Environ(), w.Host.Config.Secrets())
	copied := &program.Program{Path: thisProgram(), Build: hello.Build}
	var out []*seats.Machine
	for _, name := range w.Names {
		c := named[name]
		if name == hosts.Local {
			out = append(out, &seats.Machine{Name: name, Slots: runtime.GOMAXPROCS(0), Backend: w.Local, Local: true})
			continue
		}
		places, err := w.places(ctx, name, c, env)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			dial := hosts.Command
			if w.CopySelf || c.CopySelf {
				dial = copied.Command
			}
			h := &hosts.Host{Name: p.Name, Hello: hello, Trees: files, Setup: w.setup(c), Dial: dial(p.Command, env)}
			w.AtEnd(h)
			out = append(out, &seats.Machine{Name: p.Name, Kind: c.Kind, Slots: c.Slots, Backend: h, Out: h.Out})
		}
	}
	return out, nil
}

// places are the machines behind the name of a host: one, or those of an engine.
func (w Wanted) places(ctx context.Context, name string, c config.Host, env []string) ([]engine.Place, error) {
	means, prefix := c.Engine, name
	if isEngine(name) {
		means = name
		if kind, rest, _ := engine.Cut(name); rest != "" && rest[0] == '-' {
			prefix = kind
		}
	}
	if means == "" {
		return []engine.Place{{Name: name, Command: c.Command}}, nil
	}
	e := &engine.Engine{Env: env, Hand: c.Command, Say: w.Tell}
	places, back, err := e.Find(ctx, means)
	if back != nil {
		w.AtEnd(back)
	}
	for i := range places {
		places[i].Name = prefix + "/" + places[i].Name
	}
	return places, err
}

// processors is how many a hand says that its machine has: those that this process may
// use, or that Slurm gave it.
func processors(getenv func(string) string) int {
	n := runtime.GOMAXPROCS(0)
	if given, err := strconv.Atoi(getenv("SLURM_CPUS_ON_NODE")); err == nil && given > 0 {
		n = min(n, given)
	}
	return n
}
