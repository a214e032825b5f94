package footprint

import (
	"bytes"
	"context"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/footprint/gitobjects"
	"cookoff/verify/tree"
)

// committed are the contents of files, and what commits and tags say, in new objects of a
// repository, loose or packed, that a branch, a tag or a stash leads to, by the paths that the
// objects have as loose ones. Errors are the sandbox's.
func (o *observer) committed(ctx context.Context, sb sandbox.Sandbox, dir string) (map[string][]byte, error) {
	r := &reading{}
	for _, f := range o.to.below(dir + "/objects/") {
		if _, had := tree.Lookup(o.from.files, f.Path); !had &&
			gitobjects.NameOf(f.Path[len(dir)+1:]) != "" && readable(o.to.files, f) {
			r.want(f, maxObeyedSize)
		}
	}
	held, err := r.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	seen, found, inPacks := o.from.objects(dir), map[string][]byte{}, packsOf(o, sb, dir)
	var next []string
	for _, name := range o.to.refs(dir) {
		next = append(next, name)
	}
	next = append(next, strings.TrimSpace(string(o.to.held[dir+"/HEAD"].Data)))
	for len(next) > 0 {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[name] || len(name) < 40 {
			continue
		}
		seen[name] = true
		p := dir + "/objects/" + name[:2] + "/" + name[2:]
		kind, body := gitobjects.Loose(held[p].Data)
		if kind == "" {
			if kind, body, err = inPacks.Object(ctx, name); err != nil {
				return nil, err
			}
		}
		switch kind {
		case "blob":
			found[p] = body
		case "tree":
			next = append(next, gitobjects.Entries(body, len(name)/2)...)
		case "commit", "tag":
			found[p] = body // what it says
			next = append(next, gitobjects.Named(body)...)
		}
	}
	return found, nil
}

// objects are the names of the objects of a repository, loose or packed.
func (s snapshot) objects(dir string) map[string]bool {
	out := map[string]bool{}
	for _, f := range s.below(dir + "/objects/") {
		out[gitobjects.NameOf(f.Path[len(dir)+1:])] = true
		if strings.HasSuffix(f.Path, ".idx") {
			names, _ := gitobjects.Packed(s.held[f.Path].Data)
			for _, name := range names {
				out[name] = true
			}
		}
	}
	return out
}

// Uncommitted is what was done to a file that the commit which is checked out has otherwise, or no longer, though the
// work tree has it as it was: whoever clones the repository gets what nobody sees here.
const Uncommitted = "committed otherwise"

// Bounds of what is compared of two commits.
const (
	maxTrees  = 500  // directories
	maxOthers = 1000 // files
)

// entry is what a tree lists under a name.
type entry struct{ mode, name string }

// lists are the entries of a tree, by their names; size is that of an object's name in bytes.
func lists(body []byte, size int) map[string]entry {
	out := map[string]entry{}
	for {
		head, rest, ok := bytes.Cut(body, []byte{0})
		if !ok || len(rest) < size {
			return out
		}
		mode, name, _ := strings.Cut(string(head), " ")
		out[name] = entry{mode, hex.EncodeToString(rest[:size])}
		body = rest[size:]
	}
}

// trees compares directories of two commits.
type trees struct {
	read  func(name string) (kind string, body []byte, err error)
	left  int              // directories that may be read
	was   map[string]entry // the files that the two have otherwise, as the first has them
	other map[string]entry // and as the second does
}

