// Package repair reads repairs: YAML files that say how a broken environment
// is mended. One repair is a tool a model may call, a task with its check, and
// a contract that can be tested.
package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/recipe"
	"cookoff/recipe/problem"

	"github.com/bmatcuk/doublestar/v4"
)

// Class says how far a fix reaches.
type Class string

// The classes, the most harmless first. Privileged is never run.
const (
	Safe        Class = "safe"
	Shared      Class = "shared"
	Destructive Class = "destructive"
	Privileged  Class = "privileged"
)

// Classes gives the names of all classes, the most harmless first.
func Classes() []string {
	return []string{string(Safe), string(Shared), string(Destructive), string(Privileged)}
}

// Repair answers one kind of finding with fixes, of which one is chosen by
// what is found in the environment.
type Repair struct {
	ID    string
	Probe string // the kind of finding it answers
	Fixes []*Fix
	Pos   problem.Pos
}

// Fix is one way to mend.
type Fix struct {
	ID       string
	Class    Class
	When     When
	Label    string // template
	Command  string // template, run by bash
	Fallback bool   // only when no other fix matches
	Test     *Test  // nil: no task and no contract
	Pos      problem.Pos

	label, command *text
}

// When is what must be so for a fix to match; "" is anything.
type When struct {
	OS      string // linux, darwin
	Arch    string // amd64, arm64
	Distro  string // ID of os-release
	HasTool string // an executable on PATH, or a function of a login shell
}

// Test is a broken environment and how to tell that it is mended.
type Test struct {
	Image      string // container image; "": any sandbox
	Params     map[string]string
	Setup      string
	Before     string // exits 0 when broken
	After      string // exits 0 when mended
	Idempotent bool   // the fix may run twice
	Prompt     string
	Live       bool // checks run in the trial's own world
	Path       []string
	Solution   string   // "": the fix's command
	Others     []string // further solutions
	Guard      string
	Protect    []string
	MayChange  []string
	MayAdd     []string
	Verify     []recipe.VerifyBlock
	VerifyEnv  string // as of a task: "", or agent
	Shortcuts  []Shortcut
	At         map[string]problem.Pos // where each of them stands: setup, after, protect[0], path[0], shortcuts[1]
}

// Shortcut is a wrong repair that a check must reject.
type Shortcut struct{ ID, Command, Why string }

// Library is a set of repairs with unique ids, sorted by id.
type Library struct {
	repairs []*Repair
	own     map[*Repair]bool // those that Add took in
}

// Repairs gives all repairs, sorted by id. They must not be changed.
func (l *Library) Repairs() []*Repair { return l.repairs }

// Own gives the repairs that Add took in, sorted by id: those of a recipe, or
// of a user.
func (l *Library) Own() []*Repair {
	return slices.DeleteFunc(slices.Clone(l.repairs), func(r *Repair) bool { return !l.own[r] })
}

// Add takes the repairs of other in. An id that both have is an error (a
// problem.List naming both files), and then nothing is added.
func (l *Library) Add(other *Library) error {
	var ps problem.List
	all := slices.Clone(l.repairs)
	for _, r := range other.repairs {
		if at, found := l.find(r.ID); found {
			ps = append(ps, duplicate(r, l.repairs[at]))
		}
		all = append(all, r)
	}
	if len(ps) > 0 {
		return ps
	}
	slices.SortFunc(all, func(a, b *Repair) int { return strings.Compare(a.ID, b.ID) })
	l.repairs = all
	if l.own == nil {
		l.own = map[*Repair]bool{}
	}
	for _, r := range other.repairs {
		l.own[r] = true
	}
	return nil
}

func duplicate(r, first *Repair) problem.Problem {
	return problem.Problem{Pos: r.Pos, Msg: fmt.Sprintf("repair %q is already defined at %s", r.ID, first.Pos),
		Hint: "ids are unique in the library"}
}

func (l *Library) find(id string) (int, bool) {
	return slices.BinarySearchFunc(l.repairs, id, func(r *Repair, id string) int { return strings.Compare(r.ID, id) })
}

// Unsupplied gives the fixes that take a value which the probe they answer
// never says. says maps probes to what they say; a probe that is not in it is
// nobody's, and its findings are what tasks name.
func (l *Library) Unsupplied(says map[string][]string) problem.List {
	var ps problem.List
	for _, r := range l.repairs {
		said, known := says[r.Probe]
		if !known {
			continue
		}
		for _, f := range r.Fixes {
			for _, v := range f.Vars() {
				if !slices.Contains(said, v) {
					ps = append(ps, problem.Problem{Pos: f.Pos,
						Msg: fmt.Sprintf("fix %q uses {{.%s}}, which the probe %s never says", f.ID, v, r.Probe),
						Hint: fmt.Sprintf("it says: %s; a probe of another name is one of your own",
							cmp.Or(strings.Join(said, ", "), "nothing"))})
				}
			}
		}
	}
	return ps
}

// Select gives the repairs whose id one of the globs matches, sorted by id. A
// glob that matches none is an error that names the nearest id.
func (l *Library) Select(globs []string) ([]*Repair, error) {
	chosen := map[*Repair]bool{}
	for _, g := range globs {
		if !doublestar.ValidatePattern(g) {
			return nil, fmt.Errorf("repair %q is no glob", g)
		}
		any := false
		for _, r := range l.repairs {
			if ok, _ := doublestar.Match(g, r.ID); ok {
				chosen[r], any = true, true
			}
		}
		if !any {
			return nil, l.unknown(g)
		}
	}
	var out []*Repair
	for _, r := range l.repairs {
		if chosen[r] {
			out = append(out, r)
		}
	}
	return out, nil
}

func (l *Library) unknown(glob string) error {
	ids := make([]string, len(l.repairs))
	for i, r := range l.repairs {
		ids[i] = r.ID
	}
	if near := nearest.Name(glob, ids); near != "" {
		return fmt.Errorf("no repair matches %q; did you mean %q?", glob, near)
	}
	return fmt.Errorf("no repair matches %q; the library has %d repairs", glob, len(ids))
}

// ByProbe gives the repairs that answer a probe, sorted by id.
func (l *Library) ByProbe(probe string) []*Repair {
	var out []*Repair
	for _, r := range l.repairs {
		if r.Probe == probe {
			out = append(out, r)
		}
	}
	return out
}
