package lessons

import (
	"math/rand/v2"
	"slices"

	"cookoff/verify/testrun"
)

// Tests is what admission learned of one test command of a check.
type Tests struct {
	Runner   string   `json:"runner"`
	Required []string `json:"required"` // names that must be there and pass
	Mended   []string `json:"mended"`   // those of them that failed at the start
	Marked   []string `json:"marked"`   // tests that print what they are made to
	Chosen   bool     `json:"chosen"`   // only some tests run, so that none can be added
	Works    bool     `json:"works"`    // planted tests did what they must
	Broken   bool     `json:"broken"`   // they did not, with the solution: there is no control
	Why      string   `json:"why,omitempty"`
	Long     bool     `json:"long,omitempty"` // their record is too long to be kept: no names are known

	// Disguise is one in which they pass, too, with the solution.
	Disguise testrun.Disguise `json:"disguise,omitempty"`

	// InPlace is how a check holds in the project itself, too, with the solution, where it looks at a copy.
	InPlace string `json:"in_place,omitempty"`

	// Rebuilt: a check holds where all of the project is newer than what was built, too, with the solution.
	Rebuilt bool `json:"anew,omitempty"`

	// Later is how a check holds when it is asked again in the same world, too, with the solution.
	Later string `json:"later,omitempty"`
	// Often: it goes on to hold there, however often it is asked.
	Often bool `json:"often,omitempty"`

	// Demands are changes of protected tests with which a check fails, with the solution.
	Demands []Demand `json:"demands,omitempty"`

	// Laid are the protected files that the check itself changes, with the sums
	// of what it makes of them.
	Laid map[string]string `json:"laid,omitempty"`
}

// Demand is a line of a test that demands something else. Line counts from 1.
type Demand struct {
	File string `json:"file"` // below the project
	Line int    `json:"line"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// LeftOut says why there is no control; "": there may be one.
func (k *Tests) LeftOut() string {
	if k == nil || !k.Broken {
		return ""
	}
	return "with planted tests, on the state that the solution leaves: " + k.Why
}

// Swap draws whether a test that is there must fail in the control, and which;
// "": none. Half of the time it is one that failed at the start.
func (k *Tests) Swap(draw *rand.Rand) string {
	if k == nil || !k.Works || !k.Chosen && draw.IntN(2) == 0 {
		return ""
	}
	from := k.Marked
	if mended := both(k.Marked, k.Mended); len(mended) > 0 && draw.IntN(2) == 0 {
		from = mended
	}
	if len(from) == 0 {
		return ""
	}
	return k.shortName(from[draw.IntN(len(from))])
}

// PassedAtStart reports whether a test that must pass did so on the broken state already.
func (k *Tests) PassedAtStart(name string) bool {
	return k != nil && slices.Contains(k.Required, name) && !slices.Contains(k.Mended, name)
}

func (k *Tests) shortName(name string) string {
	for _, r := range testrun.Runners() {
		if r.Name == k.Runner {
			return r.Short(name)
		}
	}
	return name
}

// both gives the names that are in two lists.
func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}
