package testrun

import (
	"bytes"
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
	// Unfinished are tests that began and did not end, sorted, where the record says what begins. A run that
	// was ended, or ended itself, was at them.
	Unfinished []string
	// Parts are what each of several test commands showed; none of one.
	Parts []*Outcome
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

// byName runs each of a script's test commands that the script comes to, and each that these lead to: behind && none
// whose predecessor fails.
func byName(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd, goes bool) (out *Outcome, err error) {
	take := func(run *Run) (bool, error) {
		next, err := runByName(ctx, sb, cmd, run, goes)
		switch {
		case err != nil:
			out = next
			return false, err
		case out == nil:
			out = next
		default:
			out.join(next)
		}
		return out.Reason == "", nil
	}
	for i := 0; i == 0 || i < len(Commands(cmd.Script)) && out.Reason == ""; i++ {
		if err = each(ctx, sb, cmd, i, take); err == nil && out == nil {
			_, err = take(nil)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// join takes in what a later test command of the same script showed. A test of one name in both passes where both do.
func (o *Outcome) join(next *Outcome) {
	if o.Parts == nil {
		first := *o
		o.Parts = []*Outcome{&first}
	}
	o.Parts = append(o.Parts, next)
	if o.Runner == "" {
		o.Runner = next.Runner
	}
	if o.Exit == 0 && o.Signal == "" {
		o.Exit, o.Signal = next.Exit, next.Signal
	}
	o.Reason = next.Reason
	o.Stdout, o.Stderr = slices.Concat(o.Stdout, next.Stdout), slices.Concat(o.Stderr, next.Stderr)
	both := func(a, b []string) []string { return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b)))) }
	o.Failed, o.Unfinished = both(o.Failed, next.Failed), both(o.Unfinished, next.Unfinished)
	o.Passed = slices.DeleteFunc(both(o.Passed, next.Passed), func(n string) bool { return slices.Contains(o.Failed, n) })
	why := maps.Clone(o.Why) // the first part has its own
	if why == nil {
		why = map[string]string{}
	}
	maps.Copy(why, next.Why)
	o.Why = why
}

// runByName runs one test command; nil: the script as it stands.
func runByName(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd, run *Run, goes bool) (*Outcome, error) {
	switch {
	case run != nil && goes:
		cmd.Script = run.goes
	case run != nil:
		cmd.Script = run.fresh
	}
	cmd.Output = sandbox.MaxOutput
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
	out.Unfinished = slices.Sorted(maps.Keys(read.unfinished))
	if run != nil {
		out.Stdout = unrecorded(out.Stdout, run.Word)
	}
	return out, nil
}

// unrecorded takes out of what a run printed the lines of its record, which are the referee's: nobody who runs the
// tests by hand sees them.
func unrecorded(text []byte, word string) []byte {
	line := []byte("\n" + word + " ")
	if word == "" || !bytes.Contains(text, line) {
		return text
	}
	var out []byte
	for {
		before, rest, found := bytes.Cut(text, line)
		if out = append(out, before...); !found {
			return out
		}
		_, text, _ = bytes.Cut(rest, []byte("\n"))
	}
}
