package stores

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// made runs statements one by one on a new store and reads it after each; "wal" keeps
// the log.
func made(t testing.TB, statements ...string) map[string]Part {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	cmd := exec.Command("sqlite3", path)
	cmd.Stdin = strings.NewReader(strings.Join(statements,
		";\n") + ";\n.shell cp " + path + " " + path + ".1; cp " + path +
		"-wal " + path + ".2 2> /dev/null || true\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file, err := os.ReadFile(path + ".1")
	if err != nil {
		t.Fatal(err)
	}
	wal, _ := os.ReadFile(path + ".2")
	parts, ok := Read(file, wal)
	if !ok {
		t.Fatalf("can't be read")
	}
	return parts
}

func show(parts map[string]Part) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		n := 0
		for _, m := range parts[name].Rows {
			n += m
		}
		fmt.Fprintf(&b, "%s %s %d; ", parts[name].Kind, name, n)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip("this machine has no sqlite3")
	}
	begin := []string{"create table a(x, y)", "create table k(id integer primary key, t text)",
		"create table w(n text primary key, v) without rowid", "create index i on a(x)", "create view v as select 1",
		"with recursive c(n) as (select 1 union all select n+1 from c where n < 3000) insert into a select n, " +
			"'row ' || n from c",
		"insert into k(t) values ('one'), (printf('%.9000c', 'x'))",
		"insert into w select 'n' || x, hex(zeroblob(900)) from a limit 200"}
	was := made(t, begin...)
	const want = "table a 3000; index i 0; table k 2; view v 0; table w 200; "
	if got := show(was); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, order := range []string{"le", "be"} {
		if got := show(made(t, append([]string{"pragma encoding = 'UTF-16" + order + "'"}, begin...)...)); got != want {
			t.Errorf("texts in UTF-16%s: %s, want %s", order, got, want)
		}
	}
	same := func(name string, want bool, more ...string) {
		t.Helper()
		is := made(t, append(slices.Clone(begin), more...)...)
		got := maps.EqualFunc(was, is, func(a, b Part) bool {
			return a.Kind == b.Kind && a.SQL == b.SQL && maps.Equal(a.Rows, b.Rows)
		})
		if got != want {
			t.Errorf("%s: the same: %v: %s", name, got, show(is))
		}
	}
	same("vacuum", true, "delete from a where x = 1", "insert into a values (1, 'row 1')", "vacuum")
	same("another size", true, "pragma page_size = 1024", "vacuum")
	same("a log", false, "pragma journal_mode = wal", "pragma wal_autocheckpoint = 0", "delete from a where x = 7")
	same("a log that says the same", true, "pragma journal_mode = wal", "pragma wal_autocheckpoint = 0", "begin",
		"delete from a where x = 7", "insert into a values (7, 'row 7')", "commit")
	same("a row of many pages", false, "update k set t = printf('%.9000c', 'y') where id = 2")
	same("a number", false, "update k set id = 9 where id = 2")
	same("a row twice", false, "insert into a values (1, 'row 1')")
	same("without numbers", false, "delete from w where n = 'n5'")
	same("a trigger", false, "create trigger g after insert on a begin delete from k; end")
	same("another column", false, "alter table a add column z")
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("SQLite format 3\x00"+strings.Repeat("\x02", 600)), []byte{})
	f.Fuzz(func(t *testing.T, file, wal []byte) { Read(file, wal) })
}

// TestTexts: how many records and keys a text has more and fewer than another.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		name, was, is         string
		recordsGone, keysGone int
	}{
		{"a.csv", "id,n\n1,x\n2,y\n", "\"id\",\"n\"\r\n\"1\", x \r\n2,\"y\"\r\n3,z", 0, 0},
		{"a.csv", "id;n\n1;x\n2;y\n", "id;n\n1;x\n", 1, 0},
		{"a.csv", "id,n\n1,\"a\nb\"\n", "id,n\n1,\"a\nc\"\n", 1, 0},
		{"a.tsv", "id\tn\n1\tx\n1\tx\n", "id\tn\n1\tx\n", 1, 0},
		{"a.jsonl", "{\"a\":1,\"b\":2}\n{\"a\":2}\n", "{\"b\": 2, \"a\": 1}\n\n{\"a\":2}\n{\"a\":3}\n", 0, 0},
		{"a.jsonl", "{\"a\":1}\n{\"a\":2}\n", "{\"a\":2}\n", 1, 0},
		{"a.json", `{"port":1,"users":[{"n":"a"},{"n":"b"}]}`,
			"{\n \"users\": [{\"n\": \"b\"},\n {\"n\":\"a\"}], \"port\": 2}", 0, 0},
		{"a.json", `{"port":1,"users":[{"n":"a"},{"n":"b"}]}`, `{"users":[{"n":"a"}]}`, 1, 1},
		{"a.json", `{"a":{"b":{"c":1}}}`, `{"a":{"b":{}}}`, 0, 1},
		{"ledger.txt", "+ 1\n- 2\n", "+ 1\n+ 3\n- 2\n", 0, 0},
		{"shop.ledger", "+ 1\n- 2\n", "+ 1\n", 1, 0},
	} {
		was, ok := ReadText(c.name, []byte(c.was))
		is, too := ReadText(c.name, []byte(c.is))
		if !ok || !too || !IsText(c.name) {
			t.Errorf("%s: %q: can't be read", c.name, c.is)
			continue
		}
		records, keys := 0, 0
		for d, n := range was.Records {
			records += max(0, n-is.Records[d])
		}
		for k := range was.Keys {
			if _, has := is.Keys[k]; !has {
				keys++
			}
		}
		if records != c.recordsGone || keys != c.keysGone {
			t.Errorf("%s: %q -> %q: %d records and %d keys are gone, want %d and %d", c.name, c.was,
				c.is, records, keys, c.recordsGone, c.keysGone)
		}
	}
	for name, want := range map[string]bool{"package.json": false, "data/users.json": true, ".eslintrc.json": false,
		"tsconfig.build.json": false, "a.txt": false, "ledger": true} {
		if IsText(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if _, ok := ReadText("a.json", []byte("{")); ok {
		t.Error("half a document is read")
	}
}
