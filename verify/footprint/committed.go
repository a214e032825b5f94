package footprint

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/hex"
	"io"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// committed are the contents of files, and what commits and tags say, in new objects of a
// repository, loose or packed, that a branch, a tag or a stash leads to, by the paths that the
// objects have as loose ones. Errors are the sandbox's.
func (o *observer) committed(ctx context.Context, sb sandbox.Sandbox, dir string) (map[string][]byte, error) {
	r := &reading{}
	for _, f := range o.to.below(dir + "/objects/") {
		if _, had := tree.Lookup(o.from.files, f.Path); !had &&
			objectName(f.Path[len(dir)+1:]) != "" && readable(o.to.files, f) {
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
		kind, body := object(held[p].Data)
		if kind == "" {
			if kind, body, err = inPacks.object(ctx, name); err != nil {
				return nil, err
			}
		}
		switch kind {
		case "blob":
			found[p] = body
		case "tree":
			next = append(next, entries(body, len(name)/2)...)
		case "commit", "tag":
			found[p] = body // what it says
			next = append(next, named(body)...)
		}
	}
	return found, nil
}

// objects are the names of the objects of a repository, loose or packed.
func (s snapshot) objects(dir string) map[string]bool {
	out := map[string]bool{}
	for _, f := range s.below(dir + "/objects/") {
		out[objectName(f.Path[len(dir)+1:])] = true
		if strings.HasSuffix(f.Path, ".idx") {
			names, _ := packed(s.held[f.Path].Data)
			for _, name := range names {
				out[name] = true
			}
		}
	}
	return out
}

// object inflates a loose object; its kind is "" where that is none.
func object(data []byte) (kind string, body []byte) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", nil
	}
	all, _ := io.ReadAll(io.LimitReader(z, maxObeyedSize))
	head, body, _ := bytes.Cut(all, []byte{0})
	kind, _, _ = strings.Cut(string(head), " ")
	return kind, body
}

// entries are the names of the objects that a tree lists; size is that of a name in bytes.
func entries(body []byte, size int) (names []string) {
	for {
		_, rest, ok := bytes.Cut(body, []byte{0})
		if !ok || len(rest) < size {
			return names
		}
		names, body = append(names, hex.EncodeToString(rest[:size])), rest[size:]
	}
}

// named are the objects that the head of a commit or tag names.
func named(body []byte) (names []string) {
	head, _, _ := strings.Cut(string(body), "\n\n")
	for line := range strings.Lines(head) {
		word, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "tree" || word == "parent" || word == "object" {
			names = append(names, name)
		}
	}
	return names
}
