package witness

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/distrust/git"
	"cookoff/verify/tree"
)

// Worlds gives sandboxes over one final state in which nothing has run yet.
type Worlds struct {
	Open Opener
	// Again gives a sandbox once more that a check left as it found it. Only
	// for files that nobody had a reason to make hostile: what runs under a
	// check could hide what it left.
	Again bool
	// Shared gives the same sandbox to one check after another.
	Shared   bool
	checks   int  // that ran in kept, if it is shared
	replaced bool // kept is not the first world of the checks

	// Wrote, when not nil, is told what each check changed in the project.
	Wrote map[string][]tree.Change

	Kept  sandbox.Sandbox
	used  bool             // a check ran in kept
	Final sandbox.Manifest // of the state
	Git   *git.Correction  // nil: no check asks git

	Settings []sandbox.Item // of the start, for each check
	Older    *Older         // builds among them; nil: none
	Moved    []string       // new files of tests to which tests of programs were moved
	Built    []string       // files that checks build, which are older than all others
	Modes    map[string]fs.FileMode
	Laid     []sandbox.Item // the judge's own files, for each check

	// Serve starts the task's services; nil: it has none.
	Serve  func(ctx context.Context, sb sandbox.Sandbox, hasty bool) (up bool, err error)
	served sandbox.Sandbox // where they were started
	down   bool            // they did not come up
	Watch  *Watch          // over what they write; nil: the task has none
}

// Manifest describes the state's files. That runs nothing, so that the
// sandbox it takes is still fresh for the first check.
func (f *Worlds) Manifest(ctx context.Context) (sandbox.Manifest, error) {
	sb, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	f.Kept = sb
	f.Final, err = sb.FS().Manifest(ctx, nil)
	return f.Final, err
}

// take gives a sandbox for one check.
func (f *Worlds) take(ctx context.Context) (sandbox.Sandbox, error) {
	sb, err := f.next(ctx)
	if err != nil {
		return nil, err
	}
	items := f.Settings
	if f.Git != nil {
		items = slices.Concat(items, f.Git.Files())
	}
	if items = slices.Concat(items, f.Laid); items != nil {
		err = sb.FS().Unpack(ctx, items)
	}
	if err == nil && f.Older != nil {
		err = f.Older.date(ctx, sb)
	}
	if err == nil {
		err = dateBuilt(ctx, sb, f.Built)
	}
	if err == nil && f.Serve != nil && f.served != sb {
		var up bool
		up, err = f.Serve(ctx, sb, f.down)
		f.served, f.down = sb, f.down || !up
		if err == nil {
			err = f.Watch.started(ctx, sb, f.Final, f.Laid, items)
		}
		if err == nil && items != nil {
			err = sb.FS().Unpack(ctx, items)
		}
		if err == nil && f.Older != nil {
			err = f.Older.date(ctx, sb)
		}
		if err == nil {
			err = dateBuilt(ctx, sb, f.Built)
		}
	}
	if err == nil && f.Serve != nil {
		err = f.Watch.before(ctx, sb, f.Final, items)
	}
	if err != nil {
		return nil, errors.Join(err, sb.Close())
	}
	return sb, nil
}

func (f *Worlds) next(ctx context.Context) (sandbox.Sandbox, error) {
	sb := f.Kept
	if sb == nil {
		return f.Open(ctx)
	}
	f.Kept = nil
	if !f.used || f.Shared {
		return sb, nil
	}
	same, err := f.untouched(ctx, sb)
	if err == nil && same {
		return sb, nil
	}
	if err = errors.Join(err, sb.Close()); err != nil {
		return nil, err
	}
	return f.Open(ctx)
}

// give takes back a sandbox that a check is done with; a control, which is
// meant to write, has no name.
func (f *Worlds) give(ctx context.Context, sb sandbox.Sandbox, check string) error {
	if f.Wrote != nil && check != "" {
		now, err := sb.FS().Manifest(ctx, nil)
		if err != nil {
			return errors.Join(err, sb.Close())
		}
		for _, c := range tree.Changes(f.Final, now) {
			if strings.HasPrefix(c.Path, "~/") || HasPath(f.Laid, c.Path) {
				continue
			}
			if c.More, err = f.grew(ctx, sb, c, now); err != nil {
				return errors.Join(err, sb.Close())
			}
			f.Wrote[check] = append(f.Wrote[check], c)
		}
	}
	if !f.Again && !f.Shared || f.Kept != nil {
		return sb.Close()
	}
	f.Kept, f.used = sb, true
	f.checks++
	return nil
}

