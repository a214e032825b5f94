package prefs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func won(winner string, blind bool, models ...string) Preference {
	return Preference{Schema: Schema, At: time.Unix(0, 0).UTC(), Models: models, Choice: "winner", Winner: winner,
		Blind: blind, Recipe: "r", Tags: []string{"go"}}
}

func TestWhatIsAppendedIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "preferences.jsonl")
	want := []Preference{won("a/b", true, "a/b", "c/d"),
		{Schema: Schema, At: time.Unix(9, 0).UTC(), Choice: "tie", Models: []string{"a/b"}, Note: "<both> fine"}}
	for _, p := range want {
		if err := Append(path, p); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, `{"schema":"cookoff.preference/2"}`+"\n\n"+
		`{"schema":"cookoff.preference/1","choice":"winner","winner":"nobody","models":["a"]}`+"\n"+
		`{"schema":"cookoff.pref`)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, strange, err := Read(path)
	if err != nil || strange != 3 {
		t.Errorf("%d strange lines, %v", strange, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, _, err := Read(filepath.Join(t.TempDir(), "none")); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestTallyRanksOnlyWhatIsApart(t *testing.T) {
	var ps []Preference
	for range 40 {
		ps = append(ps, won("lab/good", true, "lab/good", "lab/bad", "lab/mid"))
	}
	for range 6 {
		ps = append(ps, won("lab/mid", false, "lab/mid", "lab/bad"),
			Preference{Choice: "tie", Models: []string{"lab/mid", "lab/bad"}})
	}
	ps = append(ps, Preference{Choice: "all_bad", Models: []string{"lab/bad", "lab/none"}})
	s := Tally(ps)
	ranks := map[string]int{}
	for _, m := range s.Models {
		ranks[m.Model] = m.Rank
	}
	if d := cmp.Diff(map[string]int{"lab/good": 1, "lab/mid": 2, "lab/bad": 2, "lab/none": 0}, ranks); d != "" {
		t.Errorf("%s\n%s", d, Text(s, 0))
	}
	if s.Choices != 53 || s.Blind != 40 || s.Ties != 6 || s.AllBad != 1 || s.Models[0].Model != "lab/good" ||
		s.Models[0].Blind != 40 || s.Models[3].Rating != nil {
		t.Errorf("%+v", s)
	}
	one := Tally(ps[:1])
	for _, m := range one.Models {
		if m.Rank != 1 {
			t.Errorf("one choice ranks %+v", m)
		}
	}
}

func TestFilter(t *testing.T) {
	ps := []Preference{won("a", true, "a", "b"), won("b", false, "a", "b"),
		{At: time.Unix(100, 0), Recipe: "other", Source: "builtin:default", Choice: "tie"}}
	check := func(f Filter, want int) {
		t.Helper()
		if got := len(f.Keep(ps)); got != want {
			t.Errorf("%+v keeps %d, want %d", f, got, want)
		}
	}
	check(Filter{}, 3)
	check(Filter{Recipe: "r"}, 2)
	check(Filter{Recipe: "builtin:default"}, 1)
	check(Filter{Tag: "go"}, 2)
	check(Filter{Since: time.Unix(50, 0)}, 1)
	check(Filter{Blind: true}, 1)
}

func TestText(t *testing.T) {
	if got := Text(Stats{}, 2); !strings.HasPrefix(got, "No choices yet") || !strings.Contains(got,
		": 2 lines of the file") {
		t.Error(got)
	}
	got := Text(Tally([]Preference{won("lab/a", false, "lab/a", "lab/b")}), 0)
	if !strings.Contains(got, "1 choice: 1 with a winner") || !strings.Contains(got,
		"   1  lab/a      1     1     0     0     0  1131 [") {
		t.Error(got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"schema":"cookoff.preference/1","choice":"tie","models":["a"]}` + "\n{")
	f.Fuzz(func(t *testing.T, text string) {
		ps, _, err := decode(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		Text(Tally(ps), 0)
	})
}
