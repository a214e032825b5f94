// Package gitsource reads files of recipes out of git repositories, keeps them, and
// pins what their addresses mean in recipe.lock. It runs git, and nothing of a
// repository.
package gitsource

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/cachedir"
	"cookoff/internal/pattern"
)

// Prefix begins the addresses of git sources.
const Prefix = "git+"

// Address is git+https://host/org/repo//path/file.md@REV, taken apart.
type Address struct {
	Scheme string // https, ssh, file
	Repo   string // what git is given
	Path   string // in the repository
	Rev    string
}

func (a Address) String() string { return Prefix + a.Repo + "//" + a.Path + "@" + a.Rev }

var (
	gitRev  = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)
	gitHash = pattern.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

// ParseAddress takes an address apart. What git would take for an option,
// another transport or a range is refused, and so is a password: recipes are
// shared.
func ParseAddress(s string) (Address, error) {
	const form = "write git+https://host/org/repo//path/file.md@REV, with a branch, a tag or a full commit hash for REV"
	rest, prefixed := strings.CutPrefix(s, Prefix)
	scheme, _, ok := strings.Cut(rest, "://")
	if !ok || !prefixed || !slices.Contains([]string{"https", "ssh", "file"}, scheme) {
		return Address{}, fmt.Errorf("git sources are git+https://, git+ssh:// and git+file:// alone")
	}
	from := len(scheme) + len("://")
	at := strings.LastIndexByte(rest, '@')
	sep := strings.LastIndex(rest[from:max(at, from)], "//")
	if sep < 0 || at < from+sep {
		return Address{}, errors.New("the address lacks a path or a revision: " + form)
	}
	a := Address{scheme, rest[:from+sep], rest[from+sep+2 : at], rest[at+1:]}
	u, err := url.Parse(a.Repo)
	switch {
	case err != nil || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }):
		return a, errors.New("the address is malformed: " + form)
	case u.RawQuery != "" || u.Fragment != "":
		return a, errors.New("the address has a query or fragment: " + form)
	case scheme == "file" && u.Host != "" || scheme != "file" && (u.Hostname() == "" ||
		strings.HasPrefix(u.Hostname(), "-")):
		return a, errors.New("the address has no good host: " + form)
	case u.User != nil && (scheme != "ssh" || u.User.String() != u.User.Username() ||
		strings.HasPrefix(u.User.Username(), "-")):
		return a, errors.New("the address holds a user or password: git finds them in its own credential store")
	case path.Clean(a.Path) != a.Path || !filepath.IsLocal(a.Path):
		return a, fmt.Errorf("the path %q in the repository is malformed", a.Path)
	case !gitRev.MatchString(a.Rev) || strings.Contains(a.Rev, ".."):
		return a, fmt.Errorf("the revision %q is malformed: %s", a.Rev, form)
	}
	return a, nil
}

// Source is a file that was read from git: which commit its address meant,
// and what it held.
type Source struct {
	URL    string `json:"url"`    // as git+https://host/org/repo//file.md@REV
	Commit string `json:"commit"` // in hex
	SHA256 string `json:"sha256"` // of the file, in hex
}

// Files reads files out of git repositories, each once, and keeps them.
type Files struct {
	Lock   []Source // what addresses mean; any other is resolved anew
	Cache  string   // directory of what is kept; "": in the user's cache directory
	Locked bool     // sources are those of Lock, or an error
	Update bool     // sources are resolved anew, whatever Lock says
	Most   int64    // bytes that git may write for one file; 0: 256 MiB

	used    []Source
	content map[string][]byte // by URL
	commits map[string]string // "repo@rev" -> commit
}

// Used gives the files that were read, in that order.
func (g *Files) Used() []Source { return slices.Clone(g.used) }

// pinned is what the lock says of an address.
func (g *Files) pinned(ref string) (Source, bool) {
	i := slices.IndexFunc(g.Lock, func(s Source) bool { return s.URL == ref })
	if i < 0 || g.Update {
		return Source{}, false
	}
	return g.Lock[i], true
}

// Read gives the file at an address: that of the lock where it has one, and
// not the user wants it resolved anew.
func (g *Files) Read(ctx context.Context, ref string) ([]byte, error) {
	if content, ok := g.content[ref]; ok {
		return content, nil
	}
	a, err := ParseAddress(ref)
	if err != nil {
		return nil, err
	}
	pinned, ok := g.pinned(ref)
	if g.Locked && !ok && !gitHash.MatchString(a.Rev) {
		return nil, errors.New("it is not in " + LockName +
			", and --locked resolves nothing anew: cookoff update adds it")
	}
	want := a.Rev
	if ok {
		want = pinned.Commit
	} else if c := g.commits[a.Repo+"@"+a.Rev]; c != "" {
		want = c
	}
	var src Source
	content, kept := []byte(nil), false
	if ok {
		content, kept = g.kept(pinned.SHA256)
		src = pinned
	}
	if !kept {
		if content, src, err = g.fetch(ctx, a, want); err != nil {
			return nil, err
		}
	}
	if ok && src.SHA256 != pinned.SHA256 {
		return nil, fmt.Errorf("the file is not the one that %s pins: its SHA-256 is %s, not %s", LockName, src.SHA256,
			pinned.SHA256)
	}
	src.URL = ref
	if g.content == nil {
		g.content, g.commits = map[string][]byte{}, map[string]string{}
	}
	g.commits[a.Repo+"@"+a.Rev] = src.Commit
	g.content[ref] = content
	g.used = append(g.used, src)
	return content, nil
}

// cache gives the directory of what was fetched.
func (g *Files) cache() (string, error) {
	if g.Cache != "" {
		return g.Cache, os.MkdirAll(g.Cache, 0o755)
	}
	dir, err := cachedir.Path("sources")
	if err != nil {
		return "", fmt.Errorf("there is no directory to fetch into: %w", err)
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// kept gives a file of the cache, if it is there and is what its name says.
func (g *Files) kept(sum string) ([]byte, bool) {
	dir, err := g.cache()
	if err != nil || len(sum) != sha256.Size*2 {
		return nil, false
	}
	content, err := os.ReadFile(filepath.Join(dir, sum))
	return content, err == nil && digest(content) == sum
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
