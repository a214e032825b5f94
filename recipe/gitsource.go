package recipe

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

	"cookoff/internal/pattern"
)

const gitPrefix = "git+"

// gitAddress is git+https://host/org/repo//path/file.md@REV, taken apart.
type gitAddress struct {
	scheme string // https, ssh, file
	repo   string // what git is given
	path   string // in the repository
	rev    string
}

func (a gitAddress) String() string { return gitPrefix + a.repo + "//" + a.path + "@" + a.rev }

var (
	gitRev  = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)
	gitHash = pattern.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

// parseGitAddress takes an address apart. What git would take for an option,
// another transport or a range is refused, and so is a password: recipes are
// shared.
func parseGitAddress(s string) (gitAddress, error) {
	const form = "write git+https://host/org/repo//path/file.md@REV, with a branch, a tag or a full commit hash for REV"
	rest, prefixed := strings.CutPrefix(s, gitPrefix)
	scheme, _, ok := strings.Cut(rest, "://")
	if !ok || !prefixed || !slices.Contains([]string{"https", "ssh", "file"}, scheme) {
		return gitAddress{}, fmt.Errorf("git sources are git+https://, git+ssh:// and git+file:// alone")
	}
	from := len(scheme) + len("://")
	at := strings.LastIndexByte(rest, '@')
	sep := strings.LastIndex(rest[from:max(at, from)], "//")
	if sep < 0 || at < from+sep {
		return gitAddress{}, errors.New("the address lacks a path or a revision: " + form)
	}
	a := gitAddress{scheme, rest[:from+sep], rest[from+sep+2 : at], rest[at+1:]}
	u, err := url.Parse(a.repo)
	switch {
	case err != nil || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }):
		return a, errors.New("the address is malformed: " + form)
	case u.RawQuery != "" || u.Fragment != "":
		return a, errors.New("the address has a query or fragment: " + form)
	case scheme == "file" && u.Host != "" || scheme != "file" && (u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-")):
		return a, errors.New("the address has no good host: " + form)
	case u.User != nil && (scheme != "ssh" || u.User.String() != u.User.Username() || strings.HasPrefix(u.User.Username(), "-")):
		return a, errors.New("the address holds a user or password: git finds them in its own credential store")
	case path.Clean(a.path) != a.path || !filepath.IsLocal(a.path):
		return a, fmt.Errorf("the path %q in the repository is malformed", a.path)
	case !gitRev.MatchString(a.rev) || strings.Contains(a.rev, ".."):
		return a, fmt.Errorf("the revision %q is malformed: %s", a.rev, form)
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

// gitSources reads files out of git repositories, each once, and keeps them.
type gitSources struct {
	ctx    context.Context // of the one Discover that this is made for
	finder Finder
	lock   map[string]Source // by URL

	used    []Source
	content map[string][]byte // by URL
	commits map[string]string // "repo@rev" -> commit
}

// read gives the file at an address: that of the lock where it has one, and
// not the user wants it resolved anew.
func (g *gitSources) read(ref string) ([]byte, error) {
	if content, ok := g.content[ref]; ok {
		return content, nil
	}
	a, err := parseGitAddress(ref)
	if err != nil {
		return nil, err
	}
	pinned, ok := g.lock[ref]
	if g.finder.Update {
		ok = false
	}
	if g.finder.Locked && !ok && !gitHash.MatchString(a.rev) {
		return nil, errors.New("it is not in " + lockName + ", and --locked resolves nothing anew: cookoff update adds it")
	}
	want := a.rev
	if ok {
		want = pinned.Commit
	} else if c := g.commits[a.repo+"@"+a.rev]; c != "" {
		want = c
	}
	var src Source
	content, kept := []byte(nil), false
	if ok {
		content, kept = g.kept(pinned.SHA256)
		src = pinned
	}
	if !kept {
		if content, src, err = g.fetch(a, want); err != nil {
			return nil, err
		}
	}
	if ok && src.SHA256 != pinned.SHA256 {
		return nil, fmt.Errorf("the file is not the one that %s pins: its SHA-256 is %s, not %s", lockName, src.SHA256, pinned.SHA256)
	}
	src.URL = ref
	g.commits[a.repo+"@"+a.rev] = src.Commit
	g.content[ref] = content
	g.used = append(g.used, src)
	return content, nil
}

// cache gives the directory of what was fetched.
func (g *gitSources) cache() (string, error) {
	if g.finder.Cache != "" {
		return g.finder.Cache, os.MkdirAll(g.finder.Cache, 0o755)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no directory to fetch into: %w", err)
	}
	dir = filepath.Join(dir, "cookoff", "sources")
	return dir, os.MkdirAll(dir, 0o755)
}

// kept gives a file of the cache, if it is there and is what its name says.
func (g *gitSources) kept(sum string) ([]byte, bool) {
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
