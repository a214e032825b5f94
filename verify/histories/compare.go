package histories

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// Kind is what was done to a commit, a tag or a note.
type Kind string

const (
	Gone    Kind = "commit removed"
	Author  Kind = "author of a commit changed"
	Date    Kind = "author date of a commit changed"
	Message Kind = "message of a commit changed"
	Patch   Kind = "change to a file lost from a commit"
	More    Kind = "change to a file put into a commit"
	Plain   Kind = "merge made plain"
	Order   Kind = "commits in another order"
	Apart   Kind = "no longer in the history of a branch"
	Moved   Kind = "tag put on another commit"
	Says    Kind = "message of a tag changed"
	Unnoted Kind = "note removed"
	Unread  Kind = "more commits than are read"

	Emptied Kind = "commit emptied" // whoever removes it then does the same
	Folded  Kind = "commit joined"  // with another one: whose it is, and what it says, is anybody's choice
)

// Change is one thing that was done to what a reference led to.
type Change struct {
	Kind
	Ref  string
	Of   string // tells the commit from others; "": it is none
	Path string // of the file whose change is lost, or of the branch
	Name string // of the commit, for people
}

var (
	names    = pattern.New(`\b[0-9a-f]{7,64}\b`)
	trailers = pattern.New(`^(\(cherry picked from .*|[A-Z][A-Za-z-]+(: .*| #.*))$`)
)

// plain is a message as it is compared: without the names of commits and the space between words.
func plain(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = names.ReplaceAllString(strings.Join(strings.Fields(line), " "), "NAME")
	}
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

// sameMessage reports whether a message says what another said, and at most has trailers beside.
func sameMessage(was, is string) bool {
	rest, has := strings.CutPrefix(is, was)
	if !has || rest != "" && was != "" && rest[0] != '\n' {
		return false
	}
	for line := range strings.Lines(strings.TrimPrefix(rest, "\n")) {
		if !trailers.MatchString(strings.TrimSpace(line)) {
			return false
		}
	}
	return true
}

// from are the commits that a reference leads to, those that others came from last.
func (h *History) from(ref string) (list []*commit) {
	seen := map[string]bool{}
	for next := []string{h.tips[ref].commit}; len(next) > 0; next = next[1:] {
		c := h.commits[next[0]]
		if c == nil || seen[c.name] {
			continue
		}
		seen[c.name] = true
		list, next = append(list, c), append(next, c.parents...)
	}
	return list
}

// line are the commits that a reference leads to by first parents, those that others came from last.
func (h *History) line(ref string) (list []*commit) {
	seen := map[string]bool{}
	for c := h.commits[h.tips[ref].commit]; c != nil && !seen[c.name]; {
		seen[c.name] = true
		list = append(list, c)
		if len(c.parents) == 0 {
			break
		}
		c = h.commits[c.parents[0]]
	}
	return list
}

// Compare says what was done to the history of references that no longer lead to all that they led to.
func Compare(was, is *History, refs []string) (list []Change) {
	if was.Partial {
		return nil
	}
	counterparts := map[string]*commit{}
	for _, ref := range refs {
		if is.Partial {
			list = append(list, Change{Kind: Unread, Ref: ref})
		}
		c := comparison{ref: ref, now: map[string]*commit{}}
		c.compare(was.from(ref), is.from(ref))
		c.ordered(was.line(ref), is.line(ref))
		list = append(list, c.list...)
		maps.Copy(counterparts, c.now)
		list = append(list, tagged(was.tips[ref], is.tips[ref], ref, c.now)...)
	}
	for _, ref := range refs {
		list = append(list, apart(was, is, ref)...)
	}
	return append(list, unnoted(was, is, refs, counterparts)...)
}

// comparison is one of the commits that one reference leads to.
type comparison struct {
	ref  string
	now  map[string]*commit // what is in the place of each commit, by its name
	list []Change
	ids  map[string]string
}

// pair are commits that may be the same.
type pair struct {
	old, now *commit
	score    int
}

// least is the score with which a commit is held to be in the place of another.
const least = 3

func score(old, now *commit) (n int) {
	for worth, same := range map[int]bool{1: old.author == now.author, 2: old.date == now.date,
		8: sameMessage(old.message, now.message), 4: samePatch(old, now)} {
		if same {
			n += worth
		}
	}
	return n
}

func samePatch(a, b *commit) bool { return maps.EqualFunc(a.patch, b.patch, slices.Equal) }

