package footprint

import (
	"testing"

	"cookoff/sandbox"
)

// TestListeners: who waits at a socket is known by the file that it runs, however it was started; a text, or another
// file, is another program, and what passes the socket on to its children is the one that it is.
func TestListeners(t *testing.T) {
	right := "l tcp:80 7\np 5\nx /usr/bin/python3.12\nf /work/bin/greetd.py\nf /work/conf/greet.ini\ns 7\n"
	for name, c := range map[string]struct {
		out  string
		want int
	}{
		"as the solution": {right, 0},
		"by a module":     {"l tcp:80 9\np 5\nx /usr/bin/python3.13\nf /work/bin/greetd.py\ns 9\n", 0},
		"by a server": {"l tcp:80 9\np 5\nx /usr/bin/python3\nf /work/env/bin/unicorn\nf /work/bin/greetd.py\n" +
			"s 9\n", 0},
		"by one of the system":  {"l tcp:80 9\np 5\nx /usr/bin/python3\nf /usr/bin/unicorn\nf /work/bin/greetd.py\ns 9\n", 0},
		"with a child":          {right + "p 6\nx /usr/bin/sleep\ns 7\n", 0},
		"another socket":        {right + "l tcp:81 8\np 6\nx /usr/bin/python3\nf /tmp/s.py\ns 8\n", 0},
		"another file":          {"l tcp:80 7\np 5\nx /usr/bin/python3\nf /tmp/s.py\ns 7\n", 1},
		"a file before it":      {"l tcp:80 7\np 5\nx /usr/bin/python3\nf /tmp/s.py\nf /work/bin/greetd.py\ns 7\n", 1},
		"a new file before it":  {"l tcp:80 7\np 5\nx /usr/bin/python3\nf /work/s.py\nf /work/bin/greetd.py\ns 7\n", 1},
		"a text":                {"l tcp:80 7\np 5\nx /usr/bin/python3\nt\ns 7\n", 1},
		"another beside it":     {right + "l tcp:80 8\np 6\nx /usr/bin/nc\ns 8\n", 1},
		"who was there before":  {"l tcp:80 7\np 5\nx /usr/bin/python3\nf /work/old.py\ns 7\n", 0},
		"a program of nobody's": {"l tcp:80 7\np 5\nx /home/agent/nc (deleted)\ns 7\n", 1},
	} {
		f := NewFootprint(Bounds{})
		f.LearnListeners(readListeners(right))
		files := sandbox.Manifest{{Path: "bin/greetd.py", Sum: "a"}, {Path: "env/bin/unicorn", Sum: "b"}}
		now := append(files[:2:2], sandbox.File{Path: "s.py", Sum: "c"})
		start := &Start{Files: files, Waiting: []string{"listens tcp:80 old.py"}}
		if got := f.Impostors(readListeners(c.out), start, now); len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
