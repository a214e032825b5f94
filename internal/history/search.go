package history

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Holding gives the files of a commit, below the directory from which the repository is
// seen, in which a line of these stands, in the order of their paths.
func (r *Repo) Holding(ctx context.Context, commit string, lines []string) ([]string, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	args := []string{"grep", "--no-textconv", "--no-color", "--threads=1", "-I", "-l", "-z", "-F", "-f", "-", commit}
	if r.Prefix != "" {
		args = append(args, "--", ":(top,literal)"+r.Prefix)
	}
	out, err := r.git(ctx, []byte(strings.Join(lines, "\n")+"\n"), args...)
	if no, ok := errors.AsType[*exec.ExitError](err); ok && no.ExitCode() == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for lines in commit %.12s: %w", commit, err)
	}
	var list []string
	for hit := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if p, below := strings.CutPrefix(strings.TrimPrefix(hit, commit+":"), r.Prefix); below && p != "" {
			list = append(list, p)
		}
	}
	return list, nil
}
