package verify

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// Lay names the judge's own files: what the contestant does not see and every
// world has in which a check runs, whatever lies in its place. It is called
// before the first trial.
func (c *Case) Lay(items []sandbox.Item) { c.laid = items }

// judgeFiles are files of the judge's.
type judgeFiles []sandbox.Item

// over gives what is put into worlds over a state: the judge's files, and
// instead of nothing the tests that the contestant wrote into their packages:
// two of one name would keep both from being built.
func (laid judgeFiles) over(s *Start, final sandbox.Manifest) []sandbox.Item {
	if len(laid) == 0 {
		return nil
	}
	var packages []string
	for _, it := range laid {
		if strings.HasSuffix(it.Path, goTestFile) {
			packages = append(packages, path.Dir(it.Path))
		}
	}
	out := slices.Clone([]sandbox.Item(laid))
	for _, f := range final {
		_, old := tree.Lookup(s.Files, f.Path)
		if !old && strings.HasSuffix(f.Path, goTestFile) && slices.Contains(packages, path.Dir(f.Path)) && !holdsPath(laid, f.Path) {
			out = append(out, sandbox.Item{Path: f.Path, Gone: true})
		}
	}
	return out
}

// goTestFile ends the names of Go's test files, which are one program a directory.
const goTestFile = "_test.go"

func holdsPath(items []sandbox.Item, p string) bool {
	return slices.ContainsFunc(items, func(it sandbox.Item) bool { return it.Path == p })
}

// layInto puts the judge's files into the trial's own world, whose files have
// been taken before.
func layInto(ctx context.Context, sc Scene, items []sandbox.Item) error {
	if sc.World == nil || len(items) == 0 {
		return nil
	}
	return sc.World.FS().Unpack(ctx, items)
}

// exchanged names the first of the judge's files that is another by now: code
// under a check may write what the check goes on to read.
func exchanged(ctx context.Context, sb sandbox.Sandbox, items []sandbox.Item) (string, error) {
	var paths []string
	for _, it := range items {
		if it.Mode.IsRegular() && !it.Gone {
			paths = append(paths, it.Path)
		}
	}
	if paths == nil {
		return "", nil
	}
	other := ""
	err := sb.FS().Pack(ctx, paths, func(got sandbox.Item) error {
		i := slices.IndexFunc(items, func(it sandbox.Item) bool { return it.Path == got.Path })
		if other == "" && (i < 0 || got.Gone || !got.Mode.IsRegular() || !bytes.Equal(got.Data, items[i].Data)) {
			other = got.Path
		}
		return nil
	})
	if err != nil || other == "" {
		return "", err
	}
	return "the judge's file " + other + " was changed while the check ran", nil
}

// stagedWithFiles demands of a task with files of the judge's, on its staged
// state, what staging can't ask in a contestant's own world: before and guard.
func (a *Admission) stagedWithFiles(ctx context.Context) error {
	if len(a.laid) == 0 {
		return nil
	}
	return a.Staged(ctx, func(w sandbox.Sandbox, _ *Start) error {
		if err := w.FS().Unpack(ctx, a.laid); err != nil {
			return err
		}
		return a.stands(ctx, w)
	})
}

// stands demands before and guard of a world.
func (c *Case) stands(ctx context.Context, sb sandbox.Sandbox) error {
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
