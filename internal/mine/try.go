package mine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff/internal/history"
	"cookoff/internal/pattern"
)

// Bounds of test runs.
const (
	leastTime = 10 * time.Second // that a broken state gets
	slowness  = 10               // times what the mended one takes
)

// seen is what test runs showed of a candidate.
type seen struct {
	command string   // the tests that judge
	narrow  bool     // they are not all
	whole   string   // the command whose tests judge, too, since what the fix touches may break others; "": none
	runner  string   // that ran them
	broken  []string // tests that fail without the fix and pass with it, by name
	flaky   []string // tests that differ between runs
	always  []string // tests that fail here with the fix, too
	kept    int      // tests that pass before and after
	output  string   // of the failing run
	took    time.Duration
	half    []string // parts of the fix that no test asks for
	weak    []string // faults in the fix that no test misses
}

// states are the files of a candidate's three states.
type states struct {
	parent, broken, mended tree
	almost                 tree // of several commits: without the last; nil: not asked for
}

// statesOf makes the files of a candidate.
func (m *miner) statesOf(ctx context.Context, c *candidate) (*states, error) {
	list, err := m.repo.Files(ctx, history.Commit{ID: c.parent, Time: c.Time})
	if odd, ok := errors.AsType[*history.PathError](err); ok {
		return nil, refuse(OddPath, odd.Error())
	}
	if err != nil {
		return nil, refuse(Missing, firstLine(err.Error()))
	}
	s := &states{parent: tree{}}
	for _, f := range list {
		if !Secret(f.Path) && f.Mode != history.ModeSubmodule {
			f.Size = 0 // that of a change is not known
			s.parent[f.Path] = f
		}
	}
	s.parent = with(s.parent, c.needs)
	s.broken = with(s.parent, c.tests)
	s.mended = with(s.broken, c.fix)
	if c.almost != nil {
		s.almost = with(s.broken, c.almost)
	}
	for _, t := range []tree{s.broken, s.mended} {
		if odd, ok := errors.AsType[*history.PathError](history.Clash(maps.Keys(t))); ok {
			return nil, refuse(OddPath, odd.Error())
		}
	}
	return s, nil
}

// with gives files after changes.
func with(base tree, list []history.Change) tree {
	out := maps.Clone(base)
	for _, ch := range list {
		if ch.Now.ID == "" {
			delete(out, ch.Path)
			continue
		}
		out[ch.Path] = ch.Now
	}
	return out
}

// try runs the tests of a candidate; an error is a *refusal, or the sandbox's.
func (m *miner) try(ctx context.Context, w *world, c *candidate, st *states) (*seen, error) {
	s := &seen{}
	s.command, s.narrow = narrowed(m.Test, c.tests, st.broken)
	if err := w.set(ctx, st.mended, nil); err != nil {
		return nil, err
	}
	mended, err := m.passes(ctx, w, s)
	if err != nil {
		return nil, err
	}
	limit := min(m.limit(), max(leastTime, slowness*mended.took))
	if err := w.set(ctx, st.broken, nil); err != nil {
		return nil, err
	}
	broken, err := w.test(ctx, s.command, limit)
	if err != nil {
		return nil, err
	}
	if err := s.compare(c, mended, broken); err != nil {
		return nil, err
	}
	if err := m.again(ctx, w, s, st, limit); err != nil {
		return nil, err
	}
	if err := m.lastNeeded(ctx, w, s, st, limit); err != nil {
		return nil, err
	}
	s.output = broken.excerpt(s.broken)
	s.whole, err = m.whole(ctx, w, s)
	return s, err
}

// passes demands that the mended state passes. Tests that fail here even so are left
// out by name, where they are the fewer.
func (m *miner) passes(ctx context.Context, w *world, s *seen) (*outcome, error) {
	out, err := w.test(ctx, s.command, m.limit())
	if err == nil && !out.OK() && out.Reason == "" && len(out.Failed) > 0 && len(out.Failed) < len(out.Passed) &&
		!unbuilt(out) {
		if without, ok := leavingOut(s.command, out.Runner, out.Failed); ok {
			s.command, s.always = without, out.Failed
			out, err = w.test(ctx, s.command, m.limit())
		}
	}
	switch {
	case err != nil:
		return nil, err
	case out.Reason == "timeout":
		return nil, refuse(Endless, "with the fix in")
	case unbuilt(out) && !out.OK():
		return nil, refuse(FixedBuild, said(out))
	case out.Runner == "":
		return nil, refuse(Nameless, fmt.Sprintf("%s (it says: %s)", s.command, said(out)))
	case !out.OK() && len(out.Failed) > 0:
		return nil, refuse(FixedFails, some(out.Failed))
	case !out.OK():
		return nil, refuse(FixedFails, said(out))
	case len(out.Passed) == 0:
		return nil, refuse(Nameless, "no test ran")
	}
	s.took, s.runner = out.took, out.Runner
	return out, nil
}

