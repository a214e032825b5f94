package verify

import (
	"context"
	"slices"

	"cookoff/sandbox"
)

// TestRun is what one run of a test command showed.
type TestRun struct {
	sandbox.Result
	Runner         string   // which program ran the tests; "": one whose record is not known
	Passed, Failed []string // tests by name, sorted; none where Runner is ""
}

// NamedTests runs the tests that a command runs, so that each is named; a command
// whose tests can't be told by name it runs as it stands. Errors are the
// sandbox's.
func NamedTests(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd) (*TestRun, error) {
	run, err := findTests(ctx, sb, cmd, 0)
	if err != nil {
		return nil, err
	}
	if run != nil {
		cmd.Script = run.loud
	}
	raw, err := sb.Exec(ctx, cmd)
	if err != nil || run == nil {
		return &TestRun{Result: raw}, err
	}
	out := &TestRun{Result: raw, Runner: run.runner.name}
	for name, t := range run.runner.read(raw, run.word).tests {
		switch {
		case t.ok():
			out.Passed = append(out.Passed, name)
		case t.failed > 0:
			out.Failed = append(out.Failed, name)
		}
	}
	slices.Sort(out.Passed)
	slices.Sort(out.Failed)
	return out, nil
}
