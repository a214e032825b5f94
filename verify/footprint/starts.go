package footprint

import (
	"context"
	"slices"
	"strings"
	"sync"

	"cookoff/sandbox"
	"cookoff/verify/traps"
)

// Starts reads staged states of one task. What the last one had, in the same place, the next
// does not read anew, and both share it: trials that are under way at once differ in
// little. It is safe for concurrent use; nobody may change what it gives.
type Starts struct {
	mu          sync.Mutex
	files       sandbox.Manifest
	held, texts *kept
}

// kept is what was read of a state.
type kept struct {
	of    sandbox.Manifest
	items map[string]sandbox.Item // by path
	seen  map[string]seen         // by path, of regular files that could be read
}

// seen is a regular file as a state had it.
type seen struct {
	sum  string // see sandbox.File
	item sandbox.Item
}

// Files is what a state holds, in the memory of the last state where that held the same.
func (s *Starts) Files(m sandbox.Manifest) sandbox.Manifest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.files, m) {
		s.files = m
	}
	return s.files
}

// Holds reads what programs obey and what repositories refer to, by path. Errors are the
// sandbox's.
func (s *Starts) Holds(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest) (map[string]sandbox.Item, error) {
	return s.read(ctx, sb, m, &s.held, obeyed)
}

// obeyed chooses of a state what programs obey and what repositories refer to.
func obeyed(m sandbox.Manifest) *reading {
	r, git, tools, left := &reading{}, gitDirsIn(m), traps.Tools(), int64(maxStores)
	for _, f := range m {
		_, inside := git.of(f.Path)
		switch {
		case refers(inside):
			r.want(f, maxObeyedSize)
		case strings.HasSuffix(inside, ".idx"):
			r.want(f, maxPackIndex)
		case isStore(f) && f.Size <= left:
			left -= f.Size
			r.want(f, maxStore)
		case traps.For(tools, f.Path) != nil, closedNow(f), keeps(f.Path) && mayBeSecret(f):
			r.want(f, maxObeyedSize)
		}
	}
	return r
}

func refers(inside string) bool {
	return inside == "packed-refs" || inside == "HEAD" ||
		strings.HasPrefix(inside, "refs/") || strings.HasPrefix(inside, "logs/")
}

// Texts reads what is compared later for what it says, by path. Errors are the sandbox's.
func (s *Starts) Texts(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest) (map[string]sandbox.Item, error) {
	return s.read(ctx, sb, m, &s.texts,
		func(m sandbox.Manifest) *reading { return toCompare(m, maxCompared) })
}

// read reads what is chosen of a state, and keeps that for the next.
func (s *Starts) read(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest, last **kept,
	choose func(sandbox.Manifest) *reading) (map[string]sandbox.Item, error) {
	s.mu.Lock()
	k := *last
	s.mu.Unlock()
	if k == nil {
		k = &kept{}
	} else if len(k.seen) == len(k.items) && slices.Equal(k.of, m) {
		return k.items, nil
	}
	r := choose(m)
	items, err := r.readBeside(ctx, sb, k.seen)
	if err != nil {
		return nil, err
	}
	next := &kept{of: m, items: items, seen: make(map[string]seen, len(items))}
	for _, f := range r.files {
		if it, found := items[f.Path]; found && !it.Gone && it.Left == "" && f.Sum != "" && f.Mode.IsRegular() {
			next.seen[f.Path] = seen{f.Sum, it}
		}
	}
	s.mu.Lock()
	*last = next
	s.mu.Unlock()
	return items, nil
}
