package apply

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// statusBatch is how many paths git is asked about at once.
const statusBatch = 500

// Unsaved gives those of the paths, relative to the project at dir, whose
// content nothing could bring back: what git has not committed, and all of
// them where there is no git. The project is the user's own; git runs nowhere
// else.
func Unsaved(ctx context.Context, dir string, paths []string) ([]string, error) {
	var out []string
	for batch := range slices.Chunk(paths, statusBatch) {
		some, err := unsaved(ctx, dir, batch)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

func unsaved(ctx context.Context, dir string, paths []string) ([]string, error) {
	args := append([]string{"--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false", "status",
		"--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching", "--"}, paths...)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
	cmd.Env = append(cmd.Env, "LC_ALL=C")
	list, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var failed *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.As(err, &failed) && bytes.Contains(failed.Stderr,
		[]byte("not a git repository")):
		return paths, nil
	case errors.As(err, &failed):
		return nil, errors.New("asking git what is not committed: " + strings.TrimSpace(string(failed.Stderr)))
	case err != nil:
		return nil, err
	}
	return listed(ctx, dir, list)
}

// listed takes the paths out of what git status printed; they are relative to
// the top of the work tree.
func listed(ctx context.Context, dir string, list []byte) ([]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--show-prefix")
	cmd.Dir = dir
	prefix, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if len(line) > 3 {
			out = append(out, strings.TrimPrefix(line[3:], strings.TrimRight(string(prefix), "\n")))
		}
	}
	return out, nil
}
