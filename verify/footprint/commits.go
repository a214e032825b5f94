package footprint

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/footprint/gitobjects"
	"cookoff/verify/histories"
	"cookoff/verify/tree"
)

// Committed is what was done to a reference that has all that it had, and commits beside;
// Rewound what was done to a branch that no longer has all the commits which it had.
const (
	Committed = "commits added"
	Rewound   = "commits taken out"
	// Hidden is what was done to a file by committing it, where checks ask whether it differs.
	Hidden = "committed, so that it does not differ"
)

// maxCommits bounds the commits that are read to see what a branch came from.
const maxCommits = 1000

var (
	asksGit = pattern.New(`\bgit\b[^;&|\n]*\b(status|diff|log|shortlog|rev-parse|rev-list|describe|show|show-ref|` +
		`branch|reflog|stash|merge-base|cat-file|ls-files|ls-tree|symbolic-ref|for-each-ref|fsck|grep|blame|commit)\b`)
	asksHistory = pattern.New(`\bgit\b[^;&|\n]*\b(log|shortlog|rev-parse|rev-list|describe|show|show-ref|branch|reflog|` +
		`stash|merge-base|cat-file|ls-tree|symbolic-ref|for-each-ref|fsck|blame)\b`)
	// allBut is how scripts leave out files.
	allBut      = pattern.New(`:[!^]|exclude|\bgrep -\w*v`)
	rewritesGit = pattern.New(`\bgit\b[^;&|\n]*\b(rebase|filter-\w+|amend|reset|commit-tree|update-ref|replace|` +
		`fast-import|branch|checkout|switch|tag|push)\b`)
	forbidsCommits = pattern.New(`(?i)\b(commit nothing|(do not|don't|never|not) commit|no (new )?commits?|` +
		`without (a commit|committing))\b`)
)

// AsksGit reports whether checks ask git what is committed, changed or ignored.
func AsksGit(checks string) bool { return asksGit.MatchString(checks) }

// AsksHistory reports whether checks ask git for commits, or where references lead, not only what differs from them.
func AsksHistory(checks string) bool { return asksHistory.MatchString(checks) }

// RewritesGit reports whether scripts of a solution may write a history anew.
func RewritesGit(scripts string) bool { return rewritesGit.MatchString(scripts) }

// ForbidsCommits reports whether a prompt says that nothing is to be committed.
func ForbidsCommits(prompt string) bool { return forbidsCommits.MatchString(prompt) }

// commits finds which of the branches that are others only went on from what they were:
// "DIR/NAME" of each, with HEAD where it is on a new branch. Errors are the sandbox's.
func (o *observer) commits(ctx context.Context, sb sandbox.Sandbox) (map[string]bool, error) {
	on := map[string]bool{}
	for dir := range o.git {
		was, is := o.from.refs(dir), o.to.refs(dir)
		type move struct{ old, now string }
		moved := map[string]move{}
		for name, old := range was {
			if now := is[name]; strings.HasPrefix(name, "refs/heads/") && now != "" && now != old {
				moved[name] = move{old, now}
			}
		}
		from, to := headOf(o.from.held[dir+"/HEAD"]), headOf(o.to.held[dir+"/HEAD"])
		if to != from && was[from] != "" && was[to] == "" {
			moved["HEAD"] = move{was[from], is[to]}
		}
		for name, m := range moved {
			ok, err := o.follows(ctx, sb, dir, m.now, m.old)
			if err != nil {
				return nil, err
			}
			on[dir+"/"+name] = ok
			if o.bounds.Commits && o.bounds.AsksGit && ok {
				if ok, err = (checkedOut{o}).commitsDone(ctx, sb, dir, m.old, m.now); err != nil {
					return nil, err
				}
				if !ok {
					o.hides = append(o.hides, dir)
				}
			}
		}
	}
	return on, nil
}

// asksOf reports whether checks that ask what differs may ask it of a file: they name it, a directory on the way to it
// or files that end so, or say which they do not ask of.
func (b Bounds) asksOf(p string) bool {
	parts := append(strings.Split(p, "/"), strings.TrimSuffix(path.Base(p), path.Ext(p)))
	if ext := path.Ext(p); ext != "" {
		parts = append(parts, "*"+ext)
	}
	return allBut.MatchString(b.About) ||
		slices.ContainsFunc(parts, func(part string) bool { return part != "" && strings.Contains(b.About, part) })
}

