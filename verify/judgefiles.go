package verify

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

// SetJudgeFiles names the judge's own files: what the contestant does not see and every
// world has in which a check runs, whatever lies in its place. It is called
// before the first trial.
func (c *Case) SetJudgeFiles(items []sandbox.Item) { c.judgeFiles = items }

// JudgeFiles gives them.
func (c *Case) JudgeFiles() []sandbox.Item { return c.judgeFiles }

// judgeFiles are files of the judge's.
type judgeFiles []sandbox.Item

// over gives what is put into worlds over a state: the judge's files, and beside
// them the Go tests of their packages as they were at the start. One that the
// contestant wrote is left out: two of one name would keep both from being built.
func (laid judgeFiles) over(s *Start, final sandbox.Manifest) []sandbox.Item {
	if len(laid) == 0 {
		return nil
	}
	out := slices.Clone([]sandbox.Item(laid))
	for _, f := range final {
		_, old := tree.Lookup(s.Files, f.Path)
		if !old && laid.besideTests(f.Path) {
			out = append(out, sandbox.Item{Path: f.Path, Gone: true})
		}
	}
	for _, it := range s.goTests {
		was, _ := tree.Lookup(s.Files, it.Path)
		if is, there := tree.Lookup(final, it.Path); !there || is.Sum != was.Sum || is.Mode.Type() != was.Mode.Type() {
			out = append(out, it)
		}
	}
	return out
}

// besideTests reports whether a file is a Go test in a package that the judge has
// tests of, and none of those.
func (laid judgeFiles) besideTests(p string) bool {
	return strings.HasSuffix(p, goTestFile) && !witness.HasPath(laid, p) && slices.ContainsFunc(laid,
		func(it sandbox.Item) bool {
			return strings.HasSuffix(it.Path, goTestFile) && path.Dir(it.Path) == path.Dir(p)
		})
}

// testsBeside reads the Go tests of the judge's packages in a staged world.
func (laid judgeFiles) testsBeside(ctx context.Context, sb sandbox.Sandbox, files sandbox.Manifest) (out []sandbox.Item,
	err error) {
	var paths []string
	for _, f := range files {
		if f.Mode.IsRegular() && laid.besideTests(f.Path) {
			paths = append(paths, f.Path)
		}
	}
	found, err := tree.Read(ctx, sb, paths)
	for _, p := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[p])
	}
	return out, err
}

// goTestFile ends the names of Go's test files, which are one program a directory.
const goTestFile = "_test.go"

// layInto puts the judge's files into the trial's own world, whose files have
// been taken before.
func layInto(ctx context.Context, sc Scene, items []sandbox.Item) error {
	if sc.World == nil || len(items) == 0 {
		return nil
	}
	return sc.World.FS().Unpack(ctx, items)
}

// stagedWithFiles demands of a task with files of the judge's, on its staged
// state, what staging can't ask in a contestant's own world: before and guard.
func (a *Admission) stagedWithFiles(ctx context.Context) error {
	if len(a.judgeFiles) == 0 {
		return nil
	}
	return a.Staged(ctx, func(w sandbox.Sandbox, _ *Start) error {
		if err := w.FS().Unpack(ctx, a.judgeFiles); err != nil {
			return err
		}
		return a.demandStart(ctx, w)
	})
}

// demandStart demands before and guard of a world.
func (c *Case) demandStart(ctx context.Context, sb sandbox.Sandbox) error {
	if c.Before != "" {
		cmd := sandbox.Cmd{Script: c.Before, Timeout: c.Limits.Before, Env: c.told}
		if err := mustHold(ctx, sb, cmd, "before", "the environment is not broken: "); err != nil {
			return err
		}
	}
	for _, g := range c.Guard {
		if err := mustHold(ctx, sb, g.Command(c.told), g.Name, "does not hold at the start: "); err != nil {
			return err
		}
	}
	return nil
}
