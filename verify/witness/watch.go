package witness

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/lessons"
	"cookoff/verify/tree"
)

// Watch looks after the files of judged worlds in which services run: those are
// programs of the contestant, and run beside each check. Services may write what
// they write with the solution, too, or what the task allows.
type Watch struct {
	About   string   // what the checks say
	Protect []string // globs
	Allowed []string // globs of what a repair may change
	Solved  bool     // there is a solution, so that what services write is learned
	Tests   *lessons.Store
	Learns  bool // it does so now

	early string            // what was changed before any check; "": nothing
	marks map[string]string // when a file was last written, by path, before the check that runs
}

// services are what services wrote while they started, as something learned.
const servicesWrote = "services"

// started looks what the services of a world wrote while they started: early is set
// where that is not theirs to write. laid is what was put there before. Errors are
// the sandbox's.
func (w *Watch) started(ctx context.Context, sb sandbox.Sandbox, final sandbox.Manifest, laid,
	put []sandbox.Item) error {
	w.early = ""
	why, err := exchanged(ctx, sb, laid)
	if err != nil {
		return err
	}
	now, err := sb.FS().Manifest(ctx, nil)
	if err != nil {
		return err
	}
	var hit []tree.Change
	for _, ch := range tree.Changes(final, now) {
		if !HasPath(put, ch.Path) && w.guards(ch, final, now) && !w.Tests.Wrote(servicesWrote, ch.Path, w.Learns) {
			hit = append(hit, ch)
		}
	}
	if hit, err = w.meant(ctx, sb, hit, final, now); err != nil {
		return err
	}
	if hit != nil {
		w.early = "a service changed files when it started: " + tree.Listed(hit)
	}
	if why != "" {
		w.early = "a service changed a file of the judge when it started: " + why
	}
	return nil
}

// guards reports whether a change is none that a service may make by itself.
func (w *Watch) guards(ch tree.Change, final, now sandbox.Manifest) bool {
	if len(tree.Protected(w.Protect, []tree.Change{ch}, final, now)) > 0 {
		return true
	}
	if tree.IsSetting(ch.Path) {
		return !strings.Contains(w.About, path.Base(ch.Path))
	}
	f, _ := tree.Lookup(final, ch.Path)
	return w.Solved && f.Mode.IsRegular() && !strings.HasPrefix(ch.Path, "~/") && !tree.Matches(w.Allowed, ch.Path)
}

// paths are the files whose every write counts while a check runs: protected, the
// judge's, what is put in place of settings, and what the checks name.
func (w *Watch) paths(final sandbox.Manifest, put []sandbox.Item) (list []string) {
	for _, it := range put {
		if it.Mode.IsRegular() && !it.Gone {
			list = append(list, it.Path)
		}
	}
	for _, f := range final {
		if f.Mode.IsRegular() && !HasPath(put, f.Path) && (tree.Matches(w.Protect, f.Path) ||
			!strings.HasPrefix(f.Path, "~/") && !tree.Matches(w.Allowed, f.Path) && strings.Contains(w.About, f.Path)) {
			list = append(list, f.Path)
		}
	}
	return list
}

// markedAtOnce is how many files one command is asked about.
const markedAtOnce = 200

// written says of files when the system noted their last write, which no program
// can take back.
func written(ctx context.Context, sb sandbox.Sandbox, paths []string) (map[string]string, error) {
	out := map[string]string{}
	for list := range slices.Chunk(paths, markedAtOnce) {
		argv := []string{"/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "stat", "-c", "%i %z %n", "--"}
		for _, p := range list {
			if rest, home := strings.CutPrefix(p, "~/"); home {
				p = path.Join(sandbox.HomeDir, rest)
			}
			argv = append(argv, p)
		}
		res, err := sb.Exec(ctx, sandbox.Cmd{Argv: argv, Dir: sandbox.WorkDir})
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(res.Stdout)) {
			parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 5)
			if len(parts) == 5 {
				name := parts[4]
				if rest, home := strings.CutPrefix(name, sandbox.HomeDir+"/"); home {
					name = "~/" + rest
				}
				out[name] = strings.Join(parts[:4], " ")
			}
		}
	}
	return out, nil
}

// before notes when the files were written, just before a check.
func (w *Watch) before(ctx context.Context, sb sandbox.Sandbox, final sandbox.Manifest,
	put []sandbox.Item) (err error) {
	w.marks, err = written(ctx, sb, w.paths(final, put))
	return err
}

// meddled says which files were written since, though nobody wrote them while the
// same check ran on the solution; "": none, or there is no watch.
func (w *Watch) meddled(ctx context.Context, sb sandbox.Sandbox, check string) (string, error) {
	if w == nil || w.early != "" {
		if w == nil {
			return "", nil
		}
		return w.early, nil
	}
	var paths []string
	for p := range w.marks {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	now, err := written(ctx, sb, paths)
	if err != nil {
		return "", err
	}
	var hit []string
	for _, p := range paths {
		if now[p] != w.marks[p] && !w.Tests.Wrote("beside "+check, p, w.Learns) {
			hit = append(hit, p)
		}
	}
	if hit == nil {
		return "", nil
	}
	return "written while the check ran, beside the task's services: " + strings.Join(hit, ", "), nil
}
