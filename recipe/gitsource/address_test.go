package gitsource

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	good := func(s string, want Address) {
		t.Helper()
		a, err := ParseAddress(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if a != want || a.String() != s {
			t.Errorf("%s is %+v", s, a)
		}
	}
	good("git+https://host/org/repo//path/file.md@v1.2",
		Address{"https", "https://host/org/repo", "path/file.md", "v1.2"})
	good("git+https://host:8443/r.git//a@b.md@feature/x",
		Address{"https", "https://host:8443/r.git", "a@b.md", "feature/x"})
	good("git+ssh://git@host/org/repo//a.md@main", Address{"ssh", "ssh://git@host/org/repo", "a.md", "main"})
	good("git+file:///srv/r//a.md@0123", Address{"file", "file:///srv/r", "a.md", "0123"})
	for s, want := range map[string]string{
		"git+https://host/r//a.md":                 "lacks a path or a revision",
		"git+https://host/r/a.md@v1":               "lacks a path or a revision",
		"git+ext::sh -c evil//a.md@v1":             "git+https://, git+ssh:// and git+file:// alone",
		"git+http://host/r//a.md@v1":               "alone",
		"git+https:///r//a.md@v1":                  "no good host",
		"git+ssh://-oProxyCommand=evil/r//a.md@v1": "no good host",
		"git+ssh://-x@host/r//a.md@v1":             "user or password",
		"git+https://user:secret@host/r//a.md@v1":  "user or password",
		"git+https://token@host/r//a.md@v1":        "user or password",
		"git+https://host/r//a.md@--upload-pack=x": "revision",
		"git+https://host/r//a.md@a..b":            "revision",
		"git+https://host/r//a.md@+main":           "revision",
		"git+https://host/r//a.md@main:refs/x":     "revision",
		"git+https://host/r//../a.md@main":         "path",
		"git+https://host/r//a\tb.md@main":         "malformed",
		"git+https://host/r?x=1//a.md@main":        "query",
		"git+file://host/r//a.md@main":             "no good host",
		"git+https://host/r//a.md@":                "revision",
	} {
		if _, err := ParseAddress(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", s, err, want)
		}
	}
}

// FuzzAddress: what is taken for an address is written as it was read, and
// no part of it looks like an option.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"git+https://host/org/repo//a.md@v1", "git+ssh://git@host/r//a.md@main",
		"git+file:///r//a.md@x", "git+https://-h/r//-a@-b", "git+@//", "ssh://0//00@0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseAddress(s)
		if err != nil {
			return
		}
		if a.String() != s || strings.HasPrefix(a.Repo, "-") || strings.HasPrefix(a.Rev, "-") ||
			!filepath.IsLocal(a.Path) {
			t.Errorf("%q is %+v", s, a)
		}
	})
}