// compare notes the files that the directory of an old commit has and the one of a new commit has otherwise, or not.
func (t *trees) compare(at, old, now string) error {
	var bodies [2][]byte
	for i, name := range []string{old, now} {
		if t.left--; t.left < 0 || name == "" {
			continue
		}
		kind, body, err := t.read(name)
		if err != nil || kind != "tree" {
			return err
		}
		bodies[i] = body
	}
	was, is := lists(bodies[0], len(old)/2), lists(bodies[1], len(old)/2)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		a, b := was[name], is[name]
		p := path.Join(at, name)
		switch {
		case a == b || a.mode == "160000" || len(t.other) >= maxOthers || t.left <= 0:
		case a.mode != "40000":
			t.was[p], t.other[p] = a, b
		case b.mode == "40000" || b.mode == "":
			if err := t.compare(p, a.name, b.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkedOut compares the commit that is checked out with that of the start.
type checkedOut struct{ *observer }

// uncommitted notes the files that the commit which is checked out has otherwise than the one of the start and than the
// work tree. Errors are the sandbox's.
func (o checkedOut) uncommitted(ctx context.Context, sb sandbox.Sandbox) error {
	for _, dir := range slices.Sorted(maps.Keys(o.git)) {
		old, now := o.from.head(dir), o.to.head(dir)
		if path.Base(dir) != ".git" || old == now || len(old) != len(now) || o.filtered(dir) { // or there is no work tree
			continue
		}
		t, err := o.differ(ctx, sb, dir, old, now)
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		for _, p := range slices.Sorted(maps.Keys(t.other)) {
			if err := o.otherwise(ctx, sb, p, t.other[p]); err != nil {
				return err
			}
		}
	}
	return nil
}

// differ compares two commits of a repository; nil: one of them can't be read. Errors are the sandbox's.
func (o checkedOut) differ(ctx context.Context, sb sandbox.Sandbox, dir, old, now string) (*trees, error) {
	all := o.to.packs(sb, dir, maxPackedObjects, func(string) bool { return true })
	t := &trees{left: maxTrees, was: map[string]entry{}, other: map[string]entry{}}
	t.read = func(name string) (string, []byte, error) { return o.to.object(ctx, sb, dir, name, all) }
	var tops [2]string
	for i, commit := range []string{old, now} {
		kind, body, err := t.read(commit)
		if err != nil {
			return nil, err
		}
		if named := gitobjects.Named(body); kind == "commit" && len(named) > 0 {
			tops[i] = named[0]
		}
	}
	if tops[0] == "" || tops[1] == "" {
		return nil, nil
	}
	if tops[0] == tops[1] {
		return t, nil
	}
	return t, t.compare(path.Dir(dir), tops[0], tops[1])
}

// otherwise notes that a file is committed otherwise than the work tree has it. Errors are the sandbox's.
func (o checkedOut) otherwise(ctx context.Context, sb sandbox.Sandbox, p string, committed entry) error {
	f, there := tree.Lookup(o.to.files, p)
	if !there || f.Mode.IsDir() || tree.KeptByPrograms(p) || o.isBuilt(p) || f.Size > maxObeyedSize {
		return nil
	}
	text := []byte(f.Link)
	if f.Link == "" {
		r := &reading{}
		r.want(f, maxObeyedSize)
		held, err := r.read(ctx, sb)
		if err != nil {
			return err
		}
		text = held[p].Data
	}
	for _, body := range [][]byte{text, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))} {
		if slices.Contains(gitobjects.Names("blob", body), committed.name) {
			return nil
		}
	}
	o.add(Difference{Key: "committed " + p, Path: p, What: Uncommitted})
	return nil
}

// filtered reports whether attributes of the start have git keep files in another form than the work tree has.
func (o checkedOut) filtered(dir string) bool {
	for _, p := range []string{path.Join(path.Dir(dir), ".gitattributes"), dir + "/info/attributes"} {
		text := string(o.texts.was[p].Data)
		if strings.Contains(text, "filter=") || strings.Contains(text, "ident") || strings.Contains(text, "encoding=") {
			return true
		}
	}
	return false
}

// head is the commit that is checked out; "": none.
func (s snapshot) head(dir string) string {
	if branch := headOf(s.held[dir+"/HEAD"]); branch != "" {
		return s.refs(dir)[branch]
	}
	if name := strings.TrimSpace(string(s.held[dir+"/HEAD"].Data)); len(name) >= 40 {
		return name
	}
	return ""
}

// object gives one of a repository, loose or in one of its packs; its kind is "" where there is none. Errors are the
// sandbox's.
func (s snapshot) object(ctx context.Context, sb sandbox.Sandbox, dir, name string, all *gitobjects.Packs) (
	kind string, body []byte, err error) {
	p := dir + "/objects/" + name[:2] + "/" + name[2:]
	f, loose := tree.Lookup(s.files, p)
	if !loose {
		return all.Object(ctx, name)
	}
	r := &reading{}
	r.want(f, maxObeyedSize)
	held, err := r.read(ctx, sb)
	if err != nil || !gitobjects.Sound(held[p].Data, name) {
		return "", nil, err
	}
	kind, body = gitobjects.Loose(held[p].Data)
	return kind, body, nil
}

// maxPackedObjects bounds the objects that are read out of packs of one repository.
const maxPackedObjects = 500

// packsOf gives the packs of a repository that came to be since the start: they hold what was committed, together with
// what was there.
func packsOf(o *observer, sb sandbox.Sandbox, dir string) *gitobjects.Packs {
	return o.to.packs(sb, dir, maxPackedObjects, func(idx string) bool {
		_, had := tree.Lookup(o.from.files, idx)
		return !had
	})
}

// packs gives those packs of a repository whose indexes are chosen, of which so many objects may be read.
func (s snapshot) packs(sb sandbox.Sandbox, dir string, reads int, choose func(idx string) bool) *gitobjects.Packs {
	p := &gitobjects.Packs{FS: sb.FS(), Reads: reads}
	for _, f := range s.below(dir + "/objects/pack/") {
		name, is := strings.CutSuffix(f.Path, ".idx")
		data, there := tree.Lookup(s.files, name+".pack")
		if !is || !there || !choose(f.Path) {
			continue
		}
		p.Add(name+".pack", s.held[f.Path].Data, data.Size)
	}
	return p
}