// mayCommit reports whether a branch of a repository only went on, and may.
func (o checkedOut) mayCommit(dir, branch string) bool {
	return o.on[dir+"/"+branch] && o.bounds.Commits && !slices.Contains(o.hides, dir)
}

// commitsDone reports whether what is new in commits is what was done: files that are new, or were at the start as they
// were committed. Checks ask what differs from commits: one that differed, or that git did not know, would only be
// hidden from them. Errors are the sandbox's.
func (o checkedOut) commitsDone(ctx context.Context, sb sandbox.Sandbox, dir, old, now string) (bool, error) {
	if path.Base(dir) != ".git" || old == "" || len(old) != len(now) || o.filtered(dir) {
		return false, nil
	}
	gone, err := o.differ(ctx, sb, dir, old, now)
	if err != nil || gone == nil {
		return false, err
	}
	come, err := o.differ(ctx, sb, dir, now, old)
	if err != nil || come == nil {
		return false, err
	}
	for p := range gone.other {
		was := o.texts.was[p]
		if was.Left != "" || was.Path == "" ||
			!slices.Contains(gitobjects.Names("blob", was.Data), gone.was[p].name) || was.Link != "" {
			return false, nil
		}
		if o.bounds.asksOf(p) {
			o.add(Difference{Key: "content " + p, Path: p, What: Hidden})
		}
	}
	for p := range come.other {
		if gone.was[p] == (entry{}) && o.bounds.asksOf(p) {
			return false, nil
		}
		if _, had := tree.Lookup(o.from.files, p); had && gone.was[p] == (entry{}) {
			return false, nil // of which git did not know
		}
	}
	return len(gone.other)+len(come.other) > 0, nil
}

// headOf is the branch that HEAD is on; "": none.
func headOf(it sandbox.Item) string {
	name, is := strings.CutPrefix(strings.TrimSpace(string(it.Data)), "ref: ")
	if !is || it.Link != "" {
		return ""
	}
	return name
}

// follows reports whether a commit is an old one, or came from it, by the commits that
// were added since.
func (o *observer) follows(ctx context.Context, sb sandbox.Sandbox, dir, now, old string) (bool, error) {
	seen, inPacks := map[string]bool{}, packsOf(o, sb, dir)
	for next := []string{now}; len(next) > 0 && len(seen) < maxCommits; {
		if slices.Contains(next, old) {
			return true, nil
		}
		var ahead []string
		r := &reading{}
		for _, name := range next {
			if seen[name] || len(name) < 40 {
				continue
			}
			seen[name] = true
			if f, there := tree.Lookup(o.to.files, dir+"/objects/"+name[:2]+"/"+name[2:]); there {
				r.want(f, maxObeyedSize)
				continue
			}
			kind, body, err := inPacks.Object(ctx, name)
			if err != nil {
				return false, err
			}
			if kind == "commit" {
				ahead = append(ahead, parents(string(body))...)
			}
		}
		held, err := r.read(ctx, sb)
		if err != nil {
			return false, err
		}
		next = ahead
		for p, it := range held {
			if name := gitobjects.NameOf(strings.TrimPrefix(p, dir+"/")); gitobjects.Sound(it.Data, name) {
				if kind, body := gitobjects.Loose(it.Data); kind == "commit" {
					next = append(next, parents(string(body))...)
				}
			}
		}
	}
	return false, nil
}

// parents are those that a commit names.
func parents(text string) (list []string) {
	head, _, _ := strings.Cut(text, "\n\n")
	for line := range strings.Lines(head) {
		if name, is := strings.CutPrefix(line, "parent "); is {
			list = append(list, strings.TrimSpace(name))
		}
	}
	return list
}

// ReadHistories reads what the repositories of a staged state remember, by their directories. Errors are the sandbox's.
func ReadHistories(ctx context.Context, sb sandbox.Sandbox, s *Start) (map[string]*histories.History, error) {
	out := map[string]*histories.History{}
	for dir := range gitDirsIn(s.Files) {
		h, err := snapshot{files: s.Files, held: s.Held}.history(ctx, sb, dir)
		if err != nil {
			return nil, err
		}
		out[dir] = h
	}
	return out, nil
}

// maxHistory bounds the objects that are read out of packs to know one history.
const maxHistory = 20_000

