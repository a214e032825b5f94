package plant

import (
	"context"
	"fmt"
	"time"

	"cookoff/internal/mine/commands"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mutants"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// begin demands that all tests pass where nothing is planted, and that the test command ends as well as they do.
func (s *sower) begin(ctx context.Context) error {
	began := time.Now()
	out, err := s.test(ctx, s.Test, s.Timeout)
	if err == nil {
		if test, ok := commands.Uncovered(s.Test, out); ok {
			s.Test = test
			out, err = s.test(ctx, s.Test, s.Timeout)
		}
	}
	switch read := outcome.Of(out); {
	case err != nil:
		return err
	case out.Reason == "timeout":
		return fmt.Errorf("%s does not end within %s\n  hint: --timeout gives it longer, --test names a command that ends",
			s.Test, s.Timeout)
	case out.Reason == "" && read.NoneRan():
		return fmt.Errorf("%s runs no test (it says: %s)", s.Test, read.KeyLine())
	case out.Runner == "":
		return fmt.Errorf("%s names no tests (it says: %s): "+
			"go test, pytest, unittest, node --test, jest, vitest, mocha, ava, tap, cargo test, prove and ctest do, "+
			"others by TAP or JUnit XML", s.Test, read.KeyLine())
	case !out.OK():
		return fmt.Errorf("%s fails before anything is planted: %s", s.Test, read.KeyLine())
	case len(out.Passed) == 0:
		return fmt.Errorf("%s runs no test", s.Test)
	}
	s.whole = time.Since(began) <= quickTests
	s.green[s.Test] = out
	if s.sure = commands.RunsTestsOnly(s.Test); s.sure {
		return nil
	}
	all, err := s.ending(ctx, s.Test)
	if err == nil && !all.OK() {
		err = fmt.Errorf("%s fails before anything is planted: %s", s.Test, all.EvenSo(len(out.Passed)))
	}
	return err
}

// endsBadly demands that the test command fails with a fault planted that tests notice (failed), as they do: the checks
// of a task go by how it ends. Of the first such fault that says it of all.
func (s *sower) endsBadly(ctx context.Context, e mutants.Edit, failed []string) error {
	if s.sure {
		return nil
	}
	edits := []mutants.Edit{e}
	if err := s.write(ctx, edits); err != nil {
		return err
	}
	command := s.command(edits)
	all, err := s.ending(ctx, command)
	if err == nil {
		err = s.write(ctx, nil, e.File)
	}
	if err != nil {
		return err
	}
	if s.sure = true; all.OK() {
		return fmt.Errorf("%s ends well though tests fail: %s what stands around them hides it "+
			"(a pipe in a script, || true, ; …)\n  hint: --test, or plant: in a recipe, names the command that runs them",
			command, some(failed))
	}
	return nil
}

// ending is how a test command ends as it stands, with what else it does than to run tests.
func (s *sower) ending(ctx context.Context, command string) (*outcome.Outcome, error) {
	res, err := s.sb.Exec(ctx, sandbox.Cmd{Script: command, Timeout: s.Timeout})
	return outcome.Of(&testrun.Outcome{Result: res}), err
}
