package footprint

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// Starts reads staged states of one task. What the last one had, in the same place, the next
// does not read anew, and both share it: trials that are under way at once differ in
// little. It is safe for concurrent use; nobody may change what it gives.
type Starts struct {
	mu          sync.Mutex
	staged      int
	files       sandbox.Manifest
	common      sandbox.Manifest // what all have that were staged
	names       sandbox.Manifest // what is called so in all of them
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
	s.staged++
	switch {
	case s.files == nil:
		s.files, s.common, s.names = m, m, m
	case !slices.Equal(s.files, m):
		named := s.names
		s.files, s.common = m, slices.DeleteFunc(slices.Clone(m), lackedBy(s.common))
		s.names = slices.DeleteFunc(slices.Clone(m), func(f sandbox.File) bool {
			_, there := tree.Lookup(named, f.Path)
			return !there
		})
	}
	return s.files
}

// Drawn gives the files of a state that not every state has that was staged: what a setup draws by
// chance, or dates.
func (s *Starts) Drawn(m sandbox.Manifest) sandbox.Manifest {
	s.mu.Lock()
	lacked := lackedBy(s.common)
	s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m), func(f sandbox.File) bool { return !lacked(f) })
}

// Few reports whether not enough states were staged to know what is drawn.
func (s *Starts) Few() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.staged < 2
}

// drawn begins the key of a difference in any file that is called as the setup calls some by chance.
const drawn = "drawn "

// Draws reports whether a solution touches files whose names the setup draws.
func (f *learnt) Draws() bool {
	keys, _ := f.All()
	for key := range keys {
		if strings.HasPrefix(key, drawn) {
			return true
		}
	}
	return false
}

// likeness is what differences in files share whose names the setup draws.
type likeness struct {
	key string // of such a difference, see Start.like; "": the name is not drawn
	nth int    // of those in one state, from 1
	all bool   // as many as there are files of the kind
}

// learned is the key that says how many of them a solution does: each that there is, or this many.
func (l likeness) learned() string {
	if l.all {
		return l.key + " *"
	}
	return l.key + " #" + strconv.Itoa(l.nth)
}

// alsoDone reports whether a solution does as many differences of the kind.
func (f *learnt) alsoDone(l likeness) bool {
	return l.key != "" && (f.Has(l.key+" *") || f.Has(l.key+" #"+strconv.Itoa(l.nth)))
}

// likenesses notes of differences that are to files with drawn names what they share.
func (s *Start) likenesses(list []Difference) {
	n := map[string]int{}
	for i, d := range list {
		if key := s.like(d); key != "" {
			n[key]++
			list[i].Like = likeness{key: key, nth: n[key]}
		}
	}
	if len(n) == 0 {
		return
	}
	there := map[string]int{} // by the key of a difference that is nothing but a path
	for _, f := range s.Files {
		there[s.like(Difference{Key: f.Path, Path: f.Path})]++
	}
	for i, d := range list {
		kind := s.like(Difference{Key: d.Path, Path: d.Path})
		list[i].Like.all = d.Like.key != "" && n[d.Like.key] >= there[kind]
	}
}

// like gives the key of a difference in a file of a start, or in a directory, whose name the setup draws: that
// of the same difference in any other of its directory with that ending. "": it draws none, or that
// of a file of git.
func (s *Start) like(d Difference) string {
	file := fileOf(d.Path)
	if s.Of == nil || strings.Contains("/"+file+"/", "/.git/") {
		return ""
	}
	s.Of.mu.Lock()
	names := s.Of.names
	s.Of.mu.Unlock()
	for i, r := range file + "/" {
		name := file[:i]
		if r != '/' || name == "~" {
			continue
		}
		if _, had := tree.Lookup(s.Files, name); !had {
			return ""
		}
		if _, always := tree.Lookup(names, name); always {
			continue
		}
		kind := path.Dir(name) + "/*" + ending.FindString(name)
		if does, last := strings.CutSuffix(d.Key, d.Path); last {
			return drawn + does + kind + d.Path[len(name):]
		}
		return drawn + strings.Replace(d.Key, name, kind, 1)
	}
	return ""
}

// ending is how a file's name says what kind it is: the rest may be drawn.
var ending = pattern.New(`\.[a-z]{1,5}$`)

// lackedBy asks of files whether a manifest has none that is the same.
func lackedBy(m sandbox.Manifest) func(sandbox.File) bool {
	return func(f sandbox.File) bool {
		is, there := tree.Lookup(m, f.Path)
		return !there || is.Mode != f.Mode || is.Sum != f.Sum || is.Link != f.Link || is.Foreign() != f.Foreign()
	}
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
		case traps.For(tools, f.Path) != nil, traps.IsHook(f.Path), closedNow(f), keeps(f.Path) && mayBeSecret(f):
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
