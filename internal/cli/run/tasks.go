package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/ui/text"
)

// pick takes of the tasks of a recipe, those of its repairs among them, the ones
// that --task, --shard, --replay and "resume" leave; leaving none is an error.
// sequential says that they follow one another.
func (f runFlags) pick(tasks []string, sequential bool) ([]string, error) {
	there := func(name string) bool { return slices.Contains(tasks, name) }
	if f.task == nil && f.failed != "" && f.tasks != nil && !slices.ContainsFunc(f.tasks, there) {
		return nil, cli.Usage("--failed: the recipe has none of the tasks that failed there: %s",
			strings.Join(f.tasks, "; "))
	}
	left, err := f.task.Pick(tasks, f.tasks)
	if err != nil || f.shard == "" {
		return left, err
	}
	part, parts, err := parseShard(f.shard)
	switch {
	case err != nil:
		return nil, err
	case sequential:
		return nil, cli.Usage("--shard %s: the tasks of this recipe follow one another (task_mode: sequential), "+
			"so a part of them is another comparison", f.shard)
	case parts > len(left):
		return nil, cli.Usage("--shard %s: only %s can be shared out", f.shard, text.Count(len(left), "task"))
	}
	f.part.Part, f.part.Of, f.part.Tasks = part, parts, left
	return f.part.Cut(), nil
}

// parseShard reads I/N, the part I of N from 1.
func parseShard(s string) (part, parts int, err error) {
	i, n, ok := strings.Cut(s, "/")
	part, errI := strconv.Atoi(i)
	parts, errN := strconv.Atoi(n)
	if !ok || errI != nil || errN != nil || part < 1 || part > parts {
		return 0, 0, fmt.Errorf("--shard %q: give I/N, as 2/8 for the second of eight parts", s)
	}
	return part, parts, nil
}
