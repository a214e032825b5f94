package history

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Derived gives the repository with a directory of its own for objects that are made of
// its commits; nothing is written into it.
func (r *Repo) Derived(dir string) *Repo {
	out := *r
	out.objects = dir
	return &out
}

// Derive makes a commit with other contents of some files, seen from the directory that the
// repository is seen from; files that were not there are new. The repository is a Derived.
func (r *Repo) Derive(ctx context.Context, commit string, texts map[string]string) (string, error) {
	index := filepath.Join(r.objects, "index-"+commit)
	defer os.Remove(index)
	env := append(r.env(), "GIT_INDEX_FILE="+index, "GIT_AUTHOR_DATE=@0 +0000", "GIT_COMMITTER_DATE=@0 +0000",
		"GIT_AUTHOR_NAME=derived", "GIT_COMMITTER_NAME=derived", "GIT_AUTHOR_EMAIL=derived@localhost",
		"GIT_COMMITTER_EMAIL=derived@localhost")
	if _, err := run(ctx, "/", env, nil, "read-tree", commit); err != nil {
		return "", err
	}
	modes, err := modesOf(ctx, env, below(r.Prefix, slices.Sorted(maps.Keys(texts))))
	if err != nil {
		return "", err
	}
	var entries strings.Builder
	for _, p := range slices.Sorted(maps.Keys(texts)) {
		id, err := run(ctx, "/", env, []byte(texts[p]), "hash-object", "-w", "--no-filters", "--stdin")
		if err != nil {
			return "", err
		}
		mode := modes[r.Prefix+p]
		if mode == "" {
			mode = "100644"
		}
		entries.WriteString(mode + " " + strings.TrimSpace(id) + "\t" + r.Prefix + p + "\x00")
	}
	if _, err := run(ctx, "/", env, []byte(entries.String()), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	tree, err := run(ctx, "/", env, nil, "write-tree")
	if err != nil {
		return "", err
	}
	id, err := run(ctx, "/", env, nil, "commit-tree", "-m", "derived", "-p", commit, strings.TrimSpace(tree))
	return strings.TrimSpace(id), err
}

// modesOf gives those that paths have in an index.
func modesOf(ctx context.Context, env, paths []string) (map[string]string, error) {
	out, err := run(ctx, "/", env, nil, append([]string{"ls-files", "-s", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	modes := map[string]string{}
	for e := range strings.SplitSeq(out, "\x00") {
		if head, p, ok := strings.Cut(e, "\t"); ok {
			modes[p], _, _ = strings.Cut(head, " ")
		}
	}
	return modes, nil
}
