package native

import (
	"errors"
	"fmt"
	"path/filepath"

	"cookoff/internal/places"
	"cookoff/sandbox"
	"cookoff/sandbox/launch"
)

// checkSpec refuses what can't be meant, and fills in defaults.
func checkSpec(s *sandbox.Spec, has launch.Facts) error {
	switch s.Filesystem {
	case "":
		s.Filesystem = sandbox.ProjectOnly
	case sandbox.ProjectOnly, sandbox.ReadOnly, sandbox.Unrestricted:
	default:
		return fmt.Errorf("unknown file system policy %q\nhint: project_only, read_only or unrestricted", s.Filesystem)
	}
	switch s.Network {
	case "":
		s.Network = sandbox.NoNetwork
	case sandbox.NoNetwork, sandbox.FullNetwork, sandbox.AllowedNetwork:
	default:
		return fmt.Errorf("unknown network policy %q\nhint: none, allow or full", s.Network)
	}
	if (s.Network == sandbox.AllowedNetwork) != (s.Gate != nil) {
		return errors.New("network policy \"allow\" needs a gate, and no other policy has one")
	}
	if s.Gateway != nil && s.Network == sandbox.FullNetwork {
		return errors.New("a gateway needs a network of the sandbox's own, and network policy \"full\" is the host's")
	}
	switch s.Profile {
	case "":
		s.Profile = sandbox.Agent
	case sandbox.Agent, sandbox.Verify:
	default:
		return fmt.Errorf("unknown profile %q\nhint: agent or verify", s.Profile)
	}
	if s.Image != "" && !has.Images {
		return errors.New("an image needs the container backend\nhint: backend: container, or --sandbox container")
	}
	if s.Prepared != "" && s.State != nil {
		return errors.New("something prepared and a state at once")
	}
	if s.Project != "" && s.State != nil {
		return errors.New("a project and a state at once")
	}
	if err := errors.Join(checkPlaces(s, has.Layers), checkRoot(s, has.Layers)); err != nil {
		return err
	}
	return fillLimits(&s.Limits)
}

func fillLimits(l *sandbox.Limits) error {
	d := sandbox.DefaultLimits()
	fill(&l.Processes, d.Processes)
	fill(&l.Memory, d.Memory)
	fill(&l.FileSize, d.FileSize)
	fill(&l.Disk, d.Disk)
	fill(&l.Files, d.Files)
	fill(&l.Tmp, d.Tmp)
	fill(&l.Output, d.Output)
	fill(&l.Call, d.Call)
	switch {
	case l.Output > sandbox.MaxOutput:
		return fmt.Errorf("an output limit of %d bytes\nhint: at most %d", l.Output, sandbox.MaxOutput)
	case min(int64(l.Processes), l.Memory, l.FileSize, l.Disk, int64(l.Files), l.Tmp, int64(l.Output),
		int64(l.Call)) < 0:
		return errors.New("a negative limit")
	}
	return nil
}

func fill[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// errPlaces begins what refuses mounts.
const errPlaces = "mounts: "

// checkPlaces refuses directories that a world can't have.
func checkPlaces(spec *sandbox.Spec, layers bool) error {
	switch {
	case len(spec.Mounts) == 0:
		return nil
	case !layers:
		return fmt.Errorf(errPlaces + "only the native backend has them\nhint: backend: native, or --sandbox native")
	case spec.Filesystem == sandbox.Unrestricted:
		return fmt.Errorf(errPlaces + "with filesystem: unrestricted all of the host's directories are there\n" +
			"hint: filesystem: project_only")
	case len(spec.Mounts) > places.Most:
		return fmt.Errorf(errPlaces+"%d of them\nhint: at most %d", len(spec.Mounts), places.Most)
	}
	var before []string
	for _, m := range spec.Mounts {
		why := places.Problem(m.At)
		if why == "" {
			why = places.Clash(m.At, before)
		}
		if why == "" && m.From != "" && !filepath.IsLocal(m.From) {
			why = fmt.Sprintf("%q does not lie in the project", m.From)
		}
		for _, shown := range append(toolMounts(*spec), spec.ReadOnly...) {
			if why == "" && places.Clash(m.At, []string{shown.Target}) != "" {
				why = fmt.Sprintf("%s is shown there, from this machine", shown.Target)
			}
		}
		if why != "" {
			return fmt.Errorf(errPlaces+"%s: %s", m.At, why)
		}
		before = append(before, m.At)
	}
	return nil
}

// checkRoot refuses a root or a user that a world can't have.
func checkRoot(spec *sandbox.Spec, layers bool) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	what := "root"
	if spec.Root.Dir == "" {
		what = "user: " + string(spec.User)
	}
	switch {
	case spec.User != sandbox.AgentUser && !spec.User.Super():
		fail("unknown user %q\nhint: root, root+others, or nothing", spec.User)
	case spec.Root.Dir == "" && spec.User == sandbox.AgentUser:
	case !layers:
		fail("%s: only the native backend has it\nhint: backend: native, or --sandbox native", what)
	case spec.Filesystem == sandbox.Unrestricted:
		fail("%s: not with filesystem: unrestricted, which shows this machine's own\nhint: filesystem: project_only",
			what)
	case spec.Image != "":
		fail("%s: a world is made of an image or of a root of its own", what)
	}
	return errors.Join(errs...)
}
