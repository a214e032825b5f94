// Package histories reads what a git repository remembers, and compares it with what it remembers later, where commits
// have been made anew: by what they say and change, not by their names.
package histories

import (
	"bytes"
	"context"
	"encoding/hex"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// Objects gives the objects of a repository by their names; the kind is "" where there is no such object.
type Objects interface {
	Object(ctx context.Context, name string) (kind string, body []byte, err error)
}

// Bounds of what is read of one repository.
const (
	maxCommits = 1000
	maxReads   = 20_000
	maxLines   = 5000 // of one file that a commit changes
)

// History is what references of a repository lead to.
type History struct {
	tips    map[string]tip
	commits map[string]*commit // by name
	notes   []note
	Partial bool // there is more than is read, or some of it is not there
}

// tip is what a reference points at.
type tip struct {
	object, commit string // the commit that it leads to; "": none
	says           string // of a tag with a message
	tag            bool   // it has a message
}

// note is what refs/notes say of a commit.
type note struct{ of, text string }

// commit is what one says, and what it changes beside its first parent.
type commit struct {
	name, author, date, message string
	parents                     []string
	patch                       map[string][]uint64 // lines that are new and gone in each file, sorted
}

// reader reads one history.
type reader struct {
	Objects
	History
	left int // objects that may be read
	err  error
}

// Read reads what references lead to, by their names. Errors are those of the objects.
func Read(ctx context.Context, from Objects, refs map[string]string) (*History, error) {
	r := &reader{Objects: from, left: maxReads,
		History: History{tips: map[string]tip{}, commits: map[string]*commit{}}}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		t := r.tip(ctx, refs[ref])
		if strings.HasPrefix(ref, "refs/notes/") {
			r.readNotes(ctx, t.commit)
			continue
		}
		r.tips[ref] = t
		r.walk(ctx, t.commit)
	}
	return &r.History, r.err
}

func (r *reader) get(ctx context.Context, name, kind string) []byte {
	if r.left--; r.left < 0 || r.err != nil {
		r.Partial = true
		return nil
	}
	is, body, err := r.Object(ctx, name)
	if r.err = err; is != kind {
		r.Partial = true
		return nil
	}
	return body
}

func (r *reader) tip(ctx context.Context, name string) tip {
	t := tip{object: name}
	for range 5 { // a tag may point at a tag
		r.left--
		kind, body, err := r.Object(ctx, name)
		if err != nil {
			r.err = err
		}
		head, says, _ := strings.Cut(string(body), "\n\n")
		switch kind {
		case "commit":
			t.commit = name
			return t
		case "tag":
			name, t.tag, t.says = field(head, "object"), true, t.says+plain(says)+"\n"
		default:
			return t
		}
	}
	return t
}

// field is what a line of the head of a commit or tag says.
func field(head, name string) string {
	for line := range strings.Lines(head) {
		if value, is := strings.CutPrefix(line, name+" "); is {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// walk reads a commit and all that it came from.
func (r *reader) walk(ctx context.Context, name string) {
	var order []string
	trees := map[string]string{}
	for next := []string{name}; len(next) > 0 && name != ""; {
		at := next[0]
		next = next[1:]
		if r.commits[at] != nil {
			continue
		}
		if len(r.commits) >= maxCommits {
			r.Partial = true
			break
		}
		body := r.get(ctx, at, "commit")
		if body == nil {
			continue
		}
		c, tree := read(at, string(body))
		r.commits[at], trees[at] = c, tree
		order, next = append(order, at), append(next, c.parents...)
	}
	for _, at := range order {
		c, before := r.commits[at], ""
		if len(c.parents) > 0 {
			if before = trees[c.parents[0]]; before == "" && r.commits[c.parents[0]] != nil {
				before = field(string(r.get(ctx, c.parents[0], "commit")), "tree")
			}
		}
		r.changes(ctx, c, "", before, trees[at])
	}
}

// read reads the text of a commit.
func read(name, body string) (c *commit, tree string) {
	head, message, _ := strings.Cut(body, "\n\n")
	c = &commit{name: name, message: plain(message), patch: map[string][]uint64{}}
	for line := range strings.Lines(head) {
		if parent, is := strings.CutPrefix(line, "parent "); is {
			c.parents = append(c.parents, strings.TrimSpace(parent))
		}
	}
	who := field(head, "author")
	if i := strings.LastIndex(who, "> "); i >= 0 {
		c.author = who[:i+1]
		c.date, _, _ = strings.Cut(who[i+2:], " ") // wherever the clock stood
	}
	return c, field(head, "tree")
}

// entry is one of a tree.
type entry struct{ mode, object string }

func (e entry) isTree() bool { return e.mode == "40000" }

// tree are the entries of a tree, by name; none of "".
func (r *reader) tree(ctx context.Context, name string) map[string]entry {
	list := map[string]entry{}
	if name == "" {
		return list
	}
	body, size := r.get(ctx, name, "tree"), len(name)/2
	for {
		head, rest, ok := bytes.Cut(body, []byte{0})
		if !ok || len(rest) < size {
			return list
		}
		mode, base, _ := strings.Cut(string(head), " ")
		list[base] = entry{mode, hex.EncodeToString(rest[:size])}
		body = rest[size:]
	}
}

// changes notes what is otherwise in a tree than in the one before.
func (r *reader) changes(ctx context.Context, c *commit, dir, before, after string) {
	if before == after {
		return
	}
	was, is := r.tree(ctx, before), r.tree(ctx, after)
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, now, p := was[name], is[name], dir+name
		if old == now {
			continue
		}
		if old.isTree() || now.isTree() {
			var from, to string
			if old.isTree() {
				from, old = old.object, entry{}
			}
			if now.isTree() {
				to, now = now.object, entry{}
			}
			r.changes(ctx, c, p+"/", from, to)
		}
		if old != now {
			c.patch[p] = r.lines(ctx, old, now)
		}
	}
}

// lines are those that are new and gone in a file, and its mode, in numbers.
func (r *reader) lines(ctx context.Context, old, now entry) (out []uint64) {
	if old.mode != now.mode {
		out = append(out, number("mode ", old.mode+" "+now.mode))
	}
	if old.object == now.object {
		return out
	}
	count := map[string]int{}
	for sign, e := range map[int]entry{-1: old, 1: now} {
		for _, line := range r.content(ctx, e) {
			count[line] += sign
		}
	}
	for line, n := range count {
		for range max(n, -n) {
			out = append(out, number(map[bool]string{true: "+", false: "-"}[n > 0], line))
		}
	}
	slices.Sort(out)
	return out
}

// content are the lines of a file; a program or a long text is one line.
func (r *reader) content(ctx context.Context, e entry) []string {
	if e.object == "" || e.mode == "160000" {
		return []string{e.object}
	}
	body := r.get(ctx, e.object, "blob")
	if bytes.IndexByte(body, 0) >= 0 || bytes.Count(body, []byte("\n")) > maxLines {
		return []string{e.object}
	}
	return strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
}

func number(sign, line string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(sign + line))
	return h.Sum64()
}

// readNotes reads the notes that a commit of theirs holds.
func (r *reader) readNotes(ctx context.Context, name string) {
	if name == "" {
		return
	}
	_, tree := read(name, string(r.get(ctx, name, "commit")))
	r.noted(ctx, "", tree)
}

func (r *reader) noted(ctx context.Context, dir, tree string) {
	for base, e := range r.tree(ctx, tree) {
		if e.isTree() {
			r.noted(ctx, dir+base, e.object)
			continue
		}
		r.notes = append(r.notes, note{dir + base, plain(string(r.get(ctx, e.object, "blob")))})
	}
}
