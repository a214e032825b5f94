package stores

import "testing"

func TestDescribes(t *testing.T) {
	parts := func(sql ...string) map[string]Part {
		out := map[string]Part{}
		for _, s := range sql {
			out[s] = Part{Kind: "table", SQL: s}
		}
		return out
	}
	const table, index = "CREATE TABLE a (x INTEGER)", "CREATE INDEX i ON a(x)"
	for name, c := range map[string]struct {
		was, now string
		from, to map[string]Part
		want     bool
	}{
		"one more, as in the store": {table + ";", "-- all\ncreate table IF NOT EXISTS \"a\"(x INTEGER);\n" + index + ";\n",
			parts(table), parts(table, index), true},
		"one more, which is not": {table + ";", table + ";" + index + ";", parts(table), parts(table), false},
		"one less, which is still": {table + ";" + index + ";", table + ";", parts(table, index),
			parts(table, index), false},
		"one less, which was taken": {table + ";" + index + ";", table + ";", parts(table, index), parts(table), true},
		"rows, too":                 {table + ";", table + ";INSERT INTO a VALUES (1);", parts(table), parts(table), false},
		"of another store":          {"CREATE TABLE b (y);", table + ";", parts(table), parts(table), false},
	} {
		if got := Describes([]byte(c.was), []byte(c.now), c.from, c.to); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTriggersThatRefuse(t *testing.T) {
	const on = "CREATE TRIGGER t BEFORE INSERT ON a "
	for sql, want := range map[string][2]bool{
		on + "WHEN new.x < 0 BEGIN SELECT raise(abort, 'x'); END":                                         {true, false},
		on + "BEGIN SELECT CASE WHEN new.x < 0 THEN RAISE(FAIL, 'x') END; END":                            {true, false},
		on + "BEGIN SELECT raise(abort, 'x'); END":                                                        {false, false},
		on + "WHEN new.x < 0 BEGIN DELETE FROM a; SELECT raise(abort, 'x'); END":                          {false, false},
		on + "WHEN new.x < 0 AND (SELECT count(*) FROM a) < 50 BEGIN SELECT raise(abort, 'x'); END":       {false, true},
		on + "WHEN new.x < 0 AND date('now') < '2027-01-01' BEGIN SELECT raise(abort, 'x'); END":          {false, true},
		"CREATE TRIGGER t BEFORE DELETE ON a WHEN old.x BEGIN SELECT raise(abort, 'x'); END":              {false, false},
		"CREATE TRIGGER t BEFORE UPDATE OF x ON a WHEN new.x < 0\nBEGIN\n SELECT raise(ABORT, 'x');\nEND": {true, false},
	} {
		p := Part{Kind: "trigger", SQL: sql}
		if got := [2]bool{p.Refuses(), p.WearsOff()}; got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
}

func TestSequencesThatAreUsedUp(t *testing.T) {
	f := &file{data: make([]byte, 100)}
	for record, want := range map[string]string{
		"\x03\x0f\x06a\x7f\xff\xff\xff\xff\xff\xff\xf0": "a",
		"\x03\x0f\x06a\x00\x00\x00\xff\xff\xff\xff\xf0": "",
		"\x03\x0f\x01a\x7f":                             "",
		"\x03\x0f\x06a\x7f\xff":                         "",
		"":                                              "",
		"\x00":                                          "", // a head that ends before it begins
		"\x00\x0f\x06a\x7f\xff\xff\xff\xff\xff\xff\xf0": "",
		"\x81\x00": "",
	} {
		if table, used := f.usedUp([]byte(record)); used != (want != "") || used && table != want {
			t.Errorf("%q: %q %v", record, table, used)
		}
	}
}

// TestUnique: a trigger that does what a unique index does, and those that do more, less or another thing.
func TestUnique(t *testing.T) {
	const on, end = "CREATE TRIGGER t BEFORE INSERT ON a ", " BEGIN SELECT raise(abort, 'known'); END"
	for want, list := range map[bool][]string{
		true: {
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE x = new.x)" + end,
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE lower(x) = lower(new.x))\n" + end,
			on + "FOR EACH ROW WHEN EXISTS (SELECT * FROM a o WHERE o.x = NEW.x AND o.y = NEW.y)" + end,
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE x = new.x COLLATE NOCASE)" + end,
			"CREATE TRIGGER t BEFORE UPDATE OF x ON a WHEN EXISTS (SELECT 1 FROM a WHERE x = new.x AND id <> new.id)" + end,
		},
		false: {
			on + "WHEN EXISTS (SELECT 1 FROM b WHERE x = new.x)" + end,
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE x <> new.x)" + end,
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE x = new.y)" + end,
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE length(x) = length(new.x))" + end,
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE x = new.x OR y > 2)" + end,
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE id <> new.id)" + end,
			on + "WHEN EXISTS (SELECT 1 FROM a)" + end,
			on + end,
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE x = new.x) BEGIN SELECT raise(ignore); END",
			on + "WHEN EXISTS (SELECT 1 FROM a WHERE x = new.x) BEGIN DELETE FROM a; SELECT raise(abort, 'x'); END",
		},
	} {
		for _, sql := range list {
			if got := (Part{Kind: "trigger", SQL: sql}).Unique(); got != want {
				t.Errorf("%s: %v", sql, got)
			}
		}
	}
}

// TestStricter: a table that was made anew with what it demands of rows, and one that was made otherwise.
func TestStricter(t *testing.T) {
	const on = "create table a (id integer primary key, "
	const was = "CREATE TABLE a (id integer primary key, name text, mail text unique, cents integer default 0)"
	for want, list := range map[bool][]string{
		true: {
			was,
			"CREATE TABLE \"a\" (\n id integer primary key,\n name text NOT NULL, mail text unique, cents integer default 0)",
			on + "name text not null check (name <> ''), mail text unique, cents integer default 0)",
			on + "name text unique collate nocase, mail text unique, cents integer default 0)",
			on + "name text, mail text unique, cents integer default 0, unique (name, cents))",
			on + "name text, mail text not null unique, cents integer not null default 0)",
			on + "name text check (length(trim(name)) > 0), mail text unique, cents integer default 0)",
		},
		false: {
			on + "name text, mail text, cents integer default 0)",
			on + "name text, mail text unique, cents integer)",
			on + "name text, mail text unique, cents integer default 1)",
			on + "name text, mail text unique, cents text default 0)",
			on + "mail text unique, name text, cents integer default 0)",
			on + "name text, mail text unique, cents integer default 0 check (cents < 9))",
			on + "name text, mail text unique, cents integer default 0, at text)",
			on + "name text unique on conflict replace, mail text unique, cents integer default 0)",
			on + "name text not null on conflict ignore, mail text unique, cents integer default 0)",
			on + "name text collate nocase, mail text unique, cents integer default 0)",
			"create table b (id integer primary key, " + "name text, mail text unique, cents integer default 0)",
		},
	} {
		for _, sql := range list {
			if got := (Part{Kind: "table", SQL: sql}).Stricter(Part{Kind: "table", SQL: was}); got != want {
				t.Errorf("%s: %v", sql, got)
			}
		}
	}
}