// grew reports whether a check only wrote behind what was in a file. Errors are the
// sandbox's.
func (f *Worlds) grew(ctx context.Context, sb sandbox.Sandbox, c tree.Change, now sandbox.Manifest) (more bool,
	err error) {
	was, _ := tree.Lookup(f.Final, c.Path)
	is, _ := tree.Lookup(now, c.Path)
	if c.What != "content" || !c.File || was.Size == 0 || is.Size > tree.MaxAppended {
		return false, nil
	}
	err = sb.FS().Pack(ctx, []string{c.Path}, func(it sandbox.Item) error {
		more = tree.Begins(it.Data, was)
		return nil
	})
	return more, err
}

// ran reports whether other checks ran before the last one where it did.
func (f *Worlds) ran() bool { return f.Shared && f.checks > 1 }

// leftovers prints the processes beside PID 1 and this shell, and the files
// outside of project and home that can be written. It starts no process.
const leftovers = `shopt -s nullglob dotglob
for f in /proc/[0-9]* /tmp/* /var/tmp/* /run/* /dev/shm/*; do [[ $f == /proc/1 || $f == /proc/$$ ]] || printf '%s\n' "$f"; done`

// untouched reports whether a sandbox is as it was when it was opened: the
// same files, none beside them, no process left.
func (f *Worlds) untouched(ctx context.Context, sb sandbox.Sandbox) (bool, error) {
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: leftovers})
	if err != nil || !res.OK() || strings.TrimSpace(string(res.Stdout)) != "" {
		return false, err
	}
	now, err := sb.FS().Manifest(ctx, nil)
	laid := func(file sandbox.File) bool { return HasPath(f.Laid, file.Path) }
	return slices.EqualFunc(slices.DeleteFunc(now, laid), slices.DeleteFunc(slices.Clone(f.Final), laid), f.leftAlone), err
}

// leftAlone compares a file with itself in the state. One that was made just
// before the first sandbox began may seem touched there, and not in another.
// What is put there before each check may be as it likes.
func (f *Worlds) leftAlone(now, before sandbox.File) bool {
	if slices.ContainsFunc(f.Settings, func(it sandbox.Item) bool { return it.Path == now.Path }) {
		return true
	}
	if f.Git != nil && now.Path == before.Path && slices.ContainsFunc(f.Git.Files(),
		func(it sandbox.Item) bool { return it.Path == now.Path }) {
		return true
	}
	if before.Touched {
		now.Touched = true
	}
	return now == before
}

// Behind describes the files of the shared world in which checks ran; nil: there is none.
// Errors are the sandbox's.
func (f *Worlds) Behind(ctx context.Context) (sandbox.Manifest, error) {
	if !f.Shared || f.Kept == nil || !f.used {
		return nil, nil
	}
	return f.Kept.FS().Manifest(ctx, nil)
}

// Grew are changes of files in that world, each with whether checks only wrote behind what was in it. Errors are the
// sandbox's.
func (f *Worlds) Grew(ctx context.Context, changes []tree.Change, now sandbox.Manifest) ([]tree.Change, error) {
	for i, c := range changes {
		more, err := f.grew(ctx, f.Kept, c, now)
		if err != nil {
			return nil, err
		}
		changes[i].More = more
	}
	return changes, nil
}

// HasRunAll reports whether all checks that were asked ran in the shared world that is kept.
func (f *Worlds) HasRunAll() bool { return f.Shared && f.Kept != nil && f.used && !f.replaced }

// Renew has the next check begin in a world that nothing ran in. Errors are the sandbox's.
func (f *Worlds) Renew() error {
	err := f.Close()
	f.Kept, f.used, f.checks, f.replaced = nil, false, 0, true
	return err
}

// Close ends the world that is kept for the next check, where there is one.
func (f *Worlds) Close() error {
	if f.Kept == nil {
		return nil
	}
	return f.Kept.Close()
}
