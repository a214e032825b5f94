package run

import (
	"slices"

	"cookoff/internal/cli/door"
	"cookoff/report"
)

// sayNext says what to do after a run that compared baselines alone, on a terminal,
// where somebody reads it.
func sayNext(d *door.Door, r *report.Report) {
	compared := slices.ContainsFunc(r.Models,
		func(m report.Model) bool { return !report.Control(r.Run.Behind(m.Name)) })
	if compared || len(r.Models) == 0 || !d.Err.Terminal {
		return
	}
	d.Say("  hint: now a model of yours: " +
		"cookoff run --models baseline/noop,provider/model (cookoff models says whom this machine can ask)")
}
