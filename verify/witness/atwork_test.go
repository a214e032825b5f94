package witness

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"testing"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// TestServersAtWork: what any server does to files where it starts is none of the contestant's differences; what
// programs could be read from is.
func TestServersAtWork(t *testing.T) {
	file := func(path, text string) sandbox.File {
		sum := sha256.Sum256([]byte(text))
		return sandbox.File{Path: path, Size: int64(len(text)), Sum: hex.EncodeToString(sum[:])}
	}
	of := func(path string, mode fs.FileMode) sandbox.File { return sandbox.File{Path: path, Mode: mode} }
	link := sandbox.File{Path: "p", Mode: fs.ModeSymlink, Link: "q"}
	for _, c := range []struct {
		what    string
		was, is *sandbox.File
		held    string
		want    bool
	}{
		{"its number", nil, new(file("run/web.pid", "12")), "", true},
		{"its number, again", new(file("web.pid", "12")), new(file("web.pid", "7")), "", true},
		{"its number, which it takes away", new(file("web.pid", "12")), nil, "", true},
		{"a link for a number", nil, &sandbox.File{Path: "web.pid", Mode: fs.ModeSymlink, Link: "q"}, "", false},
		{"a program", nil, new(file("urllib.py", "x")), "", false},
		{"a program that changes", new(file("urllib.py", "x")), new(file("urllib.py", "y")), "", false},
		{"a program that is gone", new(file("urllib.py", "x")), nil, "", false},
		{"a socket", nil, new(of("s", fs.ModeSocket)), "", true},
		{"a directory", nil, new(of("d", fs.ModeDir)), "", true},
		{"a socket in the place of a file", new(file("f", "x")), new(of("f", fs.ModeSocket)), "", false},
		{"a file in the place of a directory", new(of("f", fs.ModeDir)), new(file("f", "x")), "", false},
		{"a link", nil, &link, "", false},
		{"a link that is gone", &link, nil, "", false},
		{"a log", nil, new(file("a.log", "one")), "one", true},
		{"a log that grows", new(file("a.log", "one")), new(file("a.log", "onetwo")), "onetwo", true},
		{"a log that is written anew", new(file("a.log", "one")), new(file("a.log", "two")), "two", false},
		{"a module among logs", nil, new(file("log/__init__.py", "x")), "x", false},
		{"a log that is gone", new(file("a.log", "one")), nil, "", false},
	} {
		var final, now sandbox.Manifest
		if c.was != nil {
			final = append(final, *c.was)
		}
		if c.is != nil {
			now = append(now, *c.is)
		}
		changes := tree.Changes(final, now)
		if len(changes) != 1 {
			t.Fatalf("%s: %d changes", c.what, len(changes))
		}
		held := map[string]sandbox.Item{changes[0].Path: {Data: []byte(c.held)}}
		if got := servers(changes[0], final, now, held); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