// history reads what a repository remembers.
func (s snapshot) history(ctx context.Context, sb sandbox.Sandbox, dir string) (*histories.History, error) {
	r := &reading{}
	for _, f := range s.below(dir + "/objects/") {
		if gitobjects.NameOf(f.Path[len(dir)+1:]) != "" {
			r.want(f, maxObeyedSize)
		}
	}
	loose, err := r.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	all := func(string) bool { return true }
	return histories.Read(ctx, objects{dir, loose, s.packs(sb, dir, maxHistory, all)}, s.refs(dir))
}

// objects are those of a repository, loose or packed.
type objects struct {
	dir   string
	loose map[string]sandbox.Item // by path
	packs *gitobjects.Packs
}

// Object gives one by its name; its kind is "" where it is not there, or not what its name says.
func (o objects) Object(ctx context.Context, name string) (kind string, body []byte, err error) {
	if len(name) < 40 {
		return "", nil, nil
	}
	it, there := o.loose[o.dir+"/objects/"+name[:2]+"/"+name[2:]]
	if there && gitobjects.Sound(it.Data, name) {
		kind, body = gitobjects.Loose(it.Data)
		return kind, body, nil
	}
	return o.packs.Object(ctx, name)
}

// rewritten compares the histories of references that no longer lead to all that they led to. Errors are the sandbox's.
func (o *observer) rewritten(ctx context.Context, sb sandbox.Sandbox, was map[string]*histories.History) error {
	for _, dir := range slices.Sorted(maps.Keys(was)) {
		before, now := o.from.refs(dir), o.to.refs(dir)
		var moved []string
		for _, ref := range slices.Sorted(maps.Keys(before)) {
			own := strings.HasPrefix(ref, "refs/heads/") || strings.HasPrefix(ref, "refs/tags/")
			if now[ref] != "" && now[ref] != before[ref] && own && !o.on[dir+"/"+ref] {
				moved = append(moved, ref)
			}
		}
		if len(moved) == 0 {
			continue
		}
		is, err := o.to.history(ctx, sb, dir)
		if err != nil {
			return err
		}
		for _, c := range histories.Compare(was[dir], is, moved) {
			p := dir + "/" + c.Ref
			if name := cmp.Or(c.Name, c.Path); name != "" {
				p += "#" + name
			}
			o.add(Difference{Key: remembered(dir, c), Path: p, What: string(c.Kind)})
		}
	}
	return nil
}

// remembered is the key of a difference in a history.
func remembered(dir string, c histories.Change) string {
	return strings.Join([]string{"history", dir, c.Ref, c.Of, string(c.Kind), c.Path}, "\n")
}

// ofHistory takes apart the key of a difference in a history.
func (d Difference) ofHistory() (dir string, c histories.Change, is bool) {
	parts := strings.Split(d.Key, "\n")
	if len(parts) != 6 || parts[0] != "history" {
		return "", c, false
	}
	return parts[1], histories.Change{Ref: parts[2], Of: parts[3], Kind: histories.Kind(parts[4]), Path: parts[5]}, true
}

// mayRewrite reports whether a difference in a history is not held against anybody: a solution removes the commit,
// empties it, joins it with others, or changes otherwise what it changes, which may then have a date of its own. Of
// references that no solution rewrites, the move is a difference.
func (f *learnt) mayRewrite(d Difference) bool {
	dir, c, is := d.ofHistory()
	if !is {
		return false
	}
	does := func(kind histories.Kind) bool {
		return f.Has(remembered(dir, histories.Change{Ref: c.Ref, Of: c.Of, Kind: kind}))
	}
	switch {
	case c.Kind == histories.Emptied, c.Kind == histories.Folded, !f.Has("content " + dir + "/" + c.Ref):
		return c.Kind != histories.Unnoted
	case c.Of == "":
		return false
	case does(histories.Gone), does(histories.Folded):
		return true
	case c.Kind == histories.Gone:
		return does(histories.Emptied)
	case c.Kind == histories.More, c.Kind == histories.Date:
		return f.changesOf(dir, c)
	}
	return false
}

// changesOf reports whether a solution changes what a commit changes.
func (f *learnt) changesOf(dir string, c histories.Change) bool {
	keys, _ := f.All()
	c.Path = ""
	for _, kind := range []histories.Kind{histories.Patch, histories.More} {
		c.Kind = kind
		for key := range keys {
			if strings.HasPrefix(key, remembered(dir, c)) {
				return true
			}
		}
	}
	return false
}
