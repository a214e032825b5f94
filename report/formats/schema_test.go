package formats

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"cookoff/report"
	"cookoff/report/compare"
	"cookoff/report/gates"
	"cookoff/report/reporttest"
	"cookoff/trial"
)

// schema compiles docs/NAME.schema.json. Strict, no object may hold a key that
// the schema does not name: readers must skip those, but we must not forget them.
func schema(t *testing.T, name string, strict bool) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strict {
		doc := instance(t, string(text))
		closeObjects(doc)
		if text, err = json.Marshal(doc); err != nil {
			t.Fatal(err)
		}
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func closeObjects(doc any) {
	switch x := doc.(type) {
	case map[string]any:
		_, props := x["properties"].(map[string]any)
		if _, set := x["additionalProperties"]; props && !set {
			x["additionalProperties"] = false
		}
		for _, v := range x {
			closeObjects(v)
		}
	case []any:
		for _, v := range x {
			closeObjects(v)
		}
	}
}

func instance(t *testing.T, text string) any {
	t.Helper()
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestReportsFollowTheirSchema(t *testing.T) {
	s := schema(t, "report", true)
	check := func(what string, r *report.Report) {
		t.Helper()
		if err := s.Validate(instance(t, write(t, "json", r, Options{}))); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, name := range []string{"mixed", "repeats", "interrupted"} {
		r := reporttest.Fold(t, name)
		r.Gates = gates.Set{FailUnder: []gates.MinRate{{Rate: 0.5}},
			MinLower: []gates.MinRate{{Rate: 0.1}}, MaxVoid: new(0),
			Strength: report.Behaviour, Against: &gates.Against{Side: compare.Side{Name: "x", Report: r}}}.Check(r)
		check(name, r)
	}
	check("nothing at all", report.New().Report())
	run := trial.Run{Models: []string{"m"}, Tasks: reporttest.Tasks(1),
		Excluded: []trial.Exclude{{Task: "a", Phase: "before", Why: "it holds"}}}
	b := reporttest.Script(t, run, 1, func(trial.Trial) *trial.Outcome {
		o := reporttest.Outcome(trial.Fail)
		o.Cause, o.Stop = trial.CauseLimit, trial.StopTimeout
		o.Counters = trial.Counters{ToolCalls: 1, Malformed: 1, RefusedClasses: 1, Denied: 1,
			ToolErrors: 1, Repeated: 1, Retries: 1, Lost: 1, Reminders: 1, Compactions: 1, OutputCut: 1}
		return o
	})
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunFinished, End: &trial.End{Error: "x", Budget: true}})
	check("a spent run", b.Report())
}

// The schema tells a report from what is none, and lets later keys in.
func TestSchemaRefuses(t *testing.T) {
	s := schema(t, "report", false)
	good := write(t, "json", reporttest.Fold(t, "mixed"), Options{})
	check := func(old, new string, valid bool) {
		t.Helper()
		changed := strings.Replace(good, old, new, 1)
		if changed == good {
			t.Fatalf("%q is not in the report", old)
		}
		if err := s.Validate(instance(t, changed)); (err == nil) != valid {
			t.Errorf("%s -> %s: %v", old, new, err)
		}
	}
	check(`"seed":`, `"later": {}, "seed":`, true)
	check(`cookoff.report/1`, `cookoff.report/2`, false)
	check(`"status": "fail"`, `"status": "lost"`, false)
	check(`"rate": 0`, `"rate": 1.5`, false)
	check(`"trials": [`, `"trails": [`, false)
	check(`"void": 0`, `"void": -1`, false)
	if err := s.Validate(map[string]any{}); err == nil {
		t.Error("{} is a report")
	}
}

func TestComparisonsFollowTheirSchema(t *testing.T) {
	s := schema(t, "comparison", true)
	check := func(what string, rs ...*report.Report) {
		t.Helper()
		var b bytes.Buffer
		if err := WriteComparison(&b, "json", compared(t, rs...), Options{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(instance(t, b.String())); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for _, key := range []string{"schema", "alpha", "letter", "regression", "notes"} {
			if s.Validate(instance(t, strings.Replace(b.String(), `"`+key+`":`, `"x":`, 1))) == nil {
				t.Errorf("%s without %s is a comparison", what, key)
			}
		}
	}
	check("mixed", reporttest.Fold(t, "mixed"), reporttest.Fold(t, "mixed"))
	check("repeats", reporttest.Fold(t, "repeats"), reporttest.Fold(t, "repeats"), reporttest.Fold(t, "repeats"))
	check("a loss", reporttest.RunOf(t, "x", 12, map[string]int{"m": 12}),
		reporttest.RunOf(t, "y", 11, map[string]int{"m": 2}))
}
