package passages

import (
	"fmt"
	"strings"
	"testing"
)

// TestChanges: a line that is laid out, quoted or wrapped in another way is the same; a line of which most words are
// gone is gone, and a comment does not stand for a setting.
func TestChanges(t *testing.T) {
	named := map[Kind]string{Gone: "gone", Other: "other", Marks: "marks"}
	for _, c := range []struct{ name, was, is, want string }{
		{"a.ini", "[a]\nx = 1\ny = 2\n", "[a]\ny=2\nx='1'\n", ""},
		{"a.ini", "[a]\nx = 1\n[b]\ny = 2\n", "[a]\nx = 3\n", "other a: x 1; gone b: b; gone b: y 2"},
		{"a.ini", "[a]\nx = 1\ny = 2\n", "[a]\n; x = 1\ny = 2\n", "gone a: x 1"},
		{"a.ini", "; one two three four\n; five six seven\nx = 1\n", "x = 2\n", "other : x 1; gone : # comments"},
		{"a.ini", "; one two\nx = 1\n", "x = 2\n", "other : x 1"},
		{"a.ini", "x = 1\n", "x =\n", "gone : x 1"},
		{"a.ini", "x = 1\nx = 2\ny = 1\n", "x = 1\ny = 1\n", "other : x 2"},
		{"a.yaml", "- a: 1\n- a: 2\n", "- a: 1\n", "gone : a 2"},
		{"a.yaml", "a:\n  b: 1\n  c:\n    - d\n    - e\n", "a: {b: 1, c: [d, e]}\n", ""},
		{"a.yaml", "a:\n  b: 1\n  c:\n    - d\n    - e\n", "a:\n  b: 2\n  c:\n    - d\n", "other a: b 1; gone a.c: e"},
		{"a.yaml", "a:\n  b:\n    x: 1\n  c:\n    x: 2\n", "a:\n  b:\n    x: 1\n  c:\n    x: 3\n", "other a.c: x 2"},
		{"a.yaml", "a:\n  b:\n    x: 1\n  y: 2\nc:\n- z: 1\n", "a:\n  b:\n    x: 1\n  y: 3\nc:\n- z: 2\n",
			"other a: y 2; other c: z 1"},
		{"a.yaml", "a:\n  b:\n    x: 1\n  c:\n    x: 1\n", "a:\n  b:\n    x: 2\n  c:\n    x: 1\n", "other a.b: x 1"},
		{"a.ini", "[a]\nx = 1%\ny = 2\n", "[a]\nx = 1%%\ny = 2\n", "marks a: x 1"},
		{"a.yaml", "a:\n  b: 1\n   c: 2\n", "a:\n  b: 1\n  c: 2\n", "marks a: c 2"},
		{"a.conf", "maxmemory 64mb\nport 1\n", "port 1\nmaxmemory 67108864\n", "other : maxmemory 64mb"},
		{"a.po", "msgid \"x\"\nmsgstr \"y\"\n", "msgid \"x\"\nmsgstr \"\"\n", "gone : msgstr y"},
		{"a.md", "One two three four\nfive six.\n", "One two\nthree four five\r\nsix.\r\n", ""},
		{"a.md", "One two three.\n\nFour five six.\n", "Four, five, seven.\n", "gone : one two three; other : four five six"},
		{"crontab", "MAILTO=ann\n0 3 * * * /opt/a -q\n0 4 * * * /opt/b\n@daily /opt/c\n",
			"MAILTO=bo\n30 5 * * 1 /opt/a --all\n@daily /opt/c\n",
			"other mailto: mailto ann; other /opt/a: 0 3 opt/a q; gone /opt/b: 0 4 opt/b"},
		{"crontab", "0 3 * * * cd /s && ./a\n0 4 * * * cd /s && ./b\n", "0 3 * * * cd /s && ./a\n", "gone /s: 0 4 cd s b"},
		{"hosts", "10.0.0.5 db\n10.0.0.6 mail\n", "10.0.1.5 db\n", "other : 10.0.0.5 db; gone : 10.0.0.6 mail"},
		{"CODEOWNERS", "* @ann\n/docs/ @bo\n/src/ @cy @di\n", "* @ann\n/docs/ @ed\n",
			"other : docs bo; gone : src cy di"},
		{"hosts.txt", "ann\nbo\nbo\n", "bo\ncy\n", "gone : ann; gone : bo"},
	} {
		changes, _ := Changes(c.name, []byte(c.was), []byte(c.is))
		var list []string
		for _, d := range changes {
			list = append(list, fmt.Sprintf("%s %s: %s", named[d.Kind], d.Section, d.Line))
		}
		got := strings.Join(list, "; ")
		if c.want == "" && !strings.Contains(got, "gone") { // of what is only laid out in another way, nothing is gone
			continue
		}
		if got != c.want {
			t.Errorf("%s: %q -> %q: %q, want %q", c.name, c.was, c.is, got, c.want)
		}
	}
}

