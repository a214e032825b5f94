package history

import (
	"context"
	"slices"
	"strings"
)

// Range is the commits that one has and another lacks.
type Range struct {
	repo *Repo
	args []string
}

// Range gives the commits that with has and without lacks, both named by ids.
func (r *Repo) Range(without, with string) Range {
	return Range{r, []string{with, "^" + without, "--"}}
}

// log gives what a format says of each commit, oldest first. Merges are left out.
func (r Range) log(ctx context.Context, format string, more ...string) (string, error) {
	args := []string{"log", "-z", "--reverse", "--no-merges", "--no-show-signature", "--encoding=UTF-8",
		"--format=" + format}
	out, err := r.repo.git(ctx, nil, slices.Concat(args, more, r.args)...)
	return strings.ToValidUTF8(out, "\uFFFD"), err
}

// Subjects gives the first lines of the messages, oldest first, fifty at most.
func (r Range) Subjects(ctx context.Context) ([]string, error) {
	out, err := r.log(ctx, "%s", "--max-count=50")
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(strings.Trim(out, "\x00"), "\x00"), nil
}

// IDs gives the ids of the commits, the newest first.
func (r Range) IDs(ctx context.Context) ([]string, error) {
	out, err := r.repo.git(ctx, nil, append([]string{"rev-list"}, r.args...)...)
	return strings.Fields(out), err
}

// Messages gives what the authors wrote, oldest first; of more than ten commits, their
// first lines.
func (r Range) Messages(ctx context.Context) (string, error) {
	subjects, err := r.Subjects(ctx)
	if err != nil {
		return "", err
	}
	if len(subjects) > 10 {
		return strings.Join(subjects, "\n\n"), nil
	}
	out, err := r.log(ctx, "%B")
	var list []string
	for m := range strings.SplitSeq(out, "\x00") {
		if m = strings.TrimSpace(m); m != "" {
			list = append(list, m)
		}
	}
	return strings.Join(list, "\n\n"), err
}