// compare finds the tests that only the fix makes pass.
func (s *seen) compare(c *candidate, mended, broken *outcome) error {
	for _, name := range mended.Passed {
		switch {
		case slices.Contains(broken.Failed, name):
			s.broken = append(s.broken, name)
		case slices.Contains(broken.Passed, name):
			s.kept++
		}
	}
	switch {
	case broken.OK():
		return refuse(NothingFails, "")
	case unbuilt(broken) && (broken.Runner == "go test" || len(s.broken) == 0):
		return refuse(NewNames, said(broken))
	case broken.Reason == "timeout" && len(s.broken) == 0:
		return refuse(Endless, "without the fix")
	case len(s.broken) == 0:
		return refuse(NothingFails, "by name: "+said(broken))
	}
	return nil
}

// again runs broken and mended again: what differs between runs says nothing.
func (m *miner) again(ctx context.Context, w *world, s *seen, st *states, limit time.Duration) error {
	flaky := map[string]bool{}
	out, err := w.test(ctx, s.command, limit)
	if err != nil {
		return err
	}
	for _, name := range s.broken {
		if !slices.Contains(out.Failed, name) {
			flaky[name] = true
		}
	}
	if err := w.set(ctx, st.mended, nil); err != nil {
		return err
	}
	for range 2 {
		if out, err = w.test(ctx, s.command, limit); err != nil {
			return err
		}
		for _, name := range out.Failed {
			flaky[name] = true
		}
		if !out.OK() && len(out.Failed) == 0 {
			return refuse(Flaky, "with the fix in they end now well, now not: "+said(out))
		}
	}
	if s.flaky = slices.Sorted(maps.Keys(flaky)); len(s.flaky) == 0 {
		return nil
	}
	s.broken = slices.DeleteFunc(s.broken, func(n string) bool { return flaky[n] })
	if len(s.broken) == 0 {
		return refuse(Flaky, some(s.flaky))
	}
	without, ok := leavingOut(s.command, out.Runner, s.flaky)
	if !ok {
		return refuse(Flaky, some(s.flaky))
	}
	s.command = without
	return nil
}

// lastNeeded demands of a candidate of several commits that the last of them is needed:
// else the ones before it are a candidate of their own.
func (m *miner) lastNeeded(ctx context.Context, w *world, s *seen, st *states, limit time.Duration) error {
	if st.almost == nil {
		return nil
	}
	if err := w.set(ctx, st.almost, nil); err != nil {
		return err
	}
	out, err := w.test(ctx, s.command, limit)
	if err == nil && out.OK() {
		return refuse(NothingFails, "without the last of its commits")
	}
	if err != nil {
		return err
	}
	return w.set(ctx, st.mended, nil)
}

// leavingOut gives a test command that does not run some tests.
func leavingOut(command, runner string, names []string) (string, bool) {
	switch runner {
	case "go test":
		var fns []string
		for _, n := range names {
			_, fn, _ := strings.Cut(n, " ")
			fn, _, _ = strings.Cut(fn, "/")
			if fns = append(fns, fn); !goName.MatchString(fn) {
				return "", false
			}
		}
		slices.Sort(fns)
		before, rest, ok := strings.Cut(command, "go test")
		ok = ok && !strings.Contains(rest, "-skip")
		return before + "go test -skip '^(" + strings.Join(slices.Compact(fns), "|") + ")$'" + rest,
			ok && (before == "" || strings.HasPrefix(before, "cd ") && strings.HasSuffix(before, " && "))
	case "pytest":
		for _, n := range names {
			if !pytestName.MatchString(n) {
				return "", false
			}
			command += " --deselect '" + n + "'"
		}
		return command, true
	}
	return "", false
}

var (
	goName     = pattern.New(`^\w+$`)
	pytestName = pattern.New(`^[\w./:\[\], =-]+$`)
)

// cantBuild is what is said where tests can't be run at all.
var cantBuild = pattern.New(`\[build failed\]|\[setup failed\]|"FailedBuild"|"Action":"build-fail"|(?m)^ERROR collecting |error during collection|errors during collection|cannot import name|ModuleNotFoundError|ImportError|SyntaxError|Cannot find module|does not provide an export|error\[E\d+\]|could not compile|COMPILATION ERROR|undefined reference to|\.(?:c|h|cc|cpp|cxx|hpp):\d+(?::\d+)?: (?:fatal )?error: `)

// unbuilt reports whether a run failed, in part, because something can't be built.
func unbuilt(o *outcome) bool {
	if o.OK() {
		return false
	}
	return cantBuild.MatchString(string(o.Stdout)) || cantBuild.MatchString(string(o.Stderr))
}

// some names the first of several.
func some(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// said is the line that tells most of how a run ended.
func said(o *outcome) string {
	if o.Reason != "" {
		return "its limit of " + o.Reason
	}
	lines := strings.Split(o.plain(), "\n")
	for _, l := range lines {
		if m := telling.FindString(l); m != "" {
			return cut(strings.TrimSpace(l), 160)
		}
	}
	for _, l := range slices.Backward(lines) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "FAIL") {
			return cut(l, 160)
		}
	}
	return fmt.Sprintf("exit status %d", o.Exit)
}

var telling = pattern.New(`undefined:|cannot |has no field|unknown field|not enough arguments|too many arguments|Error:|no required module|not found|E\d{4}`)

func cut(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

// limit bounds one run of tests.
func (m *miner) limit() time.Duration {
	if m.Timeout > 0 {
		return m.Timeout
	}
	return 5 * time.Minute
}
