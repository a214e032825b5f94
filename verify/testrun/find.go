package testrun

import (
	"context"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/testrun/leads"
)

// Find brings a sandbox to the point where a script runs its i-th test command,
// and says how to run the tests there. Where that command only leads to others, the first of those
// that runs tests is meant: a script may call a linter's script before them. nil: it can't be told. Errors are the
// sandbox's.
func Find(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd, i int) (run *Run, err error) {
	f := finding{sb: sb, found: func(r *Run) (bool, error) { run = r; return false, nil }}
	return run, f.from(ctx, cmd, i)
}

// each gives found the runs that the i-th command comes to, each where the script stands at it, one after another.
func each(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd, i int, found func(*Run) (bool, error)) error {
	f := finding{sb: sb, found: found, all: true}
	return f.from(ctx, cmd, i)
}

// finding is a search for the runs of tests that a command comes to.
type finding struct {
	sb    sandbox.Sandbox
	found func(*Run) (more bool, err error)
	all   bool // of each package, too, where a command runs a script of many
	n     int  // runs that were found
}

// from is find of the i-th command of a script.
func (f *finding) from(ctx context.Context, cmd sandbox.Cmd, i int) error {
	list := Commands(cmd.Script)
	if i >= len(list) {
		return nil
	}
	_, err := f.find(ctx, &list[i], cmd, 1, nil)
	return err
}

// give hands a run over.
func (f *finding) give(run *Run) (more bool, err error) {
	f.n++
	more, err = f.found(run)
	return more && f.n < maxRuns, err
}

// find gives what a command runs that was led to so many times, in the environment that these words start. more is
// false where no other is wanted.
func (f *finding) find(ctx context.Context, c *Command, cmd sandbox.Cmd, led int, within []string) (more bool,
	err error) {
	st, err := c.stand(ctx, f.sb, cmd)
	if err != nil || st == nil {
		return true, err
	}
	n := prefixed(st.argv)
	if own := leads.Environment(st.argv[:n]); len(own) > 0 {
		within = own
	} else {
		st.argv = slices.Concat(within, st.argv)
		n += len(within)
	}
	st.argv = slices.Concat(st.argv[:n], unglued(st.argv[n:]))
	if runner, args := runnerOf(st.argv[n:]); runner != nil {
		run, err := st.run(runner, n, args)
		if run == nil || err != nil {
			return true, err
		}
		return f.give(run)
	}
	if led == maxLeads {
		return true, nil
	}
	text, err := st.lead(ctx, f.sb, cmd, st.argv[:n], st.argv[n:])
	if err != nil || text == "" {
		return true, err
	}
	for _, one := range f.scripts(st.argv[n:], text) {
		cmd.Script = st.start() + one
		for _, next := range Commands(cmd.Script) {
			if more, err := f.find(ctx, &next, cmd, led+1, within); err != nil || !more {
				return false, err
			}
		}
	}
	if led > 1 || f.n > 0 {
		return true, nil
	}
	run, err := st.printed()
	if err != nil {
		return false, err
	}
	return f.give(run)
}

// scripts are those that a command leads to with a text: of packages each by itself, none of which needs another.
func (f *finding) scripts(argv []string, text string) []string {
	switch {
	case !leads.OfPackages(argv):
		return []string{text}
	case f.all:
		return strings.Split(text, "\n")
	}
	return nil
}
