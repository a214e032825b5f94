package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/recipe/problem"
)

// read writes problems and reads what came out as any tool would.
func read(t *testing.T, ps problem.List) (results []any, left int) {
	t.Helper()
	var b bytes.Buffer
	left, err := Write(&b, "v1.2.3", ps)
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Name, Version string }
			}
			Results []any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name != "cookoff" ||
		log.Runs[0].Tool.Driver.Version != "v1.2.3" {
		t.Errorf("%s", b.Bytes())
	}
	return log.Runs[0].Results, left
}

func TestWrite(t *testing.T) {
	ps := problem.List{
		{Pos: problem.Pos{File: "a b/recipe.md", Line: 7, Col: 3}, Msg: "unknown tool", Hint: "did you mean bash?"},
		{Pos: problem.Pos{File: "recipe.md", Line: 2}, Msg: "weak", Warning: true},
		{Msg: "no file", Warning: true, Note: true},
	}
	got, left := read(t, ps)
	text, err := json.Marshal(got)
	if err != nil || left != 0 {
		t.Fatal(err, left)
	}
	want := oneline.Of(`[
		{"level":"error","locations":[
			{"physicalLocation":{"artifactLocation":{"uri":"a%20b/recipe.md"},
				"region":{"startColumn":3,"startLine":7}}}],`) +
		`"message":{"text":"unknown tool\nhint: did you mean bash?"},"partialFingerprints":{"cookoffProblem/v1":"` +
		fingerprint(got[0]) + `"},"ruleId":"cookoff/error"},` +
		oneline.Of(`{"level":"warning","locations":[
			{"physicalLocation":{"artifactLocation":{"uri":"recipe.md"},
				"region":{"startColumn":1,"startLine":2}}}],`) +
		`"message":{"text":"weak"},"partialFingerprints":{"cookoffProblem/v1":"` + fingerprint(got[1]) +
		`"},"ruleId":"cookoff/warning"},` +
		`{"level":"note","locations":[{"physicalLocation":{"artifactLocation":{"uri":"recipe.md"}}}],` +
		`"message":{"text":"no file"},"partialFingerprints":{"cookoffProblem/v1":"` + fingerprint(got[2]) +
		`"},"ruleId":"cookoff/note"}]`
	if string(text) != want {
		t.Errorf("%s", text)
	}
	moved := ps[0]
	moved.Pos.Line = 99
	again, _ := read(t, problem.List{moved})
	if fingerprint(again[0]) != fingerprint(got[0]) || fingerprint(got[0]) == fingerprint(got[1]) {
		t.Error("a problem is known by its line")
	}
	if none, _ := read(t, nil); none == nil {
		t.Error("without problems there are no results: null")
	}
}

func fingerprint(result any) string {
	return result.(map[string]any)["partialFingerprints"].(map[string]any)["cookoffProblem/v1"].(string)
}

// TestSameWords: problems that say the same in a file are not one, and the first is what it was
// alone.
func TestSameWords(t *testing.T) {
	one := problem.Problem{Msg: "x", Pos: problem.Pos{File: "a.md", Line: 3}}
	two := one
	two.Pos.Line = 9
	alone, _ := read(t, problem.List{one})
	got, _ := read(t, problem.List{one, two})
	if fingerprint(got[0]) != fingerprint(alone[0]) || fingerprint(got[1]) == fingerprint(got[0]) {
		t.Errorf("%v", got)
	}
}

// The worst are kept.
func TestMost(t *testing.T) {
	ps := make(problem.List, Most+9)
	for i := range ps {
		ps[i] = problem.Problem{Msg: fmt.Sprint(i), Warning: true}
	}
	ps[Most+8].Warning = false
	got, left := read(t, ps)
	if len(got) != Most || left != 9 || got[0].(map[string]any)["level"] != "error" {
		t.Errorf("%d results, %d left out, the first %v", len(got), left, got[0])
	}
}

// A file stays below what GitHub takes, however long its texts are.
func TestMostText(t *testing.T) {
	ps := make(problem.List, 40)
	for i := range ps {
		ps[i] = problem.Problem{Msg: strings.Repeat(fmt.Sprint(i%10), 1<<20)}
	}
	if got, left := read(t, ps); len(got) != 8 || left != 32 {
		t.Errorf("%d results, %d left out", len(got), left)
	}
}
