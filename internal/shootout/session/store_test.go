package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func FuzzDecode(f *testing.F) {
	f.Add(`{"kind":"turn.started","turn":1,"run":"r","prompt":"go"}` + "\n" +
		`{"kind":"picked","turn":1,"choice":"tie"}`)
	f.Add(`{"kind":"picked","turn":9}` + "\n{\n")
	f.Fuzz(func(t *testing.T, text string) {
		recs, err := decode(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		s := newSession(World{Now: time.Now}, "x", nil)
		for _, r := range recs {
			s.fold(r)
		}
		if len(recs) > 0 {
			infoOf("x", recs)
		}
	})
}

func TestListAndFind(t *testing.T) {
	dir := t.TempDir()
	write := func(id, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(Dir(dir), id), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(Dir(dir), id, recordFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Find(dir, ""); err == nil || !strings.Contains(err.Error(), "cookoff shootout begins one") {
		t.Error(err)
	}
	const started = `{"kind":"session.started","at":"2026-11-21T10:00:00Z","source":"recipe.md"}` + "\n"
	write("2026-a", started+`{"kind":"turn.started","at":"2026-11-22T10:00:00Z","turn":1,"prompt":"one"}`+"\n"+
		`{"kind":"picked","at":"2026-11-23T10:00:00Z","turn":1,"choice":"tie"}`+"\n{torn")
	write("2026-b", started)
	write("2026-empty", "")
	got, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Info{
		{ID: "2026-b", Began: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
			Last: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Source: "recipe.md"},
		{ID: "2026-a", Began: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
			Last: time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC), Source: "recipe.md", Turns: 1, Picked: 1,
			Prompt: "one"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	check := func(name, want, wrong string) {
		t.Helper()
		got, err := Find(dir, name)
		if got != want || (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
	check("", "2026-a", "")
	check("2026-b", "2026-b", "")
	check("2026", "", "ambiguous")
	check("x", "", `no session "x"`)
}
