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
