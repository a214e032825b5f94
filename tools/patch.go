package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"cookoff/sandbox"
)

const (
	maxPatchFiles = 200 // files of one patch
	applyPatchDoc = `Applies a unified diff, as git diff prints it, to files of the project: changes, creates, deletes and renames. ` +
		`Line numbers may be off and the counts of a hunk are not looked at, ` +
		`but context and removed lines must be exactly those of the file. ` +
		`When one hunk does not fit, nothing is changed.`
)

type patchArgs struct {
	Patch string `json:"patch" description:"the diff: for each file --- a/path, +++ b/path (/dev/null for a file that is new or goes away), then hunks that begin with @@"`
}

// applyPatch works out every file before it writes the first.
func applyPatch(ctx context.Context, sb sandbox.Sandbox, a patchArgs) (Result, error) {
	if strings.TrimSpace(a.Patch) == "" {
		return Result{}, badArgs("patch: empty")
	}
	files, _, err := gitdiff.Parse(strings.NewReader(normalizePatch(a.Patch)))
	switch {
	case err != nil:
		return Result{}, badArgs("patch: not a unified diff: %s",
			Clip(Clean([]byte(strings.TrimPrefix(err.Error(), "gitdiff: "))), 300))
	case len(files) == 0:
		return Result{}, badArgs("patch: no file in it; " +
			"hint: a file begins with the two lines --- a/path and +++ b/path, followed by a line that begins with @@")
	case len(files) > maxPatchFiles:
		return Result{}, badArgs("patch: %d files are more than the %d of one patch", len(files), maxPatchFiles)
	}
	p := patching{ctx: ctx, sb: sb, now: map[string]*patched{}}
	for _, f := range files {
		if err := p.file(f); err != nil {
			return Result{}, err
		}
	}
	if err := p.write(); err != nil {
		return Result{}, err
	}
	return Result{Text: strings.Join(p.messages, "\n"), Wrote: true}, nil
}

// patching is a patch under way.
type patching struct {
	ctx      context.Context
	sb       sandbox.Sandbox
	now      map[string]*patched // by path
	order    []*patched
	messages []string
}

// patched is a file, as it is and as it will be.
type patched struct {
	path          string
	before, after []byte
	was, is       bool // it exists
	mode          string
}

// look reads a file, once.
func (p *patching) look(name string) (*patched, error) {
	if err := checkPath(name); err != nil {
		return nil, err
	}
	name = path.Clean(name)
	if f := p.now[name]; f != nil {
		return f, nil
	}
	f := &patched{path: name, was: true, is: true}
	data, err := readWhole(p.ctx, p.sb.FS(), name)
	fe, ok := errors.AsType[*sandbox.FileError](err)
	switch {
	case ok && fe.Kind == sandbox.FileMissing:
		f.was, f.is = false, false
	case err != nil:
		return nil, fileFailed(err)
	}
	f.before, f.after = data, data
	p.now[name] = f
	p.order = append(p.order, f)
	return f, nil
}

// file works out what one part of the patch does.
func (p *patching) file(g *gitdiff.File) error {
	if g.IsBinary {
		return failed("patch %s: binary changes can't be applied", cleanName(g.NewName+g.OldName))
	}
	from, to, err := p.ends(g)
	if err != nil {
		return err
	}
	text, offsets, err := patchText(from, g)
	if err != nil {
		return err
	}
	verb := "patched"
	switch {
	case g.IsDelete:
		if len(text) > 0 {
			return failed("patch %s: the file has more lines than the patch removes; it is not deleted",
				cleanName(from.path))
		}
		from.after, from.is = nil, false
		verb = "deleted"
	case g.IsRename:
		from.after, from.is = nil, false
		fallthrough
	case g.IsCopy:
		verb = "made"
		fallthrough
	default:
		to.after, to.is = text, true
	}
	if g.IsNew {
		verb = "created"
	}
	if g.NewMode.IsRegular() && g.NewMode.Perm() != 0 {
		to.mode = fmt.Sprintf("%o", g.NewMode.Perm())
	}
	p.messages = append(p.messages, strings.TrimSpace(fmt.Sprintf("%s %s %s", verb, cleanName(to.path), offsets)))
	return nil
}

// ends finds the file that a part begins with and the one it leaves, which are
// mostly the same.
func (p *patching) ends(g *gitdiff.File) (from, to *patched, err error) {
	name := g.NewName
	if g.IsDelete || g.IsRename || g.IsCopy {
		name = g.OldName
	}
	if from, err = p.look(name); err != nil {
		return nil, nil, err
	}
	to = from
	if g.IsRename || g.IsCopy {
		if to, err = p.look(g.NewName); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case g.IsNew && from.is:
		return nil, nil, failed("patch %s: the patch creates this file, but it exists; "+
			"hint: edit_file or write_file changes it", cleanName(name))
	case !g.IsNew && !from.is:
		return nil, nil, failed("patch %s: no such file; hint: a new file begins with --- /dev/null", cleanName(name))
	case to != from && to.is:
		return nil, nil, failed("patch %s: it can't be made of %s: it exists", cleanName(to.path), cleanName(name))
	}
	return from, to, nil
}

// write puts the files in place; when one can't be, those before it get their
// content back.
func (p *patching) write() error {
	for i, f := range p.order {
		err := p.put(f)
		if err == nil {
			continue
		}
		for _, done := range p.order[:i] {
			if undo := p.restore(done); undo != nil {
				return errors.Join(err, undo)
			}
		}
		return err
	}
	return nil
}

// put makes a file be what it shall be.
func (p *patching) put(f *patched) error {
	switch {
	case !f.is && f.was:
		return p.run(f, "rm", "-f", "--")
	case !f.is:
		return nil
	case !f.was || !bytes.Equal(f.after, f.before):
		if err := p.sb.FS().Write(p.ctx, f.path, f.after); err != nil {
			return fileFailed(err)
		}
	}
	if f.mode != "" {
		return p.run(f, "chmod", f.mode, "--")
	}
	return nil
}

// restore takes what put did back.
func (p *patching) restore(f *patched) error {
	switch {
	case !f.was && !f.is:
		return nil
	case !f.was:
		return p.run(f, "rm", "-f", "--")
	}
	return p.sb.FS().Write(p.ctx, f.path, f.before)
}

// run does what the file system of a sandbox has no request for.
func (p *patching) run(f *patched, argv ...string) error {
	name := f.path
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		name = path.Join(sandbox.HomeDir, rest)
	}
	r, err := p.sb.Exec(p.ctx, sandbox.Cmd{Argv: append(argv, name)})
	if err == nil && !r.OK() {
		err = failed("patch %s: %s: %s", cleanName(f.path), argv[0], Clip(strings.TrimSpace(Clean(r.Stderr)), 200))
	}
	return err
}
