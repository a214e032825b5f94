package testrun

import (
	"context"
	"maps"
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
	// Begun are tests that began and did not end, sorted, where the record says what begins. A run that
	// was ended, or ended itself, was at them.
	Begun []string
}

// ByName runs the tests that a command runs, so that each is named, and runs now, whatever the runner
// keeps of an earlier run; a command
// whose tests can't be told by name it runs as it stands. Errors are the
// sandbox's.
func ByName(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd) (*Outcome, error) {
	return byName(ctx, sb, cmd, false)
}

// AsItGoes is ByName of a command that does not end in time: each test is named as it begins, one
// after another, where its runner can be told to (go test, pytest, unittest, node --test, mocha, jest, cargo test).
func AsItGoes(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd) (*Outcome, error) {
	return byName(ctx, sb, cmd, true)
}

func byName(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd, goes bool) (*Outcome, error) {
	run, err := Find(ctx, sb, cmd, 0)
	if err != nil {
		return nil, err
	}
	switch {
	case run != nil && goes:
		cmd.Script = run.goes
	case run != nil:
		cmd.Script = run.anew
	}
	raw, err := sb.Exec(ctx, cmd)
	if err != nil {
		return &Outcome{Result: raw}, err
	}
	out := &Outcome{Result: raw, Why: map[string]string{}}
	var read *Results
	switch {
	case run != nil && goes:
		out.Runner, read = run.Runner.Name, run.Runner.readAsItGoes(raw, run.Word)
	case run != nil:
		out.Runner, read = run.Runner.Name, run.Runner.Read(raw, run.Word)
	default:
		if out.Runner, read = formOf(raw); read == nil {
			return out, nil
		}
	}
	if run != nil && run.Runner.Name == PrintedTests {
		if out.Runner, _ = formOf(raw); out.Runner == "" {
			return out, nil
		}
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
	out.Begun = slices.Sorted(maps.Keys(read.begun))
	return out, nil
}
