package witness

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// atWork are the ends of names of files in which servers keep, while they run, who they are and what they have
// not yet written elsewhere. No program is read from one.
var atWork = []string{".pid", ".lock", "-wal", "-shm", "-journal"}

// logEnds are the endings of names of logs: a directory of logs may hold anything.
var logEnds = []string{"", ".log", ".out", ".err", ".txt"}

// meant leaves out of what services changed when they started whatever any server does: it makes sockets, pipes and
// directories, notes its number, and writes on in its logs. What is protected and what the checks speak of stays.
func (w *Watch) meant(ctx context.Context, sb sandbox.Sandbox, hit []tree.Change, final, now sandbox.Manifest) (
	out []tree.Change, err error) {
	var logs []string
	for _, ch := range hit {
		if tree.IsLog(ch.Path) {
			logs = append(logs, ch.Path)
		}
	}
	held := map[string]sandbox.Item{}
	if logs != nil {
		if held, err = tree.Read(ctx, sb, logs); err != nil {
			return nil, err
		}
	}
	for _, ch := range hit {
		if w.spoken(ch, final, now) || !servers(ch, final, now, held) {
			out = append(out, ch)
		}
	}
	return out, nil
}

// spoken reports whether a change is of what is protected, or of what the checks name.
func (w *Watch) spoken(ch tree.Change, final, now sandbox.Manifest) bool {
	return len(tree.Protected(w.Protect, []tree.Change{ch}, final, now)) > 0 || tree.IsSetting(ch.Path) ||
		strings.Contains(w.About, path.Base(ch.Path))
}

// servers reports whether a change is one that any server makes where it starts.
func servers(ch tree.Change, final, now sandbox.Manifest, held map[string]sandbox.Item) bool {
	was, there := tree.Lookup(final, ch.Path)
	is, here := tree.Lookup(now, ch.Path)
	plain := func(f sandbox.File) bool { return f.Mode.IsRegular() }
	noted := slices.ContainsFunc(atWork, func(end string) bool { return strings.HasSuffix(ch.Path, end) })
	switch {
	case there && !plain(was) || here && !plain(is): // no file is exchanged for something else
		return was.Link == "" && is.Link == "" && (!there || !plain(was)) && (!here || !plain(is))
	case noted:
		return true
	case tree.IsLog(ch.Path) && slices.Contains(logEnds, path.Ext(ch.Path)) && here:
		return !there || tree.Appended(tree.Difference{Path: ch.Path, Was: &was, Is: &is}, held)
	}
	return false
}