// compare finds the counterparts of commits, and what was done to each.
func (c *comparison) compare(old, now []*commit) {
	there := map[string]*commit{}
	for _, n := range now {
		there[n.name] = n
	}
	c.ids = identities(old)
	var left []*commit
	for _, o := range old {
		if same := there[o.name]; same != nil {
			c.now[o.name] = same
			delete(there, o.name)
		} else {
			left = append(left, o)
		}
	}
	var pairs []pair
	for _, o := range left {
		for _, n := range now {
			if s := score(o, n); there[n.name] != nil && s >= least {
				pairs = append(pairs, pair{o, n, s})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return b.score - a.score })
	for _, p := range pairs {
		if c.now[p.old.name] == nil && there[p.now.name] != nil {
			c.now[p.old.name] = p.now
			delete(there, p.now.name)
		}
	}
	var gone []*commit
	for _, o := range left {
		if c.now[o.name] == nil {
			gone = append(gone, o)
			c.add(Gone, o, "")
		}
	}
	for _, o := range left {
		if n := c.now[o.name]; n != nil {
			c.changed(o, n, gone)
		}
	}
}

// identities tell commits from each other, whatever their names and dates are.
func identities(list []*commit) map[string]string {
	out, nth := map[string]string{}, map[string]int{}
	for _, c := range slices.Backward(list) {
		says := c.author + "\n" + c.message
		out[c.name] = fmt.Sprintf("%x %d", sha256.Sum256([]byte(says)), nth[says])
		nth[says]++
	}
	return out
}

func (c *comparison) add(kind Kind, o *commit, path string) {
	subject, _, _ := strings.Cut(o.message, "\n")
	c.list = append(c.list, Change{Kind: kind, Ref: c.ref, Of: c.ids[o.name], Path: path, Name: subject})
}

// changed notes what a commit says and changes otherwise than the one in whose place it is.
func (c *comparison) changed(o, n *commit, gone []*commit) {
	if o.author != n.author {
		c.add(Author, o, "")
	}
	if o.date != n.date {
		c.add(Date, o, "")
	}
	if !sameMessage(o.message, n.message) {
		c.add(Message, o, "")
	}
	if len(o.parents) > 1 && len(n.parents) < 2 {
		c.add(Plain, o, "")
	}
	for _, p := range slices.Sorted(maps.Keys(o.patch)) {
		if !slices.Equal(o.patch[p], n.patch[p]) {
			c.add(Patch, o, p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(n.patch)) {
		if _, had := o.patch[p]; !had {
			c.add(More, o, p)
		}
	}
	if len(n.patch) == 0 && len(o.patch) > 0 {
		c.add(Emptied, o, "")
	}
	if slices.ContainsFunc(gone, func(g *commit) bool { return joined(o, n, g) }) {
		c.add(Folded, o, "")
	}
}

// ordered notes the commits that came after others, and before them now.
func (c *comparison) ordered(old, now []*commit) {
	at := map[string]int{}
	for i, n := range now {
		at[n.name] = i
	}
	var after *commit // the last that was looked at, which came later
	last := -1
	for _, o := range old {
		n := c.now[o.name]
		if n == nil {
			continue
		}
		i, there := at[n.name]
		if !there {
			continue
		}
		if i < last {
			c.add(Order, after, "")
		}
		after, last = o, max(i, last)
	}
}

// joined reports whether a commit has come to have what one that is gone changed.
func joined(o, n, gone *commit) bool {
	for p, lines := range gone.patch {
		for _, line := range lines {
			if slices.Contains(n.patch[p], line) && !slices.Contains(o.patch[p], line) {
				return true
			}
		}
	}
	return false
}

// tagged says what was done to a tag.
func tagged(was, is tip, ref string, now map[string]*commit) (list []Change) {
	if !strings.HasPrefix(ref, "refs/tags/") {
		return nil
	}
	if on := now[was.commit]; was.commit != "" && (on == nil || on.name != is.commit) {
		list = append(list, Change{Kind: Moved, Ref: ref})
	}
	if was.tag && (!is.tag || was.says != is.says) {
		list = append(list, Change{Kind: Says, Ref: ref})
	}
	return list
}

// apart finds references that led to a commit of a branch, and no longer do.
func apart(was, is *History, branch string) (list []Change) {
	if !strings.HasPrefix(branch, "refs/heads/") {
		return nil
	}
	leads := func(h *History, ref string) bool {
		return slices.ContainsFunc(h.from(branch), func(c *commit) bool { return c.name == h.tips[ref].commit })
	}
	for _, ref := range slices.Sorted(maps.Keys(was.tips)) {
		if _, left := is.tips[ref]; left && ref != branch && leads(was, ref) && !leads(is, ref) {
			list = append(list, Change{Kind: Apart, Ref: ref, Path: branch})
		}
	}
	return list
}

// unnoted finds notes that say no longer of a commit, or of the one in its place, what they said.
func unnoted(was, is *History, refs []string, now map[string]*commit) (list []Change) {
	ids := map[string]string{}
	for _, ref := range refs {
		maps.Copy(ids, identities(was.from(ref)))
	}
	for _, n := range was.notes {
		on := n.of
		if c := now[n.of]; c != nil {
			on = c.name
		}
		kept := func(m note) bool { return m.of == on && strings.Contains(m.text, n.text) }
		if !slices.ContainsFunc(is.notes, kept) {
			of := fmt.Sprintf("%s %x", ids[n.of], sha256.Sum256([]byte(n.text)))
			list = append(list, Change{Kind: Unnoted, Ref: "refs/notes", Of: of, Name: n.text})
		}
	}
	return list
}
