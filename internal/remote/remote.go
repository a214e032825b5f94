// Package remote makes the hosts of the configuration ready for a comparison: it
// reaches them, gives each room for trials, and looks whether their tools agree.
package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"cookoff/hosts"
	"cookoff/hosts/protocol"
	"cookoff/internal/config"
	"cookoff/internal/host"
	"cookoff/internal/version"
	"cookoff/recipe"
	"cookoff/runner/seats"
	"cookoff/sandbox"
)

// Wanted is what a comparison wants of hosts.
type Wanted struct {
	Names  []string // as --hosts has them
	Host   *host.Host
	Recipe *recipe.Recipe // nil: none
	Local  sandbox.Backend
	Tools  []string // tool chains of this machine
	Limit  int      // trials at once, on all of them; 0: their slots
	Mixed  bool     // tools may differ
	// CopySelf has every host run this very program, which is sent there.
	CopySelf bool
	AtEnd    func(io.Closer)
	Say      func(string) // told of hosts that are given up
	Tell     func(string) // told of what is waited for; nil: nobody
}

// Hosts are the machines of a comparison.
type Hosts struct {
	Seats *seats.Seats
	Tools string   // says which tools the hosts have: equal where they are the same
	Mixed []string // how their tools and clocks differ, a line each
	Slow  []string // which are much slower than others, a line each
}

// Hello is what this program says of itself to the other end: its build is that of
// the file that it was started from.
func Hello() (protocol.Hello, error) {
	f, err := os.Open(thisProgram())
	if err != nil {
		return protocol.Hello{}, fmt.Errorf("reading this program: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return protocol.Hello{}, fmt.Errorf("reading this program: %w", err)
	}
	name, _ := os.Hostname() // for people
	build := fmt.Sprintf("%x", h.Sum(nil)[:8])
	return protocol.Hello{Build: build, Version: version.Read().String() + " " + build, Machine: name,
		Processors: processors(os.Getenv)}, nil
}

// thisProgram is the file that this process was started from.
func thisProgram() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, _ := os.Executable() // "" is found not to be there
	return path
}

// Named gives the hosts of these names, in the configuration's words. All that is
// wrong with the names is said at once.
func Named(cfg *config.Config, names []string) (map[string]config.Host, error) {
	known, out := cfg.Hosts(), map[string]config.Host{}
	var errs []error
	for _, name := range names {
		h, ok := known[name]
		switch _, twice := out[name]; {
		case twice:
			errs = append(errs, fmt.Errorf("--hosts names %q twice", name))
		case name != hosts.Local && !ok && !isEngine(name):
			errs = append(errs, unknown(name, slices.Sorted(maps.Keys(known))))
		}
		out[name] = h
	}
	return out, errors.Join(errs...)
}

// unknown is the error about a name that no host has.
func unknown(name string, known []string) error {
	how := "a name has letters, digits, . _ and -"
	if config.NamesHost(name) {
		how = fmt.Sprintf("[hosts.%s] in your own cookoff.toml (~/.config/cookoff/cookoff.toml, or --config), "+
			"with command = [\"ssh\", \"%s\", \"cookoff\", \"hand\"]", name, name)
	}
	return fmt.Errorf("--hosts names %q, which there is not: hosts are %s\n"+
		"hint: %s; slurm:JOB and kubernetes:SELECTOR name machines of an engine",
		name, strings.Join(append(known, hosts.Local), ", "), how)
}

// Open reaches every host that is wanted. The error names all that can't be reached,
// or whose tools or clocks differ.
func Open(ctx context.Context, w Wanted) (*Hosts, error) {
	machines, err := w.machines(ctx)
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(machines))
	var all sync.WaitGroup
	for i, m := range machines {
		all.Go(func() {
			errs[i] = m.Backend.Check(ctx)
			if far, ok := m.Backend.(*hosts.Host); ok && m.Slots == 0 {
				m.Slots = max(1, far.Processors())
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%w\n  hint: its command, by hand, ends with what is wrong; "+
			"where no cookoff is installed --copy-self sends it; --hosts without it runs on the others", err)
	}
	found, err := w.probe(ctx, machines)
	if err != nil {
		return nil, err
	}
	out := &Hosts{Seats: seats.New(machines, w.Limit, w.Say), Tools: kinds(found), Mixed: Differ(found),
		Slow: Slow(found)}
	if len(out.Mixed) > 0 && !w.Mixed {
		return nil, fmt.Errorf("the hosts differ, so that what tells contestants apart may be theirs:\n  %s\n"+
			"  hint: tool_paths under [hosts.NAME] shows other tools; a clock is set there; "+
			"--allow mixed-hosts runs all the same, and the report says so", strings.Join(out.Mixed, "\n  "))
	}
	return out, nil
}

// setup is what a hand is told of the comparison.
func (w Wanted) setup(c config.Host) protocol.Setup {
	choice := w.Host.Choice(w.Recipe)
	s := protocol.Setup{Backend: choice.Name, Image: choice.Image, Images: choice.Images, OwnTools: true,
		ToolPaths: c.ToolPaths}
	if w.Host.ShowsFound(w.Recipe) {
		s.Programs = w.Host.ProgramsOf(w.Recipe)
	}
	return s
}
