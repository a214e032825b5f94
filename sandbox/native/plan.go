package native

import (
	"fmt"
	"path/filepath"
	"slices"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/shipped"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
)

// plan says what a world is to be made of, but for its files.
func (b *backend) plan(spec sandbox.Spec) (plan.Plan, error) {
	super := spec.User.Super()
	p := plan.Plan{
		Limits: spec.Limits, Switch: users.IsRoot() && !super, Super: super, Several: spec.User.Many(), Hostname: "sandbox",
		Inside: !b.builder.Facts().Layers, Image: spec.Image,
		Network:     spec.Network == sandbox.FullNetwork || b.testOnlyOff.Has(plan.OwnNetwork),
		TestOnlyOff: b.testOnlyOff,
	}
	if spec.Root.Dir == "" && spec.Filesystem != sandbox.Unrestricted && !p.Inside { // its /etc is made up
		p.EtcMounted, p.EtcCopied = plan.EtcOfHost()
	}
	var err error
	if p.Mounts, err = shown(spec); err != nil || spec.Root.Dir == "" {
		return p, err
	}
	return p, b.bringLoader(&p)
}

// shown gives everything that is mounted read-only.
func shown(spec sandbox.Spec) ([]plan.ShownAt, error) {
	var all []plan.ShownAt
	tools := toolMounts(spec)
	for i, m := range append(tools, spec.ReadOnly...) {
		abs, err := filepath.Abs(m.Source)
		if err != nil || !filepath.IsAbs(m.Target) {
			return nil, fmt.Errorf("a mount at %q, which is not absolute", m.Target)
		}
		all = append(all, plan.ShownAt{Layer: plan.Layer{Path: abs}, Target: m.Target, Own: i >= len(tools)})
	}
	return all, nil
}

// toolMounts shows tool chains, where no directory of the system holds them, at
// their own places.
func toolMounts(spec sandbox.Spec) []sandbox.Mount {
	var ms []sandbox.Mount
	for _, t := range spec.ToolPaths {
		if t = filepath.Clean(t); !slices.ContainsFunc([]string{"/usr", "/nix/store", "/gnu/store"},
			func(d string) bool { return trees.Below(t, d) }) {
			ms = append(ms, sandbox.Mount{Source: t, Target: t})
		}
	}
	return ms
}

// bringLoader shows this program, with the libraries that it needs, to a world
// whose own root may have none, or others. A static program needs nothing.
func (b *backend) bringLoader(p *plan.Plan) error {
	loader, _, err := shipped.Needed(plan.SelfProgram)
	if loader == "" || err != nil {
		return err
	}
	program, err := b.programs.LayOut(plan.SelfProgram)
	if err != nil {
		return err
	}
	p.Loader = program.Loader
	p.Mounts = append(p.Mounts, plan.ShownAt{Layer: plan.Layer{Path: program.Dir}, Target: plan.GuestDir})
	return nil
}