// TestValues: what a file of TOML or YAML says is the same, however its tables are written.
func TestValues(t *testing.T) {
	named := map[Kind]string{Gone: "gone", Other: "other", Marks: "marks"}
	for _, c := range []struct{ name, was, is, want string }{
		{"a.toml", "x = 1\n[a.b]\nc = 2\nd = [1, 2]\n", "x = 1\na.b.c =\n", "not read"},
		{"a.toml", "x = 1\n[a.b]\nc = 2\nd = [1, 2]\n", "x = 1\na.b = {c = 2, d = [2, 1]}\n", ""},
		{"a.toml", "[a.b]\nc = 2\nd = [1, 2]\n", "a.b.c = 3\na.b.d = [1]\n", "other a.b: a.b.c 2; gone a.b: a.b.d[] 2"},
		{"a.toml", "[[a]]\nb = 1\n[[a]]\nb = 2\n", "a = [{b = 2}]\n", "gone a[]: a[].b 1"},
		{"a.yaml", "a:\n  e: {x: 1, y: 2}\nb:\n  e: {x: 1, y: 2}\n",
			"z: &e\n  x: 1\n  y: 2\na:\n  e: *e\nb:\n  e:\n    <<: *e\n", ""},
		{"a.yaml", "a:\n  e: {x: 1, y: 2}\nb:\n  e: {x: 1, y: 2}\n",
			"z: &e {x: 1, y: 3}\na:\n  e: *e\nb:\n  e: {}\n",
			"other a.e: a.e.y 2; gone b.e: b.e.x 1; gone b.e: b.e.y 2"},
		{"a.yaml", "a:\n  run: |\n    one two three\n    four five six\n", "a:\n  run: one two three\n",
			"gone a: a.run four five six"},
		{"a.yaml", "a: 1\n---\nb: 2\n", "a: 1\n", "gone b: b 2"},
		{"a.yaml", "a: 1\n", "a:\n", "gone a: a 1"},
		{"a.yaml", "# one two three four\n# five six seven\na: 1\n", "a: 1\n", "gone : # comments"},
		{"a.yaml", "a: {{ x }}: 1\n", "a: 1\n", "not read"},
		{"a.ini", "a = 1\n", "a = 2\n", "not read"},
	} {
		changes, _, ok := Values(c.name, []byte(c.was), []byte(c.is))
		var list []string
		for _, d := range changes {
			list = append(list, fmt.Sprintf("%s %s: %s", named[d.Kind], d.Section, d.Line))
		}
		if !ok {
			list = []string{"not read"}
		}
		if got := strings.Join(list, "; "); got != c.want {
			t.Errorf("%s: %q -> %q: %q, want %q", c.name, c.was, c.is, got, c.want)
		}
	}
}

// TestAre: files that tools write, or that other packages know the meaning of, are not compared here.
func TestAre(t *testing.T) {
	for name, want := range map[string]bool{"docs/guide.md": true, "README": true, "conf/app.ini": true, "po/de.po": true,
		"Dockerfile": true, "pnpm-lock.yaml": false, "pyproject.toml": false, "requirements-dev.txt": false,
		"CMakeLists.txt": false, "main.go": false, "data.json": false} {
		if Are(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
