// Package sarif writes problems of recipes and repairs in SARIF 2.1.0, which code
// scanning services show beside the lines they are about.
package sarif

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"

	"cookoff/recipe/problem"
)

// Most is how many results a file holds: GitHub shows no more of one run.
const Most = 5000

// mostText is how many bytes the texts of a file have: GitHub takes 10 MB, packed.
const mostText = 8 << 20

// nowhere is where a problem is shown that no file has: GitHub takes none without a place.
const nowhere = "recipe.md"

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool    tool     `json:"tool"`
	Results []result `json:"results"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Rules   []rule `json:"rules"`
}

type rule struct {
	ID          string `json:"id"`
	Description text   `json:"shortDescription"`
	Default     struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type text struct {
	Text string `json:"text"`
}

type result struct {
	Rule         string            `json:"ruleId"`
	Level        string            `json:"level"` // error, warning, note
	Message      text              `json:"message"`
	Locations    []location        `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type location struct {
	Physical physical `json:"physicalLocation"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   *region  `json:"region,omitempty"`
}

type artifact struct {
	URI string `json:"uri"`
}

type region struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

// rules are what results say they are of: how bad they are.
var rules = [...]struct{ level, what string }{
	{"error", "the recipe or repair can't be used as it is"},
	{"warning", "it can be used, and probably does not do what was meant"},
	{"note", "what can't be otherwise, and is worth knowing"},
}

// Write writes problems as found by a version of cookoff. It keeps the worst where
// there are more than Most, and says how many it left out.
func Write(w io.Writer, version string, ps problem.List) (left int, err error) {
	r := run{Tool: tool{driver{Name: "cookoff", Version: version}}, Results: []result{}}
	size, same := 0, map[string]int{}
	for _, x := range rules {
		one := rule{ID: id(x.level), Description: text{x.what}}
		one.Default.Level = x.level
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, one)
		for _, p := range ps {
			if level(p) != x.level {
				continue
			}
			size += len(p.Msg) + len(p.Hint) + len(p.Pos.File)
			if len(r.Results) == Most || size > mostText {
				left++
				continue
			}
			r.Results = append(r.Results, of(p, same))
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return left, e.Encode(log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []run{r}})
}

func id(level string) string { return "cookoff/" + level }

func level(p problem.Problem) string {
	switch {
	case p.Note:
		return "note"
	case p.Warning:
		return "warning"
	}
	return "error"
}

// of is a problem as a result; same counts those that a file has of one text.
func of(p problem.Problem, same map[string]int) result {
	message := p.Msg
	if p.Hint != "" {
		message += "\nhint: " + p.Hint
	}
	// A problem is the same one when lines above it come or go. Of several that say the same in
	// a file, the second is told from the first by being the second.
	what := p.Pos.File + "\x00" + p.Msg
	if same[what]++; same[what] > 1 {
		what = fmt.Sprintf("%s\x00%d", what, same[what])
	}
	sum := sha256.Sum256([]byte(what))
	out := result{Rule: id(level(p)), Level: level(p), Message: text{message},
		Fingerprints: map[string]string{"cookoffProblem/v1": hex.EncodeToString(sum[:16])}}
	at := physical{Artifact: artifact{uri(cmp.Or(p.Pos.File, nowhere))}}
	if p.Pos.Line > 0 {
		at.Region = &region{p.Pos.Line, cmp.Or(p.Pos.Col, 1)}
	}
	out.Locations = []location{{at}}
	return out
}

// uri is a path as SARIF has it: relative to where the command ran, with slashes.
func uri(path string) string { return (&url.URL{Path: filepath.ToSlash(path)}).String() }
