package footprint

import "testing"

// TestOccasion: triggers are told by what they wait for, and not by their names.
func TestOccasion(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TRIGGER booked after insert on entries begin select 1; end":                            "insert on entries",
		"CREATE TRIGGER other AFTER INSERT ON \"Entries\" FOR EACH ROW BEGIN delete from x; END":       "insert on entries",
		"CREATE TRIGGER insert_on_b before delete on [a b] begin select 1; end":                        "delete on a",
		"CREATE TRIGGER t AFTER UPDATE OF cents, name ON items WHEN new.cents > 0 BEGIN SELECT 1; END": "update on items",
		"nonsense": "nonsense",
	} {
		if got := occasion(sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}

// TestPartOf: a value of a document lies in an object at the top, or right in one of these.
func TestPartOf(t *testing.T) {
	for place, want := range map[string]string{"/port": "", "/log/level": "/log",
		"/packages/left/version": "/packages/left",
		"/a/b/c/d":               "/a/b", "": ""} {
		if got := partOf(place); got != want {
			t.Errorf("%s: %q, want %q", place, got, want)
		}
	}
}
