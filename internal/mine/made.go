package mine

import (
	"context"
	"path"
	"strings"

	"cookoff/internal/mine/commands"
	"cookoff/sandbox"
	"cookoff/shell"
)

// dirtied names what tests wrote into the project since it was set up and, behind a directory in which something came
// or went and two slashes, all that is in it; caches and what was prepared are left.
const dirtied = `cd /work && find . -xdev \( -name .git -o -name __pycache__ -o -name node_modules -o -name .venv ` +
	`-o -name .pytest_cache -o -name target \) -prune -o \( -type f -o -type l \) -cnewer ` + stamp + ` -print0 ` +
	`-o -type d -cnewer ` + stamp + ` -exec sh -c 'cd "$1" && for f in . * .*; do ` +
	`[ -e "$f" ] || [ -L "$f" ] && printf "%s//%s\\0" "$1" "$f"; done' sh {} \;`

// done is what tests did to a project.
type done struct {
	written []string                   // files
	dirs    map[string]map[string]bool // directories in which something came or went, with what is in them
}

// whatTestsDid finds out what tests did to a world since it was set up.
func (w *world) whatTestsDid(ctx context.Context) (*done, error) {
	list, err := printed(ctx, w, dirtied)
	if err != nil {
		return nil, err
	}
	did := &done{dirs: map[string]map[string]bool{}}
	for _, p := range list {
		dir, name, is := strings.Cut(p, "//")
		if !is {
			did.written = append(did.written, path.Clean(p))
			continue
		}
		if dir = path.Clean(dir); did.dirs[dir] == nil {
			did.dirs[dir] = map[string]bool{}
		}
		did.dirs[dir][name] = true
	}
	return did, nil
}

// printed gives what a script prints, each behind a NUL.
func printed(ctx context.Context, sb sandbox.Sandbox, script string) ([]string, error) {
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: script})
	text := strings.TrimSuffix(string(res.Stdout), "\x00")
	if err != nil || text == "" {
		return nil, err
	}
	return strings.Split(text, "\x00"), nil
}

// removed reports whether a file that was there is not any more.
func (d *done) removed(p string) bool {
	for ; p != "."; p = path.Dir(p) {
		if names, is := d.dirs[path.Dir(p)]; is && !names[path.Base(p)] {
			return true
		}
	}
	return false
}

// unprepared names what a world began with and tests removed: files that were prepared among them.
func (w *world) unprepared(ctx context.Context, did *done) ([]string, error) {
	if w.prepared == "" || len(did.dirs) == 0 {
		return nil, nil
	}
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	below := func(dirs []string, which string) ([]string, error) {
		quoted, err := shell.Quote(dirs)
		if err != nil {
			return nil, err
		}
		return printed(ctx, w.first, "cd /work && find "+quoted+" -mindepth "+which+" -print0 2>/dev/null")
	}
	var dirs, gone []string
	for dir := range did.dirs {
		dirs = append(dirs, "./"+dir)
	}
	had, err := below(dirs, "1 -maxdepth 1")
	if err != nil {
		return nil, err
	}
	for _, p := range had {
		if did.removed(path.Clean(p)) {
			gone = append(gone, p)
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	files, err := below(gone, `0 \( -type f -o -type l \)`)
	for i, p := range files {
		files[i] = path.Clean(p)
	}
	return files, err
}

// begin opens once more what a world began with.
func (w *world) begin(ctx context.Context) (err error) {
	if w.first == nil {
		w.first, err = w.again(ctx)
	}
	return err
}

// untouched gives files as a world had them before any test ran, those that there were none of as gone: tests
// rewrite what was prepared, too, as cargo does a lockfile that git ignores. Where nothing was prepared the files of
// commits are all that a world begins with.
func (w *world) untouched(ctx context.Context, paths []string) (items []sandbox.Item, err error) {
	if w.prepared == "" || len(paths) == 0 {
		for _, p := range paths {
			items = append(items, sandbox.Item{Path: p, Gone: true})
		}
		return items, nil
	}
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	err = w.first.FS().Pack(ctx, paths, func(it sandbox.Item) error {
		if it.Gone = it.Gone || w.tracked[it.Path]; it.Gone {
			it = sandbox.Item{Path: it.Path, Gone: true}
		}
		if it.Left == "" {
			items = append(items, it)
		}
		return nil
	})
	return items, err
}

// askNode finds out how the node of a world is told which tests not to run: since its version 22 by their names.
func (w *world) askNode(ctx context.Context) error {
	if w.asked {
		return nil
	}
	w.asked = true
	for _, way := range []string{commands.NodeSkips, commands.NodeNames} {
		res, err := w.Exec(ctx, sandbox.Cmd{Script: way + "=x --version"})
		if err != nil {
			return err
		}
		if res.OK() {
			w.skips = way
			return nil
		}
	}
	return nil
}
