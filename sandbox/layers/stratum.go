package layers

import (
	"path/filepath"

	"cookoff/sandbox/plan"
)

// stratum are directories on the host that project, home and the rest of a world
// lie on. Each may be "". both is the directory that holds all of them, under the
// names of TopWork, TopHome and TopRest, or "" where they have none in common. Nobody
// writes to those that are shared by the worlds of many trials: a project, and what was
// prepared for it.
type stratum struct {
	work, home, rest, both string
	shared                 bool
}

// newStratum is a directory with all of them in it.
func newStratum(dir string) stratum {
	return stratum{work: filepath.Join(dir, plan.TopWork), home: filepath.Join(dir, plan.TopHome),
		rest: filepath.Join(dir, plan.TopRest), both: dir}
}
