package lend

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"cookoff/internal/gitindex"
	"cookoff/sandbox"
)

// Where a project's repository has what it tracks, and what it is told to overlook.
const (
	repository = ".git"
	info       = ".git/info"
	index      = ".git/index"
	exclude    = ".git/info/exclude"
)

// Unseen tells the repository of a world's project to miss none of these files, which it
// tracks and the world has not. Without a repository that can be told, nothing happens. An
// error is the sandbox's.
func Unseen(ctx context.Context, sb sandbox.Sandbox, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := overlook(ctx, sb, paths, true)
	return harmless(err)
}

// harmless gives an error of the sandbox, and none of what lies there.
func harmless(err error) error {
	if _, refused := errors.AsType[*sandbox.FileError](err); refused {
		return nil
	}
	return err
}

// overlook makes the index pay no heed to paths (on), or heed them again. changed are those
// where it was otherwise.
func overlook(ctx context.Context, sb sandbox.Sandbox, paths []string, on bool) (changed []string, err error) {
	there, err := look(ctx, sb, []string{repository, index})
	if err != nil || !isDir(there[repository]) || !isFile(there[index]) {
		return nil, err
	}
	it := there[index]
	data, changed, err := gitindex.Skip(it.Data, func(p string) bool { return slices.Contains(paths, p) }, on)
	if err != nil || len(changed) == 0 {
		return nil, nil // one that can't be told
	}
	it.Data, it.Size = data, int64(len(data))
	return changed, sb.FS().Unpack(ctx, []sandbox.Item{it})
}

func isDir(it sandbox.Item) bool { return !it.Gone && it.Mode.IsDir() }

func isFile(it sandbox.Item) bool { return !it.Gone && it.Mode.IsRegular() && it.Left == "" }

// ignoring is what a repository was told of files that are given.
type ignoring struct {
	skipped []string // that it tracks
	lines   []byte   // of its exclude
	was     sandbox.Item
}

// ignore tells the repository of a world's project to overlook items that are given.
func ignore(ctx context.Context, sb sandbox.Sandbox, items []sandbox.Item) (g ignoring, err error) {
	var paths []string
	var lines bytes.Buffer
	for _, it := range items {
		if it.Mode.IsRegular() && !strings.HasPrefix(it.Path, "~/") {
			paths = append(paths, it.Path)
			lines.WriteString("/" + ignored.Replace(it.Path) + "\n")
		}
	}
	if len(paths) == 0 {
		return g, nil
	}
	there, err := look(ctx, sb, []string{repository, info, exclude})
	if err != nil || !isDir(there[repository]) {
		return g, err
	}
	if g.skipped, err = overlook(ctx, sb, paths, true); err != nil {
		return g, err
	}
	was := there[exclude]
	if !was.Gone && !isFile(was) || !there[info].Gone && !isDir(there[info]) {
		return g, nil
	}
	var put []sandbox.Item
	if there[info].Gone {
		put = append(put, sandbox.Item{Path: info, Mode: fs.ModeDir | 0o755})
	}
	it := was
	if was.Gone {
		it = sandbox.Item{Path: exclude, Mode: 0o644}
	}
	if g.lines = lines.Bytes(); len(was.Data) > 0 && !bytes.HasSuffix(was.Data, newline) {
		g.lines = append(bytes.Clone(newline), g.lines...)
	}
	it.Data = append(bytes.Clone(was.Data), g.lines...)
	it.Size, g.was = int64(len(it.Data)), was
	return g, sb.FS().Unpack(ctx, append(put, it))
}

var newline = []byte("\n")

// ignored makes a path a pattern that means it alone.
var ignored = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `)

// heed undoes ignore, whatever became of the repository.
func (g ignoring) heed(ctx context.Context, sb sandbox.Sandbox) error {
	if len(g.skipped) > 0 {
		if _, err := overlook(ctx, sb, g.skipped, false); err != nil {
			return err
		}
	}
	if len(g.lines) == 0 {
		return nil
	}
	there, err := look(ctx, sb, []string{repository, info, exclude})
	if err != nil || !isDir(there[repository]) || !isDir(there[info]) || !isFile(there[exclude]) {
		return err
	}
	now := there[exclude]
	rest, after, ok := cutLast(now.Data, g.lines)
	if !ok {
		return nil
	}
	back := now
	if len(after) > 0 && bytes.HasPrefix(g.lines, newline) {
		rest = append(rest, '\n')
	}
	if rest = append(rest, after...); !bytes.Equal(rest, g.was.Data) {
		back.Data, back.Size = rest, int64(len(rest))
	} else if back = g.was; back.Gone {
		back = sandbox.Item{Path: exclude, Gone: true}
	}
	return sb.FS().Unpack(ctx, []sandbox.Item{back})
}

// cutLast cuts the last place where text stands.
func cutLast(data, text []byte) (before, after []byte, ok bool) {
	i := bytes.LastIndex(data, text)
	if i < 0 {
		return nil, nil, false
	}
	return bytes.Clone(data[:i]), data[i+len(text):], true
}
