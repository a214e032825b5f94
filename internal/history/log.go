package history

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Entry is a commit of a log, with what its author wrote.
type Entry struct {
	Commit
	Parents []string // ids, the first is what it was made on
	Message string
}

// LogQuery says which commits are listed.
type LogQuery struct {
	From  string    // id of the newest
	Since time.Time // zero: all
	// Paths are relative to the directory that the repository is seen from; none: the
	// commits that change anything below it.
	Paths []string
}

// Log lists commits along first parents, newest first.
func (r *Repo) Log(ctx context.Context, q LogQuery) ([]Entry, error) {
	args := []string{"log", "-z", "--first-parent", "--no-show-signature", "--no-color", "--encoding=UTF-8",
		"--format=%H%x01%P%x01%ct%x01%B", q.From}
	if args = append(args, "--"); r.Prefix != "" || len(q.Paths) > 0 {
		args = append(args, below(r.Prefix, q.Paths)...)
	}
	out, err := r.git(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var list []Entry
	for record := range strings.SplitSeq(out, "\x00") {
		f := strings.SplitN(record, "\x01", 4)
		if len(f) != 4 {
			continue // the end
		}
		at := timeOf(f[2])
		if at.Before(q.Since) {
			continue
		}
		list = append(list, Entry{Commit{f[0], at}, strings.Fields(f[1]),
			strings.ToValidUTF8(strings.TrimSpace(f[3]), "\uFFFD")})
	}
	return list, nil
}

// below gives paths seen from a directory as the repository has them; without any, the directory.
func below(prefix string, paths []string) []string {
	if len(paths) == 0 {
		return []string{":(literal)" + strings.TrimSuffix(prefix, "/")}
	}
	var out []string
	for _, p := range paths {
		out = append(out, ":(literal)"+prefix+p)
	}
	return out
}

// Patch gives how paths differ between two commits, so that git apply takes it in the
// directory that the repository is seen from. context is how many lines stand around
// each change.
func (r *Repo) Patch(ctx context.Context, from, to string, context int, paths []string) (string, error) {
	if len(paths) == 0 {
		return "", nil
	}
	args := []string{"diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--no-color",
		"--src-prefix=a/", "--dst-prefix=b/", fmt.Sprintf("-U%d", context), "--inter-hunk-context=0",
		"--diff-algorithm=histogram"}
	if r.Prefix != "" {
		args = append(args, "--relative="+r.Prefix)
	}
	return r.git(ctx, nil, append(append(args, from, to, "--"), below(r.Prefix, paths)...)...)
}

// Between gives how two files differ, without lines around each change.
func (r *Repo) Between(ctx context.Context, was, now File) (string, error) {
	return r.git(ctx, nil, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "-U0", "--inter-hunk-context=0",
		"--diff-algorithm=histogram", was.ID, now.ID)
}

// Contents reads files of a repository one after another; it is not safe for
// concurrent use.
type Contents struct{ reader *reader }

// NewContents begins to read. Close it in the end.
func NewContents(ctx context.Context, r *Repo) *Contents { return &Contents{newReader(ctx, r)} }

// Of gives the content of a file.
func (c *Contents) Of(f File) ([]byte, error) { return c.reader.content(f) }

// Close ends the reading.
func (c *Contents) Close() { c.reader.close() }

// Fork gives the id of the commit at which one left another; an error where they have none
// in common.
func (r *Repo) Fork(ctx context.Context, from, to Commit) (string, error) {
	out, err := r.git(ctx, nil, "merge-base", from.ID, to.ID)
	if err != nil || out == "" {
		return "", fmt.Errorf("%.12s and %.12s have no commit in common here", from.ID, to.ID)
	}
	return strings.TrimSpace(out), nil
}
