package tasks

import (
	"path"
	"strings"

	"cookoff/internal/places"
)

// separate reads what the tests of a separate verifier see: the change of the working
// directory alone, where nothing else is an artifact.
func (r reading) separate(c config) {
	if c.Verifier.Mode == "" || c.Verifier.Mode == "shared" {
		return
	}
	if c.Verifier.Mode != "separate" {
		r.out.refuse("verifier.environment_mode %q: shared and separate are known", c.Verifier.Mode)
		return
	}
	inside, outside := 0, []string{}
	for _, a := range c.Artifacts {
		at, ok := a.(string)
		if table, is := a.(map[string]any); is {
			at, ok = table["source"].(string)
			if service, other := table["service"].(string); other && service != "main" {
				r.out.refuse("artifacts of the service %q", service)
			}
		}
		at = path.Clean(at)
		switch {
		case !ok || !path.IsAbs(at):
			r.out.refuse("artifacts: %.100q is no absolute path", at)
		case at == r.out.task.Workdir || places.Below(at, r.out.task.Workdir):
			inside++
		case !strings.HasPrefix(at, "/logs/"):
			outside = append(outside, at)
		}
	}
	r.out.task.Patch = inside > 0 && r.out.task.Root == "" && len(outside) == 0 && r.out.task.Workdir != "/"
	if !r.out.task.Patch {
		r.out.note("its separate verifier sees artifacts alone; here its tests see all that was left, in a fresh world")
	}
}
