package verify_test

import (
	"os/exec"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/verify/verifytest"
)

// first is the first of what is held against a state, all of which have the same path here.
func first(said string) string {
	one, _, _ := strings.Cut(said, ", ")
	return one
}

// TestStoreOfAnyName: a store is known by what it is, however it is called.
func TestStoreOfAnyName(t *testing.T) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip("this machine has no sqlite3")
	}
	g := staged(t, recipe.Task{Title: "one", Before: "true", After: verifytest.One("true"),
		Solution: "sqlite3 data 'delete from a where id = 2'",
		Setup: "sqlite3 data \"create table a(id integer primary key, n); insert into a(n) values ('x'), ('y'), " +
			"('z'), ('w'), ('v'); create table b(n); insert into b values (1), (2)\""})
	for script, want := range map[string]string{"": "", "; vacuum": "",
		"; delete from a where id = 3": "collateral data#a", "; drop table b": "collateral data#b"} {
		if got, _ := g.act(t, `sqlite3 data "delete from a where id = 2`+script+`"`).says(g.c); first(got) != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

// TestRecords: a solution changes some record of a text, or a key; the others must survive,
// however the text is laid out.
func TestRecords(t *testing.T) {
	g := staged(t, recipe.Task{Title: "one", Before: "true", After: verifytest.One("true"),
		Setup: `for n in 1 2 3 4 5 6 7 8; do echo "$n,x$n"; done > a.csv
for n in 1 2 3 4 5 6 7 8; do echo "{\"id\":$n,\"n\":1}"; done > a.jsonl
for n in 1 2 3 4 5 6 7 8; do echo "2026-01-0$n + $n"; done > shop.ledger
printf '{"port":1,"name":"a","limits":{"a":1,"b":2},"users":[%s]}' "$(sed '$!s/$/,/' a.jsonl)" > a.json`,
		Solution: "sed -i 's/x2/y2/' a.csv; sed -i '/\"id\":2/d' a.jsonl; echo '2026-01-09 + 9' >> shop.ledger; sed " +
			"-i 's/\"port\":1/\"port\":2/' a.json"})
	const mended = "sed -i 's/x2/z2/' a.csv; sed -i '/\"id\":2,/d' a.jsonl; echo '2026-01-09 + 10' >> shop.ledger; " +
		"sed -i 's/\"port\":1,//' a.json; "
	for script, want := range map[string]string{
		"": "",
		"sed -i 's/.*/\"&\"/; s/,/\",\"/' a.csv; echo 9,x9 >> a.csv": "",
		"sed -i 's/:/: /g' a.jsonl":                                  "",
		`python3 -c 'import json; d = json.load(open("a.json"))
json.dump(d, open("a.json", "w"), indent=2, sort_keys=True)'`: "",
		// Values beside one that the solution changes are free; those of another object are not.
		"sed -i 's/\"name\":\"a\"/\"name\":\"b\"/' a.json": "",
		"sed -i 's/\"a\":1/\"a\":3/' a.json":               "collateral a.json#/limits/a",
		"sed -i '/x5/d' a.csv":                             "collateral a.csv#records",
		"sed -i 's/x5/x6/' a.csv":                          "collateral a.csv#records",
		"sed -i 's/\"n\":1/\"n\":0/' a.jsonl":              "collateral a.jsonl#records",
		": > a.jsonl":                                      "collateral a.jsonl#records",
		"sed -i 1d shop.ledger":                            "collateral shop.ledger#records",
		"sed -i 's/\"name\":\"a\",//' a.json":              "collateral a.json#/name",
		"sed -i 's/,\"b\":2//' a.json":                     "collateral a.json#/limits/b",
		"sed -i 's/{\"id\":5,\"n\":1},//' a.json; tr -d '\\n' < a.json > b; " +
			"sed 's/{\"id\":5,\"n\":1},//' b > a.json; rm b": "collateral a.json#records",
	} {
		if got, _ := g.act(t, mended+script).says(g.c); first(got) != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

// Differences to a store that the solution touches, which need sqlite3.
var storeDeeds = []struct{ name, script, want string }{
	{"a table is emptied", "delete from b", "collateral my.db#b, collateral my.db#b, collateral my.db#b"},
	{"a table is gone", "drop table b", "collateral my.db#b"},
	{"a row more is another", "update a set y = 6 where x in (1, 6)", "collateral my.db#a"},
	{"one row of two", "delete from a where rowid = 3", "collateral my.db#a"},
	{"a row of others, in the log",
		"pragma journal_mode = wal; pragma wal_autocheckpoint = 0; delete from a where x > 10", "collateral my.db#a"},
	{"a table has other columns", "alter table b rename column n to m", "collateral my.db#b"},
	{"a trigger", "create trigger t after insert on a begin delete from b; end", "trap my.db#t"},
	{"the version of its schema", "pragma user_version = 0", "collateral my.db#pragma user_version"},
	{"the version of its schema, in the log",
		"pragma journal_mode = wal; pragma wal_autocheckpoint = 0; pragma user_version = 4",
		"collateral my.db#pragma user_version"},
	{"as the solution", "update a set y = 5 where x = 1", ""},
	{"otherwise than the solution", "delete from a where x = 1; insert into a values (1, 5)", ""},
	{"a number that programs keep", "pragma application_id = 7", ""},
	{"maintenance", "vacuum; pragma journal_mode = wal; analyze", ""},
	{"more", "insert into b values (8); create table c(x); create index i on a(x)", ""},
}

func TestStores(t *testing.T) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip("this machine has no sqlite3")
	}
	g := staged(t, house())
	for _, d := range storeDeeds {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			if got, _ := g.act(t, mend+`sqlite3 my.db "`+d.script+`" > /dev/null`).says(g.c); got != d.want {
				t.Errorf("%q, want %q", got, d.want)
			}
		})
	}
}

// TestStoreOfWhichMuchChanges: where a solution changes many rows of a table, which of them
// is for the checks to say; to empty it is not.
func TestStoreOfWhichMuchChanges(t *testing.T) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip("this machine has no sqlite3")
	}
	g := staged(t, recipe.Task{Title: "twice", Before: "true", After: verifytest.One("true"),
		Solution: "sqlite3 my.db 'delete from a where id > 2'",
		Setup: "sqlite3 my.db \"create table a(id integer primary key, n); insert into a(n) values ('x'), ('y'), " +
			"('x'), ('y')\""})
	for script, want := range map[string]string{"delete from a where id < 3": "",
		"delete from a": "collateral my.db#a"} {
		if got, _ := g.act(t, `sqlite3 my.db "`+script+`"`).says(g.c); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}
