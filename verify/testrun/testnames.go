package testrun

import (
	"context"
	"slices"

	"cookoff/sandbox"
)

// Outcome is what one run of a test command showed.
type Outcome struct {
	sandbox.Result
	Runner         string   // which program ran the tests; "": one whose record is not known
	Passed, Failed []string // tests by name, sorted; none where Runner is ""
	// Why is what the record says of tests that failed, by name; none where that is only in
	// what the run printed.
	Why map[string]string
}

// ByName runs the tests that a command runs, so that each is named, and runs now, whatever the runner
// keeps of an earlier run; a command
// whose tests can't be told by name it runs as it stands. Errors are the
// sandbox's.
func ByName(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd) (*Outcome, error) {
	run, err := Find(ctx, sb, cmd, 0)
	if err != nil {
		return nil, err
	}
	if run != nil {
		cmd.Script = run.anew
	}
	raw, err := sb.Exec(ctx, cmd)
	if err != nil {
		return &Outcome{Result: raw}, err
	}
	out := &Outcome{Result: raw, Why: map[string]string{}}
	var read *Results
	switch {
	case run != nil:
		out.Runner, read = run.Runner.Name, run.Runner.Read(raw, run.Word)
	case printsTap(raw):
		out.Runner, read = "TAP", readPlainTap(raw)
	default:
		return out, nil
	}
	for name, t := range read.Tests {
		switch {
		case t.OK():
			out.Passed = append(out.Passed, name)
		case t.Failed > 0:
			out.Failed = append(out.Failed, name)
			if t.why != "" {
				out.Why[name] = t.why
			}
		}
	}
	slices.Sort(out.Passed)
	slices.Sort(out.Failed)
	return out, nil
}
